import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { panelsOf, setPanels } from '../../kit/state/panels.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { AT_TOP, type CohortQuery, FIRST_COLUMNS, NONE_SELECTED } from './cohortQuery.ts';
import { formatCohortQuery, parseCohortQuery } from './queryText.ts';

/** The query of the table and gallery. It is kept in the address as long as they are open or behind the cells. */
export const queryOf = definePart((page) => {
  const store = createStore<CohortQuery>(() => parseCohortQuery(panelsOf(page).getState().cohortText));
  // A link, or the browser's way back.
  panelsOf(page).subscribe(({ cohortText }, before) => {
    if (cohortText !== before.cohortText && cohortText !== formatCohortQuery(store.getState()))
      store.setState(parseCohortQuery(cohortText), true);
  });
  store.subscribe((query) => setPanels(page, { cohortText: formatCohortQuery(query) }));
  return store;
});

export function useQuery<T>(select: (query: CohortQuery) => T): T {
  return useStore(queryOf(usePage()), select);
}

/** Of these, a change leads to other rows, which begin at their top. */
const OF_ROWS = ['level', 'where', 'sort', 'group'] as const satisfies readonly (keyof CohortQuery)[];

export function changeQuery(page: Page, change: Partial<CohortQuery>): void {
  const before = queryOf(page).getState();
  const hasOtherRows = OF_ROWS.some((name) => name in change && change[name] !== before[name]);
  // All rows of one condition are not all rows of another.
  const isOtherAll = before.selected.isAllBut && change.where !== undefined && change.where !== before.where;
  queryOf(page).setState({
    ...(hasOtherRows && { at: AT_TOP }),
    ...(isOtherAll && { selected: NONE_SELECTED }),
    ...change,
  });
}

/** Rows of another level are other things, so none of them is selected. */
export function changeLevel(page: Page, level: TableLevel): void {
  const { level: before, columns, sort, group } = queryOf(page).getState();
  if (level === before) return;
  const areFirst = columns.join('\n') === FIRST_COLUMNS[before].join('\n');
  changeQuery(page, {
    level,
    columns: areFirst ? FIRST_COLUMNS[level] : columns,
    sort,
    group,
    selected: NONE_SELECTED,
  });
}

export function selectRows(page: Page, ids: Iterable<string>): void {
  queryOf(page).setState({ selected: { isAllBut: false, ids: new Set(ids) } });
}

export function selectAllRows(page: Page): void {
  queryOf(page).setState({ selected: { isAllBut: true, ids: new Set() } });
}

export function selectNone(page: Page): void {
  queryOf(page).setState({ selected: NONE_SELECTED });
}

export function toggleRow(page: Page, id: string): void {
  const { isAllBut, ids } = queryOf(page).getState().selected;
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  queryOf(page).setState({ selected: { isAllBut, ids: next } });
}
