import { findRowAt } from '../../kit/ui/virtualRows.ts';

export type GridLine =
  | { readonly kind: 'row'; readonly row: number }
  | { readonly kind: 'group'; readonly group: number; readonly isOpen: boolean };

/** The lines of a table: its rows, and a heading before each group of them. Rows of a closed group have no lines. */
export type GridLines = {
  readonly count: number;
  readonly lineAt: (line: number) => GridLine;
};

export function layOutGroups(
  total: number,
  counts: readonly number[] | undefined,
  closed: ReadonlySet<number>,
): GridLines {
  if (counts === undefined) return { count: total, lineAt: (row) => ({ kind: 'row', row }) };
  /** The line of the heading, and the first row, of each group; one more entry is the end. */
  const headings = new Float64Array(counts.length + 1);
  const firstRows = new Float64Array(counts.length + 1);
  for (const [group, count] of counts.entries()) {
    headings[group + 1] = (headings[group] ?? 0) + 1 + (closed.has(group) ? 0 : count);
    firstRows[group + 1] = (firstRows[group] ?? 0) + count;
  }
  return {
    count: headings.at(-1) ?? 0,
    lineAt(line) {
      const group = findRowAt(headings, line);
      const within = line - (headings[group] ?? 0);
      if (within === 0) return { kind: 'group', group, isOpen: !closed.has(group) };
      return { kind: 'row', row: (firstRows[group] ?? 0) + within - 1 };
    },
  };
}
