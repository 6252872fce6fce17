import { type MarkKind, traitsOf } from './markTraits.ts';
import { polygonRegion, type Region, rowsOf, spansOf } from './region.ts';

type Size = { readonly rows: number; readonly columns: number };

/** Called with pixels of one row, from `first` to before `end`. */
export type PaintRow = (row: number, first: number, end: number) => void;

/** The pixels of an area whose centers are inside of its outline or on it. Points are two numbers each, as those of marks. */
export function coverOutline(kind: MarkKind, points: ArrayLike<number>, size: Size, paint: PaintRow): void {
  const region = regionOfOutline(kind, points);
  if (region === undefined) return;
  const image = { width: size.columns, height: size.rows };
  const rows = rowsOf(region, image);
  for (let row = rows.first; row < rows.end; row += 1) {
    for (const { first, end } of spansOf(region, row, image)) if (first < end) paint(row, first, end);
  }
}

/** Undefined for a kind that has no area. */
function regionOfOutline(kind: MarkKind, points: ArrayLike<number>): Region | undefined {
  const corners = Array.from({ length: points.length / 2 }, (_, n) => ({ x: points[2 * n]!, y: points[2 * n + 1]! }));
  const { shape } = traitsOf(kind);
  if (shape === 'polygon') return polygonRegion(corners);
  const [from, to] = corners;
  if ((shape !== 'box' && shape !== 'ellipse') || from === undefined || to === undefined) return undefined;
  return { shape: shape === 'box' ? 'rectangle' : 'ellipse', from, to };
}

/** The pixels of a mask: a rectangle (left, top, width, height) and runs of pixels in it, first outside, then inside. */
export function coverMask(rectangle: ArrayLike<number>, runs: ArrayLike<number>, paint: PaintRow): void {
  const [left, top, width] = [rectangle[0] ?? 0, rectangle[1] ?? 0, rectangle[2] ?? 1];
  let at = 0;
  for (let n = 0; n < runs.length; n += 1) {
    const end = at + runs[n]!;
    for (let start = n % 2 === 1 ? at : end; start < end;) {
      const row = Math.floor(start / width);
      const stop = Math.min(end, (row + 1) * width);
      paint(top + row, left + start - row * width, left + stop - row * width);
      start = stop;
    }
    at = end;
  }
}
