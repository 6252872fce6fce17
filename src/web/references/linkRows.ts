import { RELATIONSHIPS } from '../../shared/contract/referenceTerms.ts';
import type { TreeViewRow } from '../ui/treeKeys.ts';
import type { ObjectLink } from './links.ts';
import { RELATIONSHIP_TEXTS } from './relationshipTexts.ts';

/** A row of the panel. */
export type LinkRow = TreeViewRow &
  (
    | { readonly kind: 'heading'; readonly title: string; readonly count: number }
    | { readonly kind: 'link'; readonly link: ObjectLink }
    | { readonly kind: 'frame'; readonly link: ObjectLink; readonly frame: number }
  );

/** Undefined: not known yet. */
export type Links = {
  readonly to: readonly ObjectLink[] | undefined;
  readonly from: readonly ObjectLink[] | undefined;
};

/** A longer group starts closed, because it would hide the others. */
const MOST_OPEN = 20;

/**
 * Both directions, each by relationship. `toggled` has the keys of rows whose open state differs from the initial one.
 */
export function listLinkRows(links: Links, toggled: ReadonlySet<string>): LinkRow[] {
  const rows: LinkRow[] = [];
  for (const direction of ['to', 'from'] as const) {
    const ofDirection = links[direction];
    if (ofDirection === undefined) continue;
    const title = direction === 'to' ? 'Refers to' : 'Referenced by';
    const heading = { key: direction, level: 1, title, count: ofDirection.length };
    if (addHeading(rows, heading, !toggled.has(direction))) {
      addGroups(rows, ofDirection, direction, toggled);
    }
  }
  return rows;
}

function addGroups(
  rows: LinkRow[],
  links: readonly ObjectLink[],
  direction: 'to' | 'from',
  toggled: ReadonlySet<string>,
): void {
  for (const relationship of RELATIONSHIPS) {
    const group = links.filter((link) => link.relationship === relationship);
    if (group.length === 0) continue;
    const key = `${direction}/${relationship}`;
    const title = RELATIONSHIP_TEXTS[relationship][direction];
    const isOpen = toggled.has(key) !== group.length <= MOST_OPEN;
    if (!addHeading(rows, { key, level: 2, title, count: group.length }, isOpen)) continue;
    for (const link of group) addLink(rows, link, toggled);
  }
}

type Heading = { readonly key: string; readonly level: number; readonly title: string; readonly count: number };

/** Returns whether the rows below it are to be listed. */
function addHeading(rows: LinkRow[], heading: Heading, isWanted: boolean): boolean {
  const hasChildren = heading.count > 0;
  const isOpen = hasChildren && isWanted;
  rows.push({ kind: 'heading', ...heading, hasChildren, isOpen });
  return isOpen;
}

function addLink(rows: LinkRow[], link: ObjectLink, toggled: ReadonlySet<string>): void {
  const hasChildren = link.frames.length > 1;
  const isOpen = hasChildren && toggled.has(link.key);
  rows.push({ kind: 'link', key: link.key, level: 3, hasChildren, isOpen, link });
  if (!isOpen) return;
  for (const frame of link.frames) {
    const key = `${link.key}/${frame}`;
    rows.push({ kind: 'frame', key, level: 4, hasChildren: false, isOpen: false, link, frame });
  }
}
