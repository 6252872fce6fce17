import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { asError } from '../../../shared/asError.ts';
import { say } from '../../kit/state/messages.ts';
import { selectRows, toggleRow } from './query.ts';
import { loadTableRows } from './tableRows.ts';
import type { CohortGrid } from './useGrid.ts';

/** The table, or the gallery. */
type SelectableRows = Pick<CohortGrid, 'page' | 'lines' | 'rows' | 'anchor'>;

/** Their ids are requested from the server if they are not on the page. */
const MOST_AT_ONCE = 5_000;

type Click = { readonly ctrlKey: boolean; readonly metaKey: boolean; readonly shiftKey: boolean };

/** What a click on a row selects: it alone, it too, or all from the one before. */
export async function selectByPointer(
  grid: SelectableRows,
  row: WireTableRow,
  line: number,
  click: Click,
): Promise<void> {
  if (click.shiftKey) {
    await selectRange(grid, grid.anchor.current, line);
    return;
  }
  if (click.ctrlKey || click.metaKey) {
    toggleLine(grid, row, line);
    return;
  }
  Object.assign(grid.anchor, { current: line });
  selectRows(grid.page, [row.id]);
}

export function toggleLine({ page, anchor }: SelectableRows, row: WireTableRow, line: number): void {
  Object.assign(anchor, { current: line });
  toggleRow(page, row.id);
}

/** Selects all rows between two lines. */
export async function selectRange({ page, lines, rows }: SelectableRows, from: number, to: number): Promise<void> {
  const [first, last] = [Math.min(from, to), Math.max(from, to)];
  if (last - first >= MOST_AT_ONCE) {
    say(page, `At most ${MOST_AT_ONCE} rows are selected like this. Ctrl+A selects all.`, 'failed');
    return;
  }
  const numbers = Array.from({ length: last - first + 1 }, (_, n) => lines.lineAt(first + n)).flatMap((line) =>
    line.kind === 'row' ? line.row : [],
  );
  const known = numbers.flatMap((number) => rows.rowAt(number)?.id ?? []);
  if (known.length === numbers.length) {
    selectRows(page, known);
    return;
  }
  try {
    const [start = 0, end = 0] = [numbers[0], numbers.at(-1)];
    const loaded = await loadTableRows(page, rows.query, start, end);
    selectRows(
      page,
      numbers.flatMap((number) => loaded[number - start]?.id ?? []),
    );
  } catch (error) {
    say(page, asError(error).message, 'failed');
  }
}
