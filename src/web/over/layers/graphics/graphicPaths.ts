import type { GraphicArea, GraphicItem, GraphicUnits } from '../../../../shared/contract/graphics.ts';

/** A point of the picture in its pixels, from its upper left corner. */
export type PicturePoint = readonly [x: number, y: number];

/** What `display` units are parts of. */
export type DisplayedArea = {
  readonly rows: number;
  readonly columns: number;
  readonly area?: GraphicArea;
};

/** In packets, (0, 0) is the centre of the first pixel; in pictures, its corner. */
const CORNER = 0.5;

export function toPicturePoint(x: number, y: number, units: GraphicUnits, displayed: DisplayedArea): PicturePoint {
  if (units !== 'display') return [x + CORNER, y + CORNER];
  const { rows, columns, area } = displayed;
  const { corners, rotation, isFlipped } = area ?? {
    corners: [-CORNER, -CORNER, columns - CORNER, rows - CORNER],
    rotation: 0,
    isFlipped: false,
  };
  const [left, top, right, bottom] = corners;
  const [across, down] = turnBack(isFlipped ? 1 - x : x, y, rotation);
  return [left + across * (right - left) + CORNER, top + down * (bottom - top) + CORNER];
}

/** Where a part of the turned area is in the area as it is stored. */
function turnBack(x: number, y: number, rotation: GraphicArea['rotation']): readonly [number, number] {
  switch (rotation) {
    case 0:
      return [x, y];
    case 90:
      return [y, 1 - x];
    case 180:
      return [1 - x, 1 - y];
    case 270:
      return [1 - y, x];
  }
}

/** All points of an item, in pixels of the picture. */
export function pointsOfItem({ points, units }: GraphicItem, displayed: DisplayedArea): PicturePoint[] {
  const found: PicturePoint[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) {
    found.push(toPicturePoint(points[at]!, points[at + 1]!, units, displayed));
  }
  return found;
}

/** The line of a shape as the `d` of an SVG path. Undefined for marks and texts, and if there are too few points. */
export function pathOfItem(item: GraphicItem, displayed: DisplayedArea): string | undefined {
  const points = pointsOfItem(item, displayed);
  switch (item.shape) {
    case 'point':
    case 'text':
      return undefined;
    case 'polyline':
      return points.length < 2 ? undefined : toLine(points);
    case 'polygon':
      return points.length < 2 ? undefined : `${toLine(points)}Z`;
    case 'interpolated':
      return points.length < 2 ? undefined : toCurve(points);
    case 'circle': {
      const [centre, rim] = points;
      if (centre === undefined || rim === undefined) return undefined;
      const radius = Math.hypot(rim[0] - centre[0], rim[1] - centre[1]);
      return toEllipse(centre, [radius, 0], [0, radius]);
    }
    case 'ellipse': {
      const [a, b, c, d] = points;
      if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
      const centre: PicturePoint = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      return toEllipse(centre, [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2], [(d[0] - c[0]) / 2, (d[1] - c[1]) / 2]);
    }
  }
}

/** Whether a shape has an inside. */
export function isClosedShape({ shape, points }: GraphicItem): boolean {
  if (shape === 'polygon' || shape === 'circle' || shape === 'ellipse') return true;
  if (shape !== 'polyline' && shape !== 'interpolated') return false;
  return points.length > 4 && points[0] === points.at(-2) && points[1] === points.at(-1);
}

function toLine(points: readonly PicturePoint[]): string {
  return points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');
}

/** The length of the handles of a quarter of a circle drawn as a Bézier curve, for a radius of 1. */
const KAPPA = 0.5522847498;

/** An ellipse by two conjugate radii. */
function toEllipse([x, y]: PicturePoint, [px, py]: PicturePoint, [qx, qy]: PicturePoint): string {
  const at = (p: number, q: number) => `${round(x + p * px + q * qx)} ${round(y + p * py + q * qy)}`;
  return [
    `M${at(1, 0)}`,
    `C${at(1, KAPPA)} ${at(KAPPA, 1)} ${at(0, 1)}`,
    `C${at(-KAPPA, 1)} ${at(-1, KAPPA)} ${at(-1, 0)}`,
    `C${at(-1, -KAPPA)} ${at(-KAPPA, -1)} ${at(0, -1)}`,
    `C${at(KAPPA, -1)} ${at(1, -KAPPA)} ${at(1, 0)}`,
    'Z',
  ].join('');
}

/** A smooth curve through all points (Catmull-Rom). */
function toCurve(points: readonly PicturePoint[]): string {
  const [first, last] = [points[0]!, points.at(-1)!];
  const isClosed = points.length > 2 && first[0] === last[0] && first[1] === last[1];
  const ring = isClosed ? points.slice(0, -1) : points;
  const pointAt = (at: number): PicturePoint =>
    isClosed ? ring[(at + ring.length) % ring.length]! : points[Math.min(points.length - 1, Math.max(0, at))]!;
  const pieces = [`M${round(first[0])} ${round(first[1])}`];
  for (let at = 0; at + 1 < points.length; at += 1) {
    const [before, from, to, after] = [pointAt(at - 1), pointAt(at), pointAt(at + 1), pointAt(at + 2)];
    const handle1 = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6];
    const handle2 = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6];
    pieces.push(`C${[...handle1, ...handle2, ...to].map(round).join(' ')}`);
  }
  return pieces.join('') + (isClosed ? 'Z' : '');
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
