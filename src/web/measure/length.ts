import type { MeasureKind } from './measureKind.ts';
import { crossAt, distanceToLines, lineThrough, replacePoint } from './outline.ts';
import { lengthBetween } from './scale.ts';

const TICK = 4;

export const length: MeasureKind = {
  title: 'Length',
  pointCount: 2,
  quantityOf: ([a, b], { spacing, unit }) => ({
    name: 'length',
    value: a === undefined || b === undefined ? 0 : lengthBetween(a, b, spacing),
    unit,
  }),
  outline: (points) => lineThrough(points) + points.map((point) => crossAt(point, TICK)).join(''),
  distanceTo: distanceToLines,
  handlesOf: (points) => points,
  dragHandle: replacePoint,
};
