import { findRowAt } from '../../kit/ui/virtualRows.ts';
import type { GridLines } from '../cohort/gridLines.ts';

/** What stands in one row of the gallery: the heading of a group, or some tiles. Lines are those of the table. */
export type GalleryRow =
  | { readonly kind: 'group'; readonly line: number; readonly group: number; readonly isOpen: boolean }
  | { readonly kind: 'tiles'; readonly line: number; readonly count: number };

/** The lines of the table as pictures, several in a row. */
export type GalleryLayout = {
  readonly rows: number;
  /** Upper edges of the rows; the last entry is the end. */
  readonly tops: Float64Array;
  readonly rowAt: (row: number) => GalleryRow;
  /** The row that a line of the table is in. */
  readonly rowOfLine: (line: number) => number;
  readonly perRow: number;
};

export type TileSizes = { readonly perRow: number; readonly tilePx: number; readonly headingPx: number };

/** Number of rows in each group, its heading first; without groups, all lines are tiles. */
export function layOutGallery(
  lines: Pick<GridLines, 'count' | 'lineAt'>,
  groups: readonly { readonly count: number; readonly isOpen: boolean }[] | undefined,
  { perRow, tilePx, headingPx }: TileSizes,
): GalleryLayout {
  const blocks = groups ?? [{ count: lines.count, isOpen: true }];
  const heading = groups === undefined ? 0 : 1;
  /** The first line and the first row of each block; one more entry is the end. */
  const firstLines = new Float64Array(blocks.length + 1);
  const firstRows = new Float64Array(blocks.length + 1);
  for (const [block, { count, isOpen }] of blocks.entries()) {
    const shown = isOpen ? count : 0;
    firstLines[block + 1] = firstLines[block]! + heading + shown;
    firstRows[block + 1] = firstRows[block]! + heading + Math.ceil(shown / perRow);
  }
  const rows = firstRows[blocks.length]!;
  const tops = new Float64Array(rows + 1);
  for (const block of blocks.keys()) {
    for (let row = firstRows[block]!; row < firstRows[block + 1]!; row += 1) {
      const isHeading = heading === 1 && row === firstRows[block];
      tops[row + 1] = tops[row]! + (isHeading ? headingPx : tilePx);
    }
  }
  return {
    rows,
    tops,
    perRow,
    rowAt(row) {
      const block = findRowAt(firstRows, row);
      const within = row - firstRows[block]!;
      const line = firstLines[block]!;
      if (heading === 1 && within === 0)
        return { kind: 'group', line, group: block, isOpen: blocks[block]?.isOpen === true };
      const first = line + heading + (within - heading) * perRow;
      return { kind: 'tiles', line: first, count: Math.min(perRow, firstLines[block + 1]! - first) };
    },
    rowOfLine(line) {
      const block = findRowAt(firstLines, line);
      const within = line - firstLines[block]!;
      if (heading === 1 && within === 0) return firstRows[block]!;
      return firstRows[block]! + heading + Math.floor((within - heading) / perRow);
    },
  };
}

/** How many tiles of about this size stand side by side, and how wide they are then. */
export function fitTiles(
  widthPx: number,
  wishedPx: number,
  gapPx: number,
): { readonly perRow: number; readonly tilePx: number } {
  const perRow = Math.max(1, Math.floor((widthPx + gapPx) / (wishedPx + gapPx)));
  return { perRow, tilePx: Math.max(1, Math.floor((widthPx - (perRow - 1) * gapPx) / perRow)) };
}
