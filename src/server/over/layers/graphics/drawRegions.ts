import type { GraphicItem, GraphicSource } from '../../../../shared/contract/graphics.ts';
import {
  dot,
  type ImagePlane,
  inPlaneAxes,
  normalOf,
  pixelToPatient,
  type Vector3,
} from '../../../../shared/geometry.ts';
import type { PixelMap } from '../slidePlaces.ts';
import type { RegionShape } from './regionRecord.ts';

/** A shape over one picture. */
export type DrawnShape = Pick<GraphicItem, 'shape' | 'points' | 'how' | 'distanceMm' | 'style'>;

/** Size of a picture, which endless lines are cut to. */
export type SizeUnder = { readonly rows: number; readonly columns: number };

/** A picture in space, and how far from it regions still belong to it. */
export type PlaneUnder = SizeUnder & {
  readonly plane: ImagePlane;
  readonly belowMm: number;
  readonly aboveMm: number;
};

/** What is closer is in the plane. */
const IN_PLANE_MM = 0.01;
/** Corners of an ellipse that a plane crosses. */
const ELLIPSE_CORNERS = 144;

/** Where the pixels of an image are in a picture, and the height of one over its width. */
export type ImageUnder = { readonly map: PixelMap; readonly aspectRatio: number };

/** A shape that is drawn on an image: points x, y, z with z = 0, in its pixels. */
export function drawInImage(
  shape: RegionShape,
  points: Float64Array,
  { map, aspectRatio }: ImageUnder,
  size: SizeUnder,
): DrawnShape[] {
  const { scaleX, scaleY, shiftX, shiftY } = map;
  const isStretched = shape === 'circle' && (aspectRatio !== 1 || scaleX !== scaleY);
  const drawn = isStretched ? axesOfCircle(points, aspectRatio) : points;
  const pixels: number[] = [];
  for (let at = 0; at < drawn.length; at += 3) {
    pixels.push(drawn[at]! * scaleX + shiftX, drawn[at + 1]! * scaleY + shiftY);
  }
  return toItems(isStretched ? 'ellipse' : shape, pixels, size, { how: 'stored', distanceMm: 0 });
}

/** A shape of an image where it is in space. */
export function liftShape(
  shape: RegionShape,
  points: Float64Array,
  plane: ImagePlane,
): { readonly shape: RegionShape; readonly points: Float64Array } {
  const aspectRatio = plane.rowSpacingMm / plane.columnSpacingMm;
  const flat = shape === 'circle' ? axesOfCircle(points, aspectRatio) : points;
  const lifted = new Float64Array(flat.length);
  for (let at = 0; at < flat.length; at += 3) {
    lifted.set(pixelToPatient(plane, { column: flat[at]!, row: flat[at + 1]! }), at);
  }
  return { shape: shape === 'circle' ? 'ellipse' : shape, points: lifted };
}

/**
 * The ends of two diameters of a circle, given by its centre and a point on it. PS3.3 C.18.6.1.2 gives these as positions
 * in the image and calls the shape a circle; it has ELLIPSE for others. So all of its points are equally far from the
 * centre in the image as it is seen, with pixels of their size, and a radius in millimetres is that of the region.
 */
function axesOfCircle(points: Float64Array, aspectRatio: number): Float64Array {
  const [x, y] = [points[0]!, points[1]!];
  const across = Math.hypot(points[3]! - x, (points[4]! - y) * aspectRatio);
  const down = across / aspectRatio;
  return Float64Array.of(x - across, y, 0, x + across, y, 0, x, y - down, 0, x, y + down, 0);
}

/** A shape in space, in millimetres, as far as it belongs to a plane. */
export function drawInPlane(shape: RegionShape, points: Float64Array, under: PlaneUnder): DrawnShape[] {
  const { plane, belowMm, aboveMm } = under;
  const project = createProjection(plane);
  const [distances, pixels] = project(points);
  const isNear = (mm: number) => mm >= -belowMm - IN_PLANE_MM && mm <= aboveMm + IN_PLANE_MM;
  if (shape === 'point') return drawPoints(distances, pixels, isNear);
  if (shape === 'ellipsoid') return cutEllipsoid(points, under);
  if (shape === 'plane') return crossPlane(points, under);
  if (distances.every(isNear)) {
    const distanceMm = farthest(distances);
    return toItems(shape, pixels, under, { how: howOf(distanceMm), distanceMm });
  }
  if (shape === 'line') return crossLine(distances, pixels);
  const outline = shape === 'ellipse' ? toCorners(points) : points;
  const [away, flat] = shape === 'ellipse' ? project(outline) : [distances, pixels];
  const isClosed = shape === 'polygon' || shape === 'ellipse';
  const lines = isClosed ? listChords(away, flat) : clipOpen(away, flat, belowMm, aboveMm);
  return lines.map((line) => ({ shape: 'polyline', points: line, how: 'cut', distanceMm: 0, style: {} }));
}

type Place = { readonly how: GraphicSource; readonly distanceMm: number };

function toItems(shape: RegionShape, pixels: readonly number[], size: SizeUnder, place: Place): DrawnShape[] {
  switch (shape) {
    case 'point':
    case 'polyline':
    case 'polygon':
    case 'circle':
    case 'ellipse':
      return [{ shape, points: pixels, style: {}, ...place }];
    case 'line': {
      const line = extendLine(pixels, size);
      const marks: DrawnShape = { shape: 'point', points: pixels, style: { mark: 'circle' }, ...place };
      return line === undefined ? [marks] : [{ shape: 'polyline', points: line, style: DASHED, ...place }, marks];
    }
    case 'plane':
      return [
        { shape: 'polygon', points: pixels, style: DASHED, ...place },
        { shape: 'point', points: pixels, style: {}, ...place },
      ];
    case 'ellipsoid':
      return [];
  }
}

const DASHED = { isDashed: true } as const;

function drawPoints(distances: Float64Array, pixels: readonly number[], isNear: (mm: number) => boolean): DrawnShape[] {
  const byHow = new Map<GraphicSource, { points: number[]; distanceMm: number }>();
  for (const [at, mm] of distances.entries()) {
    if (!isNear(mm)) continue;
    const how = howOf(mm);
    const known = byHow.get(how) ?? { points: [], distanceMm: 0 };
    byHow.set(how, known);
    known.points.push(pixels[2 * at]!, pixels[2 * at + 1]!);
    if (Math.abs(mm) > Math.abs(known.distanceMm)) known.distanceMm = mm;
  }
  return [...byHow].map(([how, { points, distanceMm }]) => ({ shape: 'point', points, how, distanceMm, style: {} }));
}

function howOf(mm: number): GraphicSource {
  return Math.abs(mm) <= IN_PLANE_MM ? 'stored' : 'nearest';
}

function farthest(distances: Float64Array): number {
  let most = 0;
  for (const mm of distances) if (Math.abs(mm) > Math.abs(most)) most = mm;
  return most;
}

/** Distances from the plane, and x and y of each point in its pixels. */
function createProjection(plane: ImagePlane): (points: Float64Array) => readonly [Float64Array, number[]] {
  const { alongRow, downColumn } = inPlaneAxes(plane);
  const normal = normalOf(plane);
  const [x0, y0, z0] = plane.position;
  return (points) => {
    const distances = new Float64Array(points.length / 3);
    const pixels: number[] = [];
    for (let at = 0; at < points.length; at += 3) {
      const offset: Vector3 = [points[at]! - x0, points[at + 1]! - y0, points[at + 2]! - z0];
      distances[at / 3] = dot(offset, normal);
      pixels.push(dot(offset, alongRow) / plane.columnSpacingMm, dot(offset, downColumn) / plane.rowSpacingMm);
    }
    return [distances, pixels];
  };
}

/** The part of an endless line within a picture; undefined if it passes beside it. */
function extendLine([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[], { rows, columns }: SizeUnder) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  if (dx === 0 && dy === 0) return undefined;
  let [from, to] = [-Infinity, Infinity];
  for (const [start, step, size] of [
    [x1, dx, columns],
    [y1, dy, rows],
  ] as const) {
    if (step === 0) {
      if (start < -0.5 || start > size - 0.5) return undefined;
      continue;
    }
    const [a, b] = [(-0.5 - start) / step, (size - 0.5 - start) / step];
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  if (from >= to) return undefined;
  return [x1 + from * dx, y1 + from * dy, x1 + to * dx, y1 + to * dy];
}

/** Where an endless line goes through a plane. */
function crossLine(distances: Float64Array, pixels: readonly number[]): DrawnShape[] {
  const [d1 = 0, d2 = 0] = distances;
  if (Math.abs(d1 - d2) < 1e-9) return [];
  const t = d1 / (d1 - d2);
  const at = [0, 1].map((axis) => pixels[axis]! + t * (pixels[2 + axis]! - pixels[axis]!));
  return [{ shape: 'point', points: at, how: 'cut', distanceMm: 0, style: { mark: 'circle' } }];
}

/** The line in which an endless plane, given by three points, crosses the picture. */
function crossPlane(points: Float64Array, under: PlaneUnder): DrawnShape[] {
  const { plane } = under;
  const [a, b, c] = [vectorAt(points, 0), vectorAt(points, 3), vectorAt(points, 6)];
  const u: Vector3 = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const v: Vector3 = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const own: Vector3 = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const away: Vector3 = [plane.position[0] - a[0], plane.position[1] - a[1], plane.position[2] - a[2]];
  // own · (position + x * row + y * column - a) = 0, in pixels.
  const p = dot(own, plane.rowDirection) * plane.columnSpacingMm;
  const q = dot(own, plane.columnDirection) * plane.rowSpacingMm;
  const r = dot(own, away);
  const size = p * p + q * q;
  if (size < 1e-18 * dot(own, own) || size === 0) return [];
  const [x, y] = [(-p * r) / size, (-q * r) / size];
  const line = extendLine([x, y, x - q / Math.sqrt(size), y + p / Math.sqrt(size)], under);
  return line === undefined ? [] : [{ shape: 'polyline', points: line, how: 'cut', distanceMm: 0, style: DASHED }];
}

/** Corners of an ellipse in space, given by the ends of its axes. */
function toCorners(points: Float64Array): Float64Array {
  const [a, b, c, d] = [vectorAt(points, 0), vectorAt(points, 3), vectorAt(points, 6), vectorAt(points, 9)];
  const corners = new Float64Array(3 * ELLIPSE_CORNERS);
  for (let corner = 0; corner < ELLIPSE_CORNERS; corner += 1) {
    const angle = (2 * Math.PI * corner) / ELLIPSE_CORNERS;
    for (const axis of [0, 1, 2] as const) {
      corners[3 * corner + axis] =
        (a[axis] + b[axis]) / 2 +
        (Math.cos(angle) * (b[axis] - a[axis])) / 2 +
        (Math.sin(angle) * (d[axis] - c[axis])) / 2;
    }
  }
  return corners;
}

/** The lines in which a plane crosses the area within a closed line: pairs of crossings by the even-odd rule. */
function listChords(distances: Float64Array, pixels: readonly number[]): number[][] {
  const count = distances.length;
  const crossings: (readonly [number, number])[] = [];
  for (let at = 0; at < count; at += 1) {
    const next = (at + 1) % count;
    const [d1, d2] = [distances[at]!, distances[next]!];
    if (d1 < 0 === d2 < 0) continue;
    const t = d1 / (d1 - d2);
    crossings.push([
      pixels[2 * at]! + t * (pixels[2 * next]! - pixels[2 * at]!),
      pixels[2 * at + 1]! + t * (pixels[2 * next + 1]! - pixels[2 * at + 1]!),
    ]);
  }
  const [first, last] = [crossings[0], crossings.at(-1)];
  if (first === undefined || last === undefined) return [];
  // All crossings of a planar shape are on one line, whose direction any two of them give.
  const far = crossings.reduce((best, one) => (distance(one, first) > distance(best, first) ? one : best), last);
  const isLevel = Math.abs(far[0] - first[0]) >= Math.abs(far[1] - first[1]);
  const along = ([x, y]: readonly [number, number]) => (isLevel ? x : y);
  const sorted = crossings.toSorted((a, b) => along(a) - along(b));
  const chords: number[][] = [];
  for (let at = 0; at + 1 < sorted.length; at += 2) chords.push([...sorted[at]!, ...sorted[at + 1]!]);
  return chords;
}

function distance(a: readonly [number, number], b: readonly [number, number]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** The pieces of an open line that belong to the plane. */
function clipOpen(distances: Float64Array, pixels: readonly number[], belowMm: number, aboveMm: number): number[][] {
  const pieces: number[][] = [];
  let piece: number[] = [];
  const end = () => {
    if (piece.length >= 4) pieces.push(piece);
    piece = [];
  };
  for (let at = 0; at + 1 < distances.length; at += 1) {
    const [t1, t2] = clip(distances[at]!, distances[at + 1]!, -belowMm, aboveMm);
    if (t1 > t2) {
      end();
      continue;
    }
    const pointAt = (t: number) =>
      [0, 1].map((axis) => pixels[2 * at + axis]! + t * (pixels[2 * at + 2 + axis]! - pixels[2 * at + axis]!));
    if (piece.length === 0) piece.push(...pointAt(t1));
    piece.push(...pointAt(t2));
    if (t2 < 1) end();
  }
  end();
  return pieces;
}

/** The part of a segment, from 0 to 1, whose distances are in a range; the first number is larger for none. */
function clip(d1: number, d2: number, low: number, high: number): readonly [number, number] {
  if (d1 === d2) return d1 >= low && d1 <= high ? [0, 1] : [1, 0];
  const [a, b] = [(low - d1) / (d2 - d1), (high - d1) / (d2 - d1)];
  return [Math.max(0, Math.min(a, b)), Math.min(1, Math.max(a, b))];
}

/**
 * The ellipse in which a plane cuts an ellipsoid, by two conjugate diameters. In coordinates in which the ellipsoid is a
 * sphere of radius 1, the plane cuts a circle.
 */
function cutEllipsoid(points: Float64Array, { plane }: PlaneUnder): DrawnShape[] {
  const ends = [0, 3, 6, 9, 12, 15].map((at) => vectorAt(points, at));
  const axis = (from: number): Vector3 => {
    const [a, b] = [ends[from]!, ends[from + 1]!];
    return [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2, (b[2] - a[2]) / 2];
  };
  const axes = [axis(0), axis(2), axis(4)] as const;
  const mean = (one: 0 | 1 | 2) => ends.reduce((sum, end) => sum + end[one], 0) / 6;
  const centre: Vector3 = [mean(0), mean(1), mean(2)];
  const normal = normalOf(plane);
  const level = dot(normal, [
    plane.position[0] - centre[0],
    plane.position[1] - centre[1],
    plane.position[2] - centre[2],
  ]);
  const m: Vector3 = [dot(axes[0], normal), dot(axes[1], normal), dot(axes[2], normal)];
  const size = Math.hypot(...m);
  const h = level / size;
  if (!(Math.abs(h) < 1)) return [];
  const unit: Vector3 = [m[0] / size, m[1] / size, m[2] / size];
  const [e1, e2] = perpendicular(unit);
  const radius = Math.sqrt(1 - h * h);
  const toSpace = (u: Vector3): Vector3 => {
    const at = (one: 0 | 1 | 2) => centre[one] + axes[0][one] * u[0] + axes[1][one] * u[1] + axes[2][one] * u[2];
    return [at(0), at(1), at(2)];
  };
  const endOf = (e: Vector3, sign: 1 | -1): Vector3 =>
    toSpace([
      h * unit[0] + sign * radius * e[0],
      h * unit[1] + sign * radius * e[1],
      h * unit[2] + sign * radius * e[2],
    ]);
  const corners = [endOf(e1, -1), endOf(e1, 1), endOf(e2, -1), endOf(e2, 1)];
  const [, pixels] = createProjection(plane)(Float64Array.from(corners.flat()));
  return [{ shape: 'ellipse', points: pixels, how: 'cut', distanceMm: 0, style: {} }];
}

/** Two unit vectors at right angles to one and to each other. */
function perpendicular(unit: Vector3): readonly [Vector3, Vector3] {
  const helper: Vector3 = Math.abs(unit[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const raw: Vector3 = [
    unit[1] * helper[2] - unit[2] * helper[1],
    unit[2] * helper[0] - unit[0] * helper[2],
    unit[0] * helper[1] - unit[1] * helper[0],
  ];
  const length = Math.hypot(...raw);
  const e1: Vector3 = [raw[0] / length, raw[1] / length, raw[2] / length];
  return [
    e1,
    [unit[1] * e1[2] - unit[2] * e1[1], unit[2] * e1[0] - unit[0] * e1[2], unit[0] * e1[1] - unit[1] * e1[0]],
  ];
}

function vectorAt(points: Float64Array, at: number): Vector3 {
  return [points[at]!, points[at + 1]!, points[at + 2]!];
}
