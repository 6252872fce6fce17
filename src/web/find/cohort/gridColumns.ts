import type { WireTableColumn } from '../../../shared/contract/tables.ts';
import { stackHeights } from '../../kit/ui/virtualRows.ts';

/** A column as the table shows it. */
export type GridColumn = {
  readonly name: string;
  /** Undefined while the server does not know it. */
  readonly known: WireTableColumn | undefined;
  readonly widthPx: number;
};

export type GridColumns = {
  readonly columns: readonly GridColumn[];
  /** Where each begins, from the end of the column of check marks; one more entry is the end. */
  readonly lefts: Float64Array;
};

export const [LEAST_COLUMN_PX, MOST_COLUMN_PX] = [48, 1_200];

/** Of a bold letter. */
const LETTER_PX = 7.9;
/** Of its padding, and of the sign of its order. */
const HEADING_PX = 42;

export function layOutColumns(
  names: readonly string[],
  known: readonly WireTableColumn[],
  widths: ReadonlyMap<string, number>,
): GridColumns {
  const byName = new Map(known.map((column) => [column.name, column]));
  const columns = names.map((name) => {
    const column = byName.get(name);
    return { name, known: column, widthPx: widths.get(name) ?? firstWidthPx(name, column) };
  });
  return { columns, lefts: stackHeights(columns.map(({ widthPx }) => widthPx)) };
}

function firstWidthPx(name: string, column: WireTableColumn | undefined): number {
  const headingPx = Math.min(220, Math.ceil(name.length * LETTER_PX) + HEADING_PX);
  return Math.max(headingPx, usualWidthPx(name, column));
}

function usualWidthPx(name: string, column: WireTableColumn | undefined): number {
  if (column?.kind === 'number' || column?.kind === 'flag') return 90;
  if (column?.vr === 'DA' || column?.vr === 'TM' || column?.vr === 'CS') return 100;
  if (column?.vr === 'UI' || /path|label|description$/i.test(name)) return 230;
  return 140;
}
