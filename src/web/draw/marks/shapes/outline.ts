import type { Point } from '../../../kit/state/viewState.ts';

export function lineThrough(points: readonly Point[]): string {
  return points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

/** A small cross. */
export function crossAt({ x, y }: Point, arm: number): string {
  return `M${x - arm} ${y}H${x + arm}M${x} ${y - arm}V${y + arm}`;
}

/** Dashes of about 4 pixels. */
export function dashesBetween(a: Point, b: Point): string {
  const count = Math.max(1, Math.round(Math.hypot(b.x - a.x, b.y - a.y) / 8));
  const at = (half: number) => {
    const share = half / (2 * count);
    return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
  };
  return Array.from({ length: count }, (_, n) => lineThrough([at(2 * n + 0.5), at(2 * n + 1.5)])).join('');
}

/** Distance from a point to the nearest of the lines between consecutive points. */
export function distanceToLines(at: Point, points: readonly Point[]): number {
  let nearest = Infinity;
  for (const [i, end] of points.entries()) {
    const start = points[i - 1];
    if (start !== undefined) nearest = Math.min(nearest, distanceToLine(at, start, end));
  }
  return nearest;
}

export function distanceToLine(at: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const part = length === 0 ? 0 : ((at.x - a.x) * dx + (at.y - a.y) * dy) / length;
  const along = Math.min(Math.max(part, 0), 1);
  return Math.hypot(at.x - (a.x + along * dx), at.y - (a.y + along * dy));
}

/** All four corners, in order around the rectangle between the first two points. */
export function cornersOf(points: readonly Point[]): readonly Point[] {
  const [a = ORIGIN, b = a] = points;
  return [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }];
}

/** The corner opposite to the dragged one stays. */
export function dragCorner(points: readonly Point[], corner: number, to: Point): readonly Point[] {
  const fixed = cornersOf(points)[(corner + 2) % 4];
  return fixed === undefined ? points : [fixed, to];
}

export function replacePoint(points: readonly Point[], index: number, to: Point): readonly Point[] {
  return points.with(index, to);
}

const ORIGIN: Point = { x: 0, y: 0 };
