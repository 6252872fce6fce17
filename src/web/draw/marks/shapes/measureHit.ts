import type { Matrix, Point } from '../../../kit/state/viewState.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import { boundsOnScreen } from './markBounds.ts';
import type { Measurement } from './measurement.ts';
import { MEASURE_KINDS } from './measureKinds.ts';

/** `handle` is undefined on the outline. */
export type MeasureHit = { readonly item: Measurement; readonly handle: number | undefined };

export type MeasureHitQuery = {
  readonly items: readonly Measurement[];
  readonly selected: string | undefined;
  readonly imageToScreen: Matrix;
  readonly reach: number;
};

/** The measurement at a screen point: the selected one first, then the one drawn last. */
export function findMeasureHit(at: Point, query: MeasureHitQuery): MeasureHit | undefined {
  const { selected, imageToScreen, reach } = query;
  // Few of thousands are near.
  const near = query.items.filter(({ points }) => {
    const { left, top, right, bottom } = boundsOnScreen(points, imageToScreen, reach);
    return at.x >= left && at.x <= right && at.y >= top && at.y <= bottom;
  });
  const order = near.toReversed().toSorted((a, b) => Number(b.uid === selected) - Number(a.uid === selected));
  for (const item of order) {
    const kind = MEASURE_KINDS[item.kind];
    const points = toScreen(item.points, imageToScreen);
    const isOnOutline = kind.distanceTo(at, points) <= reach;
    if (!isOnOutline && item.uid !== selected) continue;
    const handle = findNearest(at, kind.handlesOf(points), reach);
    if (handle !== undefined) return { item, handle };
    if (isOnOutline) return { item, handle: undefined };
  }
  return undefined;
}

export function toScreen(points: readonly Point[], imageToScreen: Matrix): readonly Point[] {
  return points.map((point) => applyMatrix(imageToScreen, point));
}

function findNearest(at: Point, points: readonly Point[], reach: number): number | undefined {
  const distances = points.map(({ x, y }) => Math.hypot(x - at.x, y - at.y));
  const nearest = Math.min(...distances);
  return nearest <= reach ? distances.indexOf(nearest) : undefined;
}
