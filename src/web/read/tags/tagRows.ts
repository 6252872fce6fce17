import type { TagNode } from '../../../shared/contract/tags.ts';
import { describeValue } from './describeValue.ts';

/**
 * A row of the tag tree: an element, one item of a sequence, or a placeholder for the items that are not loaded yet.
 */
export type TagRow = {
  /** Its path in the format of tags/select: tags alternating with item numbers from 0. */
  readonly key: string;
  /** From 1. */
  readonly level: number;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
} & (
  | { readonly kind: 'element'; readonly node: TagNode }
  | { readonly kind: 'item'; readonly position: number; readonly label: string }
  | { readonly kind: 'more'; readonly loaded: number; readonly total: number; readonly sequence: string }
);

type Sequence = Extract<TagNode['value'], { type: 'sequence' }>;

/** The visible rows, from the top. With search words, only the rows that contain them and the rows above those. */
export function listTagRows(
  nodes: readonly TagNode[],
  open: ReadonlySet<string>,
  words: readonly string[] = [],
): TagRow[] {
  const rows: TagRow[] = [];
  addElements(rows, nodes, { open, words, prefix: '', level: 1 });
  return rows;
}

type Place = {
  readonly open: ReadonlySet<string>;
  readonly words: readonly string[];
  readonly prefix: string;
  readonly level: number;
};

function addElements(rows: TagRow[], nodes: readonly TagNode[], place: Place): void {
  const { open, words, prefix, level } = place;
  for (const node of nodes) {
    const path = prefix + node.tag;
    const at = rows.length;
    const isHit = words.length === 0 || holdsWords(node, words);
    const hasChildren = node.value.type === 'sequence' && countItems(node, node.value) > 0;
    const isOpen = hasChildren && (open.has(path) || words.length > 0);
    rows.push({ kind: 'element', key: path, level, hasChildren, isOpen, node });
    if (isOpen && node.value.type === 'sequence') addItems(rows, node, node.value, { ...place, prefix: path });
    // In a search, rows with no match at or below them are removed.
    if (!isHit && rows.length === at + 1) rows.length = at;
    else if (isHit && words.length > 0 && rows.length === at + 1)
      rows[at] = { kind: 'element', key: path, level, hasChildren, isOpen: false, node };
  }
}

function addItems(rows: TagRow[], node: TagNode, { items }: Sequence, place: Place): void {
  const { open, words, prefix, level } = place;
  for (const [position, item] of items.entries()) {
    const path = `${prefix}/${position}`;
    const at = rows.length;
    // A single item is open, because there is no other to distinguish it from.
    const isOpen = words.length > 0 || open.has(path) || items.length === 1;
    rows.push({
      kind: 'item',
      key: path,
      level: level + 1,
      hasChildren: true,
      isOpen,
      position,
      label: labelItem(item),
    });
    if (isOpen) addElements(rows, item, { ...place, prefix: `${path}/`, level: level + 2 });
    if (words.length > 0 && rows.length === at + 1) rows.length = at;
  }
  const total = countItems(node, { type: 'sequence', items });
  if (words.length > 0 || items.length >= total) return;
  const path = `${prefix}/more`;
  rows.push({
    kind: 'more',
    key: path,
    level: level + 1,
    hasChildren: false,
    isOpen: false,
    loaded: items.length,
    total,
    sequence: prefix,
  });
}

export function countItems(node: TagNode, { items }: Sequence): number {
  return Math.max(items.length, node.total ?? 0);
}

function holdsWords(node: TagNode, words: readonly string[]): boolean {
  const text =
    `${node.tag} ${node.tag.replace(/[(),]/g, '')} ${node.keyword} ${node.name} ${describeValue(node)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What distinguishes an item from its neighbours: a code's meaning, a label, a name, a UID. */
function labelItem(item: readonly TagNode[]): string {
  for (const keyword of ['CodeMeaning', 'SegmentLabel', 'LUTLabel', 'ROIName', 'ReferencedSOPInstanceUID']) {
    const node = item.find((one) => one.keyword === keyword);
    if (node?.value.type === 'string') return node.value.value;
  }
  return '';
}
