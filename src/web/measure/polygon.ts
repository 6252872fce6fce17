import type { Point } from '../state/viewState.ts';
import type { Spacing } from './scale.ts';

/** The area inside an outline that does not cross itself. */
export function polygonArea(corners: readonly Point[], [rows, columns]: Spacing): number {
  const [origin = { x: 0, y: 0 }] = corners;
  let sum = 0;
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length] ?? a;
    // From a corner, because products of large coordinates would lose digits.
    sum += (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y);
  }
  return (Math.abs(sum) / 2) * rows * columns;
}

/** With more corners, comparing all pairs of edges would take longer than an animation frame. */
const MOST_COMPARED = 1_000;

const known = new WeakMap<readonly Point[], boolean>();

/** Whether two edges cross. Not determined for more than a thousand corners. */
export function crossesItself(corners: readonly Point[]): boolean {
  const before = known.get(corners);
  if (before !== undefined) return before;
  const isCrossing = corners.length <= MOST_COMPARED && hasCrossing(corners);
  known.set(corners, isCrossing);
  return isCrossing;
}

function hasCrossing(corners: readonly Point[]): boolean {
  const count = corners.length;
  for (let i = 0; i < count; i++) {
    const [a, b] = [corners[i]!, corners[(i + 1) % count]!];
    for (let j = i + 2; j < count; j++) {
      // The first and the last edge have a corner in common, as neighbours do.
      if (i === 0 && j === count - 1) continue;
      const [c, d] = [corners[j]!, corners[(j + 1) % count]!];
      if (sideOf(a, b, c) * sideOf(a, b, d) < 0 && sideOf(c, d, a) * sideOf(c, d, b) < 0) return true;
    }
  }
  return false;
}

function sideOf(a: Point, b: Point, point: Point): number {
  return Math.sign((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x));
}
