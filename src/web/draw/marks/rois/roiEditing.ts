import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Point, Size } from '../../../kit/state/viewState.ts';

/** Which edges of a box a handle moves, in the image's own axes: -1 the low one, 1 the high one, 0 neither. */
export type Handle = { readonly x: -1 | 0 | 1; readonly y: -1 | 0 | 1 };

export const HANDLES: readonly Handle[] = [
  { x: -1, y: -1 },
  { x: 0, y: -1 },
  { x: 1, y: -1 },
  { x: 1, y: 0 },
  { x: 1, y: 1 },
  { x: 0, y: 1 },
  { x: -1, y: 1 },
  { x: -1, y: 0 },
];

/**
 * The box between two image points. Its edges are the nearest pixel edges, so that the zoom, rotation or mirroring of
 * the view has no effect. It contains at least one pixel and none outside the image.
 */
export function drawBox(from: Point, to: Point, image: Size & Partial<Point>): RoiBox {
  const { x = 0, y = 0, width, height } = image;
  const [ymin, ymax] = drawSpan(from.y, to.y, [y, y + height]);
  const [xmin, xmax] = drawSpan(from.x, to.x, [x, x + width]);
  return [ymin, xmin, ymax, xmax];
}

/** Moves the box by a whole number of pixels, as near to `by` as keeps it inside the image. */
export function moveBox([ymin, xmin, ymax, xmax]: RoiBox, by: Point, image: Size): RoiBox {
  const down = clamp(Math.round(by.y), -ymin, image.height - ymax);
  const across = clamp(Math.round(by.x), -xmin, image.width - xmax);
  return [ymin + down, xmin + across, ymax + down, xmax + across];
}

/**
 * Resizes the box by moving one handle `by` the given pixels. A handle may pass the opposite edge but never lie on it.
 */
export function resizeBox([ymin, xmin, ymax, xmax]: RoiBox, handle: Handle, by: Point, image: Size): RoiBox {
  const [top, bottom] = resizeSpan([ymin, ymax], handle.y, by.y, image.height);
  const [left, right] = resizeSpan([xmin, xmax], handle.x, by.x, image.width);
  return [top, left, bottom, right];
}

/** Moves one edge, given as an index into `[ymin, xmin, ymax, xmax]`, as near to `value` as the image allows. */
export function setEdge(box: RoiBox, edge: 0 | 1 | 2 | 3, value: number, image: Size): RoiBox {
  const size = edge % 2 === 0 ? image.height : image.width;
  const moved: RoiBox = [...box];
  const whole = Math.round(value);
  moved[edge] = edge < 2 ? clamp(whole, 0, getEdge(box, edge + 2) - 1) : clamp(whole, getEdge(box, edge - 2) + 1, size);
  return moved;
}

export function containsPoint([ymin, xmin, ymax, xmax]: RoiBox, { x, y }: Point): boolean {
  return x >= xmin && x < xmax && y >= ymin && y < ymax;
}

export function areaOf([ymin, xmin, ymax, xmax]: RoiBox): number {
  return (ymax - ymin) * (xmax - xmin);
}

type Span = readonly [low: number, high: number];

function drawSpan(from: number, to: number, bounds: Span): Span {
  const [low, high] = [Math.round(bounds[0]), Math.round(bounds[1])];
  const [a, b] = [clamp(Math.round(from), low, high), clamp(Math.round(to), low, high)];
  if (a !== b) return a < b ? [a, b] : [b, a];
  // Both ends round to the same edge, so the box is the pixel that contains their middle.
  const pixel = clamp(Math.floor((from + to) / 2), low, high - 1);
  return [pixel, pixel + 1];
}

function resizeSpan([low, high]: Span, side: -1 | 0 | 1, by: number, size: number): Span {
  if (side === 0) return [low, high];
  const [fixed, start] = side === 1 ? [low, high] : [high, low];
  const moved = snap(start + by, size);
  if (moved === fixed) return side === 1 ? [fixed, fixed + 1] : [fixed - 1, fixed];
  return moved < fixed ? [moved, fixed] : [fixed, moved];
}

/** Rounds to the nearest edge between pixels. */
function snap(position: number, size: number): number {
  return clamp(Math.round(position), 0, size);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function getEdge(box: RoiBox, edge: number): number {
  const value = box[edge];
  if (value === undefined) throw new Error(`a box has no edge ${edge}`);
  return value;
}
