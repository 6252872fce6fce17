import { Angle, Diameter, MoveUpLeft, Pentagon, Spline } from 'lucide-react';
import { caveatsOfShape } from '../../../../shared/markMeasures.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { drawnBy } from './measureKind.ts';
import { crossAt, dashesBetween, distanceToLines, lineThrough, replacePoint } from './outline.ts';
import { polygonRegion } from '../../../../shared/region.ts';
import { dragAxis, orderAxes, shortAxisAt } from './twoAxes.ts';

const ORIGIN: Point = { x: 0, y: 0 };

const polygon = drawnBy('polygon', {
  tool: { title: 'Polygon', key: 'Shift+O', name: 'Polygon', icon: Pentagon, goes: 23 },
  making: { by: 'corners' },
  noteOf: (corners) => caveatsOfShape('polygon', corners)[0],
  regionOf: polygonRegion,
  outline: (corners) => `${lineThrough(corners)}Z`,
  distanceTo: (at, corners) => distanceToLines(at, [...corners, ...corners.slice(0, 1)]),
  handlesOf: (corners) => corners,
  dragHandle: replacePoint,
});

/** An open line. */
const freehand = drawnBy('freehand', {
  tool: { title: 'Freehand line', key: 'Shift+Z', name: 'Line', icon: Spline, goes: 26 },
  making: { by: 'path' },
  outline: lineThrough,
  distanceTo: distanceToLines,
  handlesOf: (points) => [points[0], points.at(-1)].filter((point) => point !== undefined),
  dragHandle: (points, handle, to) => replacePoint(points, handle === 0 ? 0 : points.length - 1, to),
});

/** Length of the two lines of an arrowhead, in CSS pixels, and their angle to the arrow. */
const BARB = 11;
const BARB_ANGLE = Math.PI / 7;

/** From its tip, which is pressed, to its tail, where its text is. */
const arrow = drawnBy('arrow', {
  tool: { title: 'Arrow with text', key: 'Shift+A', name: 'Arrow', icon: MoveUpLeft, goes: 24 },
  making: { by: 'drag' },
  outline(points) {
    const [tip = ORIGIN, tail = tip] = points;
    const direction = Math.atan2(tail.y - tip.y, tail.x - tip.x);
    const barbs = [-BARB_ANGLE, BARB_ANGLE].map((turn) => ({
      x: tip.x + BARB * Math.cos(direction + turn),
      y: tip.y + BARB * Math.sin(direction + turn),
    }));
    return lineThrough(points) + barbs.map((end) => lineThrough([tip, end])).join('');
  },
  distanceTo: distanceToLines,
  handlesOf: (points) => points,
  dragHandle: replacePoint,
  labelPointsOf: (points) => points.slice(1),
});

/** The angle between two lines, with a dashed line from the middle of one to that of the other. */
const cobb = drawnBy('cobb', {
  tool: { title: 'Cobb angle', key: 'Shift+T', name: 'Cobb', icon: Angle, goes: 27 },
  making: {
    by: 'two steps',
    complete: (first, { from, to }) => (from === undefined ? first.slice(0, 2) : [...first.slice(0, 2), from, to]),
  },
  outline(points) {
    const [first, second] = [points.slice(0, 2), points.slice(2)];
    const lines = lineThrough(first) + lineThrough(second);
    return second.length < 2 ? lines : lines + dashesBetween(middleOf(first), middleOf(second));
  },
  distanceTo: distanceToPairs,
  handlesOf: (points) => points,
  dragHandle: replacePoint,
});

/** Half the size of the cross at each end of an axis, in CSS pixels. */
const TICK = 4;

const bidirectional = drawnBy('bidirectional', {
  tool: { title: 'Long and short axis', key: 'Shift+I', name: 'Axis', icon: Diameter, goes: 25 },
  making: {
    by: 'two steps',
    complete([a, b], pointer, image) {
      if (a === undefined || b === undefined) return [pointer.to, pointer.to];
      return [a, b, ...shortAxisAt([a, b], pointer, image)];
    },
  },
  outline: (points) =>
    lineThrough(points.slice(0, 2)) +
    lineThrough(points.slice(2)) +
    points.map((point) => crossAt(point, TICK)).join(''),
  distanceTo: distanceToPairs,
  handlesOf: (points) => points,
  dragHandle: dragAxis,
  settle: orderAxes,
});

/** Kinds that are drawn to show a place as much as to measure it. */
export const DRAWN_KINDS = { polygon, freehand, arrow, cobb, bidirectional };

function distanceToPairs(at: Point, points: readonly Point[]): number {
  return Math.min(distanceToLines(at, points.slice(0, 2)), distanceToLines(at, points.slice(2)));
}

function middleOf([a = ORIGIN, b = a]: readonly Point[]): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
