import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import type { WireTableGroup } from '../../../shared/contract/tables.ts';

type ClosedGroups = { readonly group: string | undefined; readonly closed: ReadonlySet<string> };

/** The groups whose rows are not listed, by their keys, as long as rows are grouped by the same column. */
const closedGroupsOf = definePart(() => createStore<ClosedGroups>(() => ({ group: undefined, closed: new Set() })));

const NONE: ReadonlySet<string> = new Set([]);

export function useClosedGroups(group: string | undefined): ReadonlySet<string> {
  const known = useStore(closedGroupsOf(usePage()));
  return known.group === group ? known.closed : NONE;
}

export function toggleGroup(page: Page, group: string | undefined, of: WireTableGroup): void {
  const key = keyOfGroup(of);
  const known = closedGroupsOf(page).getState();
  const closed = new Set(known.group === group ? known.closed : NONE);
  if (!closed.delete(key)) closed.add(key);
  closedGroupsOf(page).setState({ group, closed });
}

export function keyOfGroup({ value, is_varying: isVarying }: WireTableGroup): string {
  return JSON.stringify([value, isVarying]);
}
