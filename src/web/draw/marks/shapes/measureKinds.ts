import { Circle, Pipette, RectangleHorizontal, Ruler, TriangleRight } from 'lucide-react';
import type { MeasureTool } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { isDrawnKind, MARK_KINDS } from '../../../../shared/markTraits.ts';
import { drawnBy, type DrawingTool, type MeasureKind } from './measureKind.ts';
import { DRAWN_KINDS } from './drawnKinds.ts';
import { cornersOf, crossAt, distanceToLines, dragCorner, lineThrough, replacePoint } from './outline.ts';

/** Half the size of the cross at each end of a length, in CSS pixels. */
const TICK = 4;

const length = drawnBy('length', {
  tool: { title: 'Length', key: 'L', name: 'Length', icon: Ruler, goes: 5 },
  making: { by: 'drag' },
  outline: (points) => lineThrough(points) + points.map((point) => crossAt(point, TICK)).join(''),
  distanceTo: distanceToLines,
  handlesOf: (points) => points,
  dragHandle: replacePoint,
});

/** The second point is the vertex. */
const angle = drawnBy('angle', {
  tool: { title: 'Angle', key: 'A', name: 'Angle', icon: TriangleRight, goes: 10 },
  making: { by: 'two steps', complete: ([a, vertex], { to }) => [a ?? to, vertex ?? to, to] },
  outline: lineThrough,
  distanceTo: distanceToLines,
  handlesOf: (points) => points,
  dragHandle: replacePoint,
});

/** The ellipse inscribed in the rectangle between its two points. */
const ellipse = drawnBy('ellipse', {
  tool: { title: 'Ellipse', key: 'E', name: 'Ellipse', icon: Circle, goes: 11 },
  making: { by: 'drag' },
  regionOf: ([from = { x: 0, y: 0 }, to = from]) => ({ shape: 'ellipse', from, to }),
  outline(points) {
    const { x, y, across, down } = ellipseOf(points);
    const arc = `A${across} ${down} 0 1 0`;
    return `M${x - across} ${y}${arc} ${x + across} ${y}${arc} ${x - across} ${y}Z`;
  },
  distanceTo(at, points) {
    const { x, y, across, down } = ellipseOf(points);
    const [dx, dy] = [at.x - x, at.y - y];
    const way = Math.hypot(dx / across, dy / down);
    // Along the line to the center, which near the outline is close to the shortest distance.
    return way === 0 || !Number.isFinite(way) ? Math.min(across, down) : Math.hypot(dx, dy) * Math.abs(1 - 1 / way);
  },
  handlesOf: cornersOf,
  dragHandle: dragCorner,
});

/** Views turn by quarters only, so the axes stay horizontal and vertical. */
function ellipseOf([a = { x: 0, y: 0 }, b = a]: readonly Point[]) {
  return {
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    across: Math.abs(b.x - a.x) / 2,
    down: Math.abs(b.y - a.y) / 2,
  };
}

const box = drawnBy('box', {
  tool: { title: 'Box', key: 'Shift+E', name: 'Box', icon: RectangleHorizontal, goes: 12 },
  making: { by: 'drag' },
  regionOf: ([from = { x: 0, y: 0 }, to = from]) => ({ shape: 'rectangle', from, to }),
  outline: (points) => `${lineThrough(cornersOf(points))}Z`,
  distanceTo(at, points) {
    const corners = cornersOf(points);
    return distanceToLines(at, [...corners, ...corners.slice(0, 1)]);
  },
  handlesOf: cornersOf,
  dragHandle: dragCorner,
});

/** Half the size of the cross of a point, in CSS pixels. */
const ARM = 6;

/** The value of one pixel. */
const pixel = drawnBy('point', {
  tool: { title: 'Pixel value', key: 'Q', name: 'Value', icon: Pipette, goes: 13 },
  making: { by: 'click' },
  regionOf([at = { x: 0, y: 0 }]) {
    const from = { x: Math.floor(at.x), y: Math.floor(at.y) };
    return { shape: 'rectangle', from, to: { x: from.x + 1, y: from.y + 1 } };
  },
  outline: ([at = { x: 0, y: 0 }]) => crossAt(at, ARM),
  distanceTo: (at, [point = { x: 0, y: 0 }]) => Math.hypot(at.x - point.x, at.y - point.y),
  handlesOf: (points) => points,
  dragHandle: replacePoint,
});

export const MEASURE_KINDS: Readonly<Record<MeasureTool, MeasureKind>> = {
  length,
  angle,
  ellipse,
  box,
  point: pixel,
  ...DRAWN_KINDS,
};

/** The tools of all kinds, in the order of the toolbar. */
export function listDrawingTools(): readonly (DrawingTool & { readonly kind: MeasureTool })[] {
  return MARK_KINDS.filter(isDrawnKind)
    .map((kind) => ({ kind, ...MEASURE_KINDS[kind].tool }))
    .toSorted((a, b) => a.goes - b.goes);
}
