import type { PaintRow } from './coverage.ts';

/**
 * Corners are rounded to this part of a pixel: contours that were drawn along the centers of pixels then lie exactly on
 * them, whatever the rounding of coordinates in files.
 */
const STEPS_OF_PIXEL = 4096;

export type CoverLimits = { readonly rows: number; readonly columns: number; readonly mostCrossings: number };

/**
 * The pixels whose centers are inside of closed contours by the even-odd rule, over all of them together. Points are x and
 * y of each corner in pixels, (0, 0) is the center of the first pixel. Of a center that lies on an outline, the area to its
 * right or below it decides, so that two areas that share an edge have no pixel in common. Returns false, and paints
 * nothing, if rows cross the outlines more often than `mostCrossings`.
 */
export function coverRings(rings: readonly ArrayLike<number>[], limits: CoverLimits, paint: PaintRow): boolean {
  const { rows, columns, mostCrossings } = limits;
  const perRow = new Uint32Array(rows + 1);
  let count = 0;
  for (const ring of rings) {
    eachEdge(ring, rows, (_, first, end) => {
      count += end - first;
      // One past the row, so that the sum of all before is where the crossings of a row begin.
      if (count <= mostCrossings) for (let row = first; row < end; row += 1) perRow[row + 1]! += 1;
    });
    if (count > mostCrossings) return false;
  }
  for (let row = 0; row < rows; row += 1) perRow[row + 1]! += perRow[row]!;
  const crossings = new Float64Array(count);
  const filled = perRow.slice(0, rows);
  for (const ring of rings) {
    eachEdge(ring, rows, ([x1, y1, x2, y2], first, end) => {
      for (let row = first; row < end; row += 1) {
        crossings[filled[row]!] = x1 + ((row - y1) * (x2 - x1)) / (y2 - y1);
        filled[row]! += 1;
      }
    });
  }
  for (let row = 0; row < rows; row += 1) {
    const [from, to] = [perRow[row]!, perRow[row + 1]!];
    sortRange(crossings, from, to);
    for (let at = from; at + 1 < to; at += 2) {
      const first = Math.max(0, Math.ceil(crossings[at]!));
      const end = Math.min(columns, Math.ceil(crossings[at + 1]!));
      if (first < end) paint(row, first, end);
    }
  }
  return true;
}

const FEW_TO_SORT = 16;

/** Most rows cross an outline twice: arrays of so few numbers take longer to make than to sort. */
function sortRange(numbers: Float64Array, from: number, to: number): void {
  if (to - from > FEW_TO_SORT) {
    numbers.subarray(from, to).sort();
    return;
  }
  for (let end = from + 1; end < to; end += 1) {
    const number = numbers[end]!;
    let at = end;
    for (; at > from && numbers[at - 1]! > number; at -= 1) numbers[at] = numbers[at - 1]!;
    numbers[at] = number;
  }
}

type Edge = readonly [x1: number, y1: number, x2: number, y2: number];

/** Calls back with each edge, from its upper end to its lower one, and the rows whose centers it crosses. */
function eachEdge(
  ring: ArrayLike<number>,
  rows: number,
  visit: (edge: Edge, first: number, end: number) => void,
): void {
  const round = (at: number) => Math.round(ring[at]! * STEPS_OF_PIXEL) / STEPS_OF_PIXEL;
  if (ring.length < 2) return;
  let [x1, y1] = [round(ring.length - 2), round(ring.length - 1)];
  for (let at = 0; at < ring.length; at += 2) {
    const [x2, y2] = [round(at), round(at + 1)];
    const first = Math.max(0, Math.ceil(Math.min(y1, y2)));
    const end = Math.min(rows, Math.ceil(Math.max(y1, y2)));
    if (first < end) visit(y1 < y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1], first, end);
    [x1, y1] = [x2, y2];
  }
}
