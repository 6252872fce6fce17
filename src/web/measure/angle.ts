import type { MeasureKind } from './measureKind.ts';
import { distanceToLines, lineThrough, replacePoint } from './outline.ts';
import { angleBetween } from './scale.ts';

/** The second point is the vertex. */
export const angle: MeasureKind = {
  title: 'Angle',
  pointCount: 3,
  quantityOf: ([a, vertex, b], { aspect }) => ({
    name: 'angle',
    value: a === undefined || vertex === undefined || b === undefined ? 0 : angleBetween(a, vertex, b, aspect),
    unit: '°',
  }),
  outline: lineThrough,
  distanceTo: distanceToLines,
  handlesOf: (points) => points,
  dragHandle: replacePoint,
};
