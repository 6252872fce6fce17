import type { Matrix, Point } from '../../../kit/state/viewState.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import type { Bounds } from '../../../show/tools/markCrowd.ts';

/** Points never change, so each array is looked through once. */
const known = new WeakMap<readonly Point[], Bounds>();

/** The smallest upright rectangle around points, in which the outlines and handles of all kinds lie. */
export function boundsOf(points: readonly Point[]): Bounds {
  const before = known.get(points);
  if (before !== undefined) return before;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const bounds = { left, top, right, bottom };
  known.set(points, bounds);
  return bounds;
}

/** With a margin in CSS pixels. Views turn by quarters only, so the rectangle stays upright. */
export function boundsOnScreen(points: readonly Point[], imageToScreen: Matrix, margin: number): Bounds {
  const { left, top, right, bottom } = boundsOf(points);
  const a = applyMatrix(imageToScreen, { x: left, y: top });
  const b = applyMatrix(imageToScreen, { x: right, y: bottom });
  return {
    left: Math.min(a.x, b.x) - margin,
    top: Math.min(a.y, b.y) - margin,
    right: Math.max(a.x, b.x) + margin,
    bottom: Math.max(a.y, b.y) + margin,
  };
}
