import type { ContentItem } from '../../../../shared/contract/reports.ts';

/** One line of a report. */
export type ReportRow = {
  readonly content: ContentItem;
  /** 0 for the root. */
  readonly level: number;
  /** Concept modifiers, which are written beside the item. */
  readonly modifiers: readonly ContentItem[];
  /** The items that are one running text with it, itself included; empty for a line of its own. */
  readonly run: readonly ContentItem[];
};

/** The lines of the reading view, in the order of the report: modifiers are not lines of their own. */
export function listReadingRows(root: ContentItem): ReportRow[] {
  const rows: ReportRow[] = [];
  const add = (content: ContentItem, level: number): void => {
    rows.push({ content, level, modifiers: content.items.filter(isModifier), run: [] });
    addBelow(content, level);
  };
  const addBelow = (content: ContentItem, level: number): void => {
    const children = content.items.filter((child) => !isModifier(child));
    const [first] = children;
    if (first === undefined || !isRunningText(content, children)) {
      for (const child of children) add(child, level + 1);
      return;
    }
    rows.push({ content: first, level: level + 1, modifiers: [], run: children });
    for (const child of children) addBelow(child, level + 1);
  };
  add(root, 0);
  return rows;
}

/**
 * Whether the items of a container are to be read as one text, PS3.3 C.18.8.1.1. Some writers say it of every container,
 * lists of measurements and references among them: those are lists nevertheless.
 */
function isRunningText({ continuous }: ContentItem, children: readonly ContentItem[]): boolean {
  const isText = children.every(({ value_type, by_reference }) => by_reference === null && IN_TEXT.has(value_type));
  return (
    continuous === true && isText && children.length > 1 && children.some(({ value_type }) => value_type === 'TEXT')
  );
}

const IN_TEXT: ReadonlySet<string> = new Set(['TEXT', 'CODE', 'NUM', 'DATE', 'TIME', 'DATETIME', 'PNAME']);

function isModifier({ relationship }: ContentItem): boolean {
  return relationship === 'HAS CONCEPT MOD';
}

export type TreeRowOfReport = { readonly content: ContentItem; readonly level: number; readonly isOpen: boolean };

/** The visible lines of the tree: all items but those in closed ones. */
export function listTreeRows(root: ContentItem, closed: ReadonlySet<string>): TreeRowOfReport[] {
  const rows: TreeRowOfReport[] = [];
  const add = (content: ContentItem, level: number): void => {
    const isOpen = !closed.has(content.item);
    rows.push({ content, level, isOpen });
    if (isOpen) for (const child of content.items) add(child, level + 1);
  };
  add(root, 0);
  return rows;
}

/** What a line says, for the search. */
export function textOfItem({ concept, text }: ContentItem): string {
  return `${concept?.meaning ?? ''} ${text}`.toLowerCase();
}

/** An item of which not all children are known, and how many are; undefined if the tree is complete. */
export function findIncomplete(item: ContentItem): { readonly item: string; readonly offset: number } | undefined {
  for (const child of item.items) {
    const found = findIncomplete(child);
    if (found !== undefined) return found;
  }
  return item.items.length < item.children ? { item: item.item, offset: item.items.length } : undefined;
}

/** The tree with more children of one of its items. */
export function addContentItems(root: ContentItem, page: ContentItem): ContentItem {
  if (root.item === page.item) return { ...root, items: [...root.items, ...page.items] };
  const rest = page.item.slice(root.item.length + 1);
  const place = Number(rest.split('.', 1)[0]) - 1;
  const child = root.items[place];
  return child === undefined ? root : { ...root, items: root.items.with(place, addContentItems(child, page)) };
}
