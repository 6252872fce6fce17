import type { Point } from '../state/viewState.ts';
import type { MeasureKind } from './measureKind.ts';
import { cornersOf, dragCorner } from './outline.ts';
import { areaBetween } from './scale.ts';

/** The ellipse inscribed in the rectangle between its two points. */
export const ellipse: MeasureKind = {
  title: 'Ellipse',
  pointCount: 2,
  quantityOf: ([a, b], { spacing, unit }) => ({
    name: 'area',
    value: a === undefined || b === undefined ? 0 : (Math.PI / 4) * areaBetween(a, b, spacing),
    unit: `${unit}²`,
  }),
  regionOf: ([from = { x: 0, y: 0 }, to = from]) => ({ shape: 'ellipse', from, to }),
  outline(points) {
    const { x, y, across, down } = shapeOf(points);
    const arc = `A${across} ${down} 0 1 0`;
    return `M${x - across} ${y}${arc} ${x + across} ${y}${arc} ${x - across} ${y}Z`;
  },
  distanceTo(at, points) {
    const { x, y, across, down } = shapeOf(points);
    const [dx, dy] = [at.x - x, at.y - y];
    const way = Math.hypot(dx / across, dy / down);
    // Along the line to the center, which near the outline is close to the shortest distance.
    return way === 0 || !Number.isFinite(way) ? Math.min(across, down) : Math.hypot(dx, dy) * Math.abs(1 - 1 / way);
  },
  handlesOf: cornersOf,
  dragHandle: dragCorner,
};

/** Views turn by quarters only, so the axes stay horizontal and vertical. */
function shapeOf([a = { x: 0, y: 0 }, b = a]: readonly Point[]) {
  return {
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    across: Math.abs(b.x - a.x) / 2,
    down: Math.abs(b.y - a.y) / 2,
  };
}
