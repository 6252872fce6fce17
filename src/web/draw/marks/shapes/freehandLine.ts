import { MOST_MARK_POINTS } from '../../../../shared/contract/marks.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { distanceToLine } from './outline.ts';

/**
 * The line with fewer points: no removed point is farther from the new line than `tolerance` (Douglas and Peucker, 1973).
 * The tolerance grows until a mark can have the points.
 */
export function simplifyLine(points: readonly Point[], tolerance: number, most = MOST_MARK_POINTS): readonly Point[] {
  const kept = keepCorners(points, tolerance);
  return kept.length <= most ? kept : simplifyLine(kept, Math.max(tolerance, 1e-6) * 2, most);
}

function keepCorners(points: readonly Point[], tolerance: number): readonly Point[] {
  const isKept = new Uint8Array(points.length);
  isKept[0] = 1;
  isKept[points.length - 1] = 1;
  // Parts of the line whose ends are kept.
  const parts: (readonly [number, number])[] = [[0, points.length - 1]];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [first, last] = part;
    let [farthest, distance] = [first, tolerance];
    for (let i = first + 1; i < last; i++) {
      const own = distanceToLine(points[i]!, points[first]!, points[last]!);
      if (own > distance) [farthest, distance] = [i, own];
    }
    if (farthest === first) continue;
    isKept[farthest] = 1;
    parts.push([first, farthest], [farthest, last]);
  }
  return points.filter((_, i) => isKept[i] === 1);
}
