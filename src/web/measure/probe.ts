import type { MeasureKind } from './measureKind.ts';
import { crossAt, replacePoint } from './outline.ts';

const ARM = 6;

/** The value of one pixel. */
export const probe: MeasureKind = {
  title: 'Pixel',
  pointCount: 1,
  regionOf([at = { x: 0, y: 0 }]) {
    const from = { x: Math.floor(at.x), y: Math.floor(at.y) };
    return { shape: 'rectangle', from, to: { x: from.x + 1, y: from.y + 1 } };
  },
  outline: ([at = { x: 0, y: 0 }]) => crossAt(at, ARM),
  distanceTo: (at, [point = { x: 0, y: 0 }]) => Math.hypot(at.x - point.x, at.y - point.y),
  handlesOf: (points) => points,
  dragHandle: replacePoint,
};
