/** What keyboard navigation needs to know about a row of a tree. */
export type KeyedRow = { readonly level: number; readonly isOpen: boolean; readonly hasChildren: boolean };

/** A row with a unique key. */
export type TreeViewRow = KeyedRow & { readonly key: string };

export type TreeStep = { readonly kind: 'go'; readonly row: number } | { readonly kind: 'toggle' };

const PAGE = 10;

/** What a key does in a tree; undefined for keys that the tree does not handle. */
export function moveInTree(rows: readonly KeyedRow[], row: number, key: string): TreeStep | undefined {
  const go = (to: number): TreeStep => ({ kind: 'go', row: Math.max(0, Math.min(rows.length - 1, to)) });
  const current = rows[row];
  switch (key) {
    case 'ArrowDown':
      return go(row + 1);
    case 'ArrowUp':
      return go(row - 1);
    case 'PageDown':
      return go(row + PAGE);
    case 'PageUp':
      return go(row - PAGE);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'ArrowRight':
      if (current === undefined || !current.hasChildren) return go(row);
      return current.isOpen ? go(row + 1) : { kind: 'toggle' };
    case 'ArrowLeft':
      if (current?.isOpen) return { kind: 'toggle' };
      return go(findParent(rows, row));
    default:
      return undefined;
  }
}

function findParent(rows: readonly KeyedRow[], row: number): number {
  const level = rows[row]?.level ?? 1;
  const parent = rows.slice(0, Math.max(0, row)).findLastIndex((above) => above.level < level);
  return parent < 0 ? row : parent;
}

/** The open rows, or the closed ones, with this one in the other state. */
export function withToggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
