import type { WireDocumentTable } from '../../../shared/contract/documents.ts';

export type TableRow = WireDocumentTable['rows'][number];
type Cell = TableRow[number];

/** Numbers before texts, and cells without a value last, whatever the direction. */
export function compareCells(a: Cell, b: Cell, isDown: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : typeof a === typeof b
        ? COLLATOR.compare(String(a), String(b))
        : typeof a === 'number'
          ? -1
          : 1;
  return isDown ? -order : order;
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true });
