import type { MeasureKind } from './measureKind.ts';
import { cornersOf, distanceToLines, dragCorner, lineThrough } from './outline.ts';
import { areaBetween } from './scale.ts';

export const rectangle: MeasureKind = {
  title: 'Rectangle',
  pointCount: 2,
  quantityOf: ([a, b], { spacing, unit }) => ({
    name: 'area',
    value: a === undefined || b === undefined ? 0 : areaBetween(a, b, spacing),
    unit: `${unit}²`,
  }),
  regionOf: ([from = { x: 0, y: 0 }, to = from]) => ({ shape: 'rectangle', from, to }),
  outline: (points) => `${lineThrough(cornersOf(points))}Z`,
  distanceTo(at, points) {
    const corners = cornersOf(points);
    return distanceToLines(at, [...corners, ...corners.slice(0, 1)]);
  },
  handlesOf: cornersOf,
  dragHandle: dragCorner,
};
