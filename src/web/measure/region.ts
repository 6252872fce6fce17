import type { Point, Size } from '../state/viewState.ts';

/** A part of an image between two corners, in image pixels: pixel (i, j) covers [i, i+1) by [j, j+1). */
export type Region = {
  readonly shape: 'rectangle' | 'ellipse';
  readonly from: Point;
  readonly to: Point;
};

/** `end` is exclusive. */
export type Span = { readonly first: number; readonly end: number };

/** A pixel is in a region if its center is inside the shape or on its outline. */
export function containsCentre({ shape, from, to }: Region, column: number, row: number): boolean {
  const [x, y] = [column + 0.5, row + 0.5];
  if (shape === 'rectangle') return isBetween(x, from.x, to.x) && isBetween(y, from.y, to.y);
  const across = (x - (from.x + to.x) / 2) / ((to.x - from.x) / 2);
  const down = (y - (from.y + to.y) / 2) / ((to.y - from.y) / 2);
  return across ** 2 + down ** 2 <= 1;
}

/** The rows that can have pixels in the region. */
export function rowsOf({ from, to }: Region, { height }: Size): Span {
  return spanBetween(from.y, to.y, height);
}

/** The pixels of a row that are in the region. */
export function columnsOf(region: Region, row: number, { width }: Size): Span {
  const reach = region.shape === 'rectangle' ? 1 : halfWidthAt(region, row);
  const middle = (region.from.x + region.to.x) / 2;
  const half = (Math.abs(region.to.x - region.from.x) / 2) * reach;
  let { first, end } = spanBetween(middle - half, middle + half, width);
  // The square root is rounded, so the pixels at both ends are tested individually.
  if (first > 0 && containsCentre(region, first - 1, row)) first -= 1;
  else if (first < end && !containsCentre(region, first, row)) first += 1;
  if (end < width && containsCentre(region, end, row)) end += 1;
  else if (end > first && !containsCentre(region, end - 1, row)) end -= 1;
  return { first, end };
}

/** Half width of an ellipse at the middle of a row, relative to its largest half width. */
function halfWidthAt({ from, to }: Region, row: number): number {
  const down = (row + 0.5 - (from.y + to.y) / 2) / ((to.y - from.y) / 2);
  return Math.sqrt(Math.max(0, 1 - down ** 2));
}

function spanBetween(a: number, b: number, size: number): Span {
  const first = Math.max(0, Math.ceil(Math.min(a, b) - 0.5));
  return { first, end: Math.max(first, Math.min(size, Math.floor(Math.max(a, b) - 0.5) + 1)) };
}

function isBetween(value: number, a: number, b: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b);
}
