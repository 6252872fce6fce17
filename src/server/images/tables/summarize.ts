import type { ColumnSummary } from '../../../shared/contract/tables.ts';
import { writeArray } from '../../machine/workers/jsonPieces.ts';
import type { EncodedColumn } from './encodedColumn.ts';
import { eachCode } from './orderRows.ts';
import type { TableData } from './tableData.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { Members } from './tableRows.ts';

/** A column with more different values has no counts. */
const MOST_VALUES = 50;
const BINS = 40;

/** How often each value is in the chosen rows, or how numbers are distributed. */
export function summarize(data: TableData, level: TableLevel, chosen: Uint32Array, name: string): ColumnSummary {
  const members: Members | undefined = level === 'file' ? undefined : data.rows.members(level);
  const levelColumn = data.column(name, level);
  const { column } = levelColumn;
  // A row counts for each of its values, as a condition on one of them would choose it.
  const counts = new Uint32Array(column.distinct + 1);
  let varying = 0;
  for (const row of chosen) {
    let codes = 0;
    eachCode(levelColumn, row, members, (code) => {
      counts[code]! += 1;
      codes += 1;
    });
    if (codes > 1) varying += 1;
  }
  const present = [...column.inOrder()].filter((code) => counts[code]! > 0);
  const isFew = present.length <= MOST_VALUES;
  return {
    name,
    empty: counts[0]!,
    varying,
    values: isFew
      ? present
          .toSorted((a, b) => counts[b]! - counts[a]!)
          .map((code) => ({ value: column.valueOf(code)!, count: counts[code]! }))
      : null,
    histogram: !isFew && column.kind === 'number' ? toHistogram(column, present, counts) : null,
  };
}

/** The member of an answer, as JSON. */
export function* writeSummaries(columns: readonly ColumnSummary[]): Generator<string, void> {
  yield '"columns":';
  yield* writeArray(columns, (column) => JSON.stringify(column));
}

/** `present` is in the order of the values, of which there are several. */
function toHistogram(
  column: EncodedColumn,
  present: readonly number[],
  counts: Uint32Array,
): ColumnSummary['histogram'] {
  const numberOf = (code: number | undefined) => Number(column.valueOf(code ?? 0));
  const [min, max] = [numberOf(present[0]), numberOf(present.at(-1))];
  const bins = Array.from({ length: BINS }, () => 0);
  for (const code of present) {
    // Half of each, because the difference of two numbers may be infinite.
    const share = (numberOf(code) / 2 - min / 2) / (max / 2 - min / 2);
    bins[Math.min(BINS - 1, Math.floor(share * BINS))]! += counts[code]!;
  }
  return { min, max, counts: bins };
}
