import { columnWidth, fitTile, tallestSheet } from './layOutSheet.ts';
import type { DrawSheetInput } from './sheetTasks.ts';

/** A pixel of the sheet as it is painted, and as it is packed. */
const SHEET_BYTES = 8;
/** A pixel of a picture, unpacked. */
const PICTURE_BYTES = 8;
/** A packet with its masks one byte for each pixel, or with its lines as lists of numbers. */
const PACKET_FACTOR = 24;
/** Masks of a picture, painted. */
const MASK_BYTES = 4;
/** A pixel of two masks of a pair, of nothing, and of what they have in common, painted. */
const ERROR_BYTES = 8;
/** A coordinate of a mark, in its array and in lists. */
const POINT_BYTES = 64;

/** Memory that drawing a sheet takes at most. */
export function drawnBytes({ width, columns, tiles }: Omit<DrawSheetInput, 'jpegQuality'>): number {
  const sheet = width * tallestSheet(tiles.length, width, columns) * SHEET_BYTES;
  let largest = 0;
  let kept = 0;
  for (const tile of tiles) {
    const { rows, columns: across, pieces, layers, errors, marks } = tile;
    const size = fitTile(tile, columnWidth(width, columns));
    const compared = [errors?.truth, errors?.test].flatMap((layer) => layer?.packet.length ?? []);
    const packets = [...layers.map(({ packet }) => packet.length), ...compared];
    const own = pieces.map(({ png }) => png.length);
    const points = marks.reduce((sum, { points: { length }, mask }) => sum + length + (mask?.runs.length ?? 0), 0);
    const hasMasks = layers.length > 0 || marks.some(({ mask }) => mask !== undefined);
    largest = Math.max(
      largest,
      size.width * size.height * PICTURE_BYTES,
      PACKET_FACTOR * Math.max(0, ...packets) + (hasMasks ? rows * across * MASK_BYTES : 0),
      PACKET_FACTOR * compared.reduce((sum, length) => sum + length, 0) +
        (compared.length > 0 ? rows * across * ERROR_BYTES : 0),
      points * POINT_BYTES,
    );
    kept += [...packets, ...own].reduce((sum, length) => sum + length, 0) + points * 8;
  }
  return Math.ceil(sheet + kept + largest + 4_000_000);
}
