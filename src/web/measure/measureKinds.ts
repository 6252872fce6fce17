import type { MeasureTool } from '../state/tools.ts';
import type { Point } from '../state/viewState.ts';
import { cornersOf, crossAt, distanceToLines, dragCorner, lineThrough, replacePoint } from './outline.ts';
import type { Region } from './region.ts';
import { angleBetween, areaBetween, lengthBetween, type Scale } from './scale.ts';

export type Quantity = {
  readonly name: 'length' | 'angle' | 'area';
  readonly value: number;
  readonly unit: string;
};

/** A kind of measurement. Points are in image pixels unless described as screen points. */
export type MeasureKind = {
  readonly title: string;
  /** Number of points that the user sets; the first two with one drag. */
  readonly pointCount: 1 | 2 | 3;
  /** The quantity that follows from the points alone. */
  readonly quantityOf?: (points: readonly Point[], scale: Scale) => Quantity;
  /** The region whose values are measured. */
  readonly regionOf?: (points: readonly Point[]) => Region;
  /** The outline as an SVG path; points and path are in screen coordinates. */
  readonly outline: (points: readonly Point[]) => string;
  /** Distance from a screen point to the outline, which is also in screen coordinates. */
  readonly distanceTo: (at: Point, points: readonly Point[]) => number;
  readonly handlesOf: (points: readonly Point[]) => readonly Point[];
  readonly dragHandle: (points: readonly Point[], handle: number, to: Point) => readonly Point[];
};

/** Half the size of the cross at each end of a length, in CSS pixels. */
const TICK = 4;

const length: MeasureKind = {
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

/** The second point is the vertex. */
const angle: MeasureKind = {
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

/** The ellipse inscribed in the rectangle between its two points. */
const ellipse: MeasureKind = {
  title: 'Ellipse',
  pointCount: 2,
  quantityOf: ([a, b], { spacing, unit }) => ({
    name: 'area',
    value: a === undefined || b === undefined ? 0 : (Math.PI / 4) * areaBetween(a, b, spacing),
    unit: `${unit}²`,
  }),
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
};

/** Views turn by quarters only, so the axes stay horizontal and vertical. */
function ellipseOf([a = { x: 0, y: 0 }, b = a]: readonly Point[]) {
  return {
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    across: Math.abs(b.x - a.x) / 2,
    down: Math.abs(b.y - a.y) / 2,
  };
}

const rectangle: MeasureKind = {
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

/** Half the size of the cross of a probe, in CSS pixels. */
const ARM = 6;

/** The value of one pixel. */
const probe: MeasureKind = {
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

export const MEASURE_KINDS: Readonly<Record<MeasureTool, MeasureKind>> = { length, angle, ellipse, rectangle, probe };
