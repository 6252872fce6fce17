import { addTo } from '../../../../shared/addTo.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { ContourItem, ContourSource } from '../../../../shared/contourPacket.ts';
import {
  cross,
  dot,
  type ImagePlane,
  inPlaneAxes,
  normalOf,
  subtract,
  type Vector3,
} from '../../../../shared/geometry.ts';
import { axisOf, cutSlabs, hasSlab } from './cutSlabs.ts';
import { centreOf, contourNormal, pointsOf, reachAlong, tiltMm } from './measureContours.ts';
import { type ContourColumns, isClosed, isPoint, SHAPE_NUMBERS } from './structureSetRecord.ts';

/** A contour that lies in a plane, or near it, or is cut by it. */
export type PlacedContour = { readonly contour: number; readonly how: ContourSource; readonly distanceMm: number };

/** A contour on a slice is stored on it; writers and readers round. */
const LEAST_TOLERANCE_MM = 0.01;
const TOLERANCE_OF_SPACING = 0.01;
/** Points of a contour deviate this much from its plane without a warning. */
const PLANAR_MM = 0.1;
/** Cosine between the normals of a contour and of a picture in which it can be shown as a whole. */
const NEARLY_PARALLEL = 0.9;
const TIE_MM = 1e-3;
/** Items of one packet: beyond this, the header alone would be larger than all images. */
export const MOST_ITEMS = 200_000;

/**
 * The contours over a plane. A contour in it is shown as stored. If a ROI has none there, those of its nearest plane
 * are shown, if that is within half its spacing. Contours in other directions, however slightly tilted, are cut. Those
 * along the plane within `flatMm` are taken to lie in it.
 */
export function findContoursOver(
  contours: ContourColumns,
  plane: ImagePlane,
  isWanted: (roi: number) => boolean,
  flatMm = 0,
): PlacedContour[] {
  return judgeContours(contours, plane, listWanted(contours, isWanted), flatMm);
}

/** The same for many planes: contours are sorted along the normal of the planes once, and most are not looked at. */
export function createContourFinder(
  contours: ContourColumns,
  isWanted: (roi: number) => boolean,
  flatMm = 0,
): (plane: ImagePlane) => PlacedContour[] {
  const wanted = listWanted(contours, isWanted);
  let last: { readonly key: string; ranges: SortedRanges | undefined } | undefined;
  return (plane) => {
    const normal = normalOf(plane);
    const key = normal.join();
    if (last?.key !== key) {
      // Planes of one series have one normal. Where each plane has another one, sorting would take longer than looking.
      last = { key, ranges: undefined };
      return judgeContours(contours, plane, wanted, flatMm);
    }
    last.ranges ??= sortRanges(contours, wanted, normal, flatMm);
    return judgeContours(contours, plane, listWithin(last.ranges, dot(normal, plane.position)), flatMm);
  };
}

function listWanted({ length, roiOf }: ContourColumns, isWanted: (roi: number) => boolean): number[] {
  const wanted: number[] = [];
  for (let contour = 0; contour < length; contour += 1) if (isWanted(roiOf[contour]!)) wanted.push(contour);
  return wanted;
}

/** Contours by the lowest position along a normal at which they may be shown. */
type SortedRanges = {
  readonly contours: Uint32Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** Length of the longest range. */
  readonly longest: number;
};

function sortRanges(
  contours: ContourColumns,
  wanted: readonly number[],
  normal: Vector3,
  flatMm: number,
): SortedRanges {
  const ranges = wanted.map((contour) => {
    const at = dot(normal, centreOf(contours.shapes, contour));
    const reach = reachOf(contours, contour, normal) + flatMm;
    return { contour, low: at - reach, high: at + reach };
  });
  ranges.sort((a, b) => a.low - b.low);
  return {
    contours: Uint32Array.from(ranges, ({ contour }) => contour),
    lows: Float64Array.from(ranges, ({ low }) => low),
    highs: Float64Array.from(ranges, ({ high }) => high),
    longest: ranges.reduce((most, { low, high }) => Math.max(most, high - low), 0),
  };
}

/** The contours whose range contains a position, in the order of the object. */
function listWithin({ contours, lows, highs, longest }: SortedRanges, position: number): number[] {
  let [first, end] = [0, lows.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (lows[middle]! < position - longest) first = middle + 1;
    else end = middle;
  }
  const within: number[] = [];
  for (let at = first; at < lows.length && lows[at]! <= position; at += 1) {
    if (highs[at]! >= position) within.push(contours[at]!);
  }
  return within.toSorted((a, b) => a - b);
}

/** How far from its centre along the normal of a plane a contour may be shown. */
function reachOf(contours: ContourColumns, contour: number, normal: Vector3): number {
  const half = contours.reaches[contour]!;
  return reachAlong(contours.shapes, contour, normal) + Math.max(half, toleranceOf(half)) + TIE_MM;
}

/** How far from a plane a contour lies that belongs to it, by half the distance of contours. */
function toleranceOf(halfMm: number): number {
  return Math.max(LEAST_TOLERANCE_MM, 2 * halfMm * TOLERANCE_OF_SPACING);
}

function judgeContours(
  contours: ContourColumns,
  plane: ImagePlane,
  near: readonly number[],
  flatMm: number,
): PlacedContour[] {
  const normal = normalOf(plane);
  const [nx, ny, nz] = normal;
  const origin = dot(normal, plane.position);
  const { shapes, reaches } = contours;
  const found: PlacedContour[] = [];
  const nearest = new Map<number, PlacedContour[]>();
  const hasStored = new Set<number>();
  for (const contour of near) {
    // In numbers only: nearly all contours of an object are left out here, for each image.
    const at = SHAPE_NUMBERS * contour;
    const away = nx * shapes[at]! + ny * shapes[at + 1]! + nz * shapes[at + 2]! - origin;
    const half = reaches[contour]!;
    const tolerance = toleranceOf(half);
    const alongMm = reachAlong(shapes, contour, normal);
    const reachMm = alongMm + Math.max(half, tolerance) + TIE_MM;
    if (Math.abs(away) > reachMm + flatMm) continue;
    const roi = contours.roiOf[contour]!;
    // Within its shape no point is farther away, so the points need not be looked at if that is little.
    const across = alongMm <= PLANAR_MM ? alongMm : reachAcross(pointsOf(contours, contour), normal, origin + away);
    const own = contourNormal(shapes, contour);
    const isAlong = Number.isNaN(own[0]) || Math.abs(dot(own, normal)) > NEARLY_PARALLEL;
    // A contour with a slab is not shown as a whole if the plane leaves the slab, so it is cut where the plane is tilted.
    const isTilted = hasSlab(contours, contour) && tiltMm(shapes, contour, normal) > Math.max(PLANAR_MM, tolerance);
    if (isAlong && across <= Math.max(PLANAR_MM, tolerance) && Math.abs(away) <= Math.max(tolerance, flatMm)) {
      found.push({ contour, how: 'stored', distanceMm: away });
      hasStored.add(roi);
    } else if (isAlong && !isTilted && across <= Math.max(PLANAR_MM, half)) {
      if (Math.abs(away) > half + TIE_MM) continue;
      const placed = { contour, how: 'nearest', distanceMm: away } as const;
      addTo(nearest, roi, placed);
    } else if (!isPoint(contours.types[contour]!) && Math.abs(away) <= reachMm)
      found.push({ contour, how: 'cut', distanceMm: 0 });
  }
  for (const [roi, placed] of nearest) if (!hasStored.has(roi)) found.push(...keepNearest(placed));
  return found;
}

/** Of two planes at the same distance, the one below. */
function keepNearest(placed: readonly PlacedContour[]): PlacedContour[] {
  const least = placed.reduce((sum, { distanceMm }) => Math.min(sum, Math.abs(distanceMm)), Infinity);
  const near = placed.filter(({ distanceMm }) => Math.abs(distanceMm) <= least + TIE_MM);
  const below = near.filter(({ distanceMm }) => distanceMm < 0);
  return below.length > 0 ? below : near;
}

/** The greatest distance of points from a plane parallel to the picture. */
function reachAcross(points: Float32Array, normal: Vector3, level: number): number {
  let most = 0;
  for (let at = 0; at < points.length; at += 3) {
    const distance = points[at]! * normal[0] + points[at + 1]! * normal[1] + points[at + 2]! * normal[2] - level;
    most = Math.max(most, Math.abs(distance));
  }
  return most;
}

/** The lines of placed contours in pixels of the plane. `partOf` is the number of a ROI. */
export function drawContours(
  contours: ContourColumns,
  plane: ImagePlane,
  placed: readonly PlacedContour[],
  partOf: (roi: number) => number,
): ContourItem[] {
  const project = createProjection(plane);
  const items: ContourItem[] = [];
  const add = (item: ContourItem) => {
    items.push(item);
    requireFew(items.length);
  };
  const inSlabs = new Map<string, number[]>();
  for (const { contour, how, distanceMm } of placed) {
    const [part, type] = [partOf(contours.roiOf[contour]!), contours.types[contour]!];
    const points = pointsOf(contours, contour);
    if (how === 'cut') {
      if (hasSlab(contours, contour)) {
        // Those inside others are holes only by custom: apart from the others, they can be filled as well.
        const key = [part, contours.depths[contour]!, ...axisOf(contours, contour)].join();
        addTo(inSlabs, key, contour);
        continue;
      }
      const lines = isClosed(type) ? listChords(contours, plane, contour) : clipOpen(contours, plane, contour);
      for (const line of lines) {
        add({ part, isClosed: false, how, distanceMm: 0, points: project(Float32Array.from(line.flat())) });
      }
    } else if (!isPoint(type)) {
      add({ part, isClosed: isClosed(type), how, distanceMm, points: project(points) });
    } else {
      for (let at = 0; at < points.length; at += 3) {
        add({ part, isClosed: false, how, distanceMm, points: project(points.subarray(at, at + 3)) });
      }
    }
  }
  for (const members of inSlabs.values()) {
    const part = partOf(contours.roiOf[members[0]!]!);
    for (const ring of cutSlabs(contours, plane, members)) {
      add({ part, isClosed: true, how: 'cut', distanceMm: 0, points: project(Float32Array.from(ring.flat())) });
    }
  }
  return items;
}

/** Checked while items are made, because one contour may become millions of them. */
export function requireFew(items: number): void {
  if (items > MOST_ITEMS) {
    throw new ViewerError('layer_too_large', `more than ${MOST_ITEMS} contours lie over this image`);
  }
}

type Line = readonly Vector3[];

/** The chords of a closed contour without a slab, in which a plane crosses it. Pairs of crossings by the even-odd rule. */
function listChords({ points, starts, shapes }: ContourColumns, plane: ImagePlane, contour: number): Line[] {
  const normal = normalOf(plane);
  const crossings = listCrossings(pointsOf({ points, starts }, contour), plane, normal);
  const along = cross(contourNormal(shapes, contour), normal);
  const sorted = crossings.toSorted((a, b) => dot(a, along) - dot(b, along));
  const chords: Line[] = [];
  for (let i = 0; i + 1 < sorted.length; i += 2) chords.push([sorted[i]!, sorted[i + 1]!]);
  return chords;
}

function listCrossings(points: Float32Array, plane: ImagePlane, normal: Vector3): Vector3[] {
  const crossings: Vector3[] = [];
  const [nx, ny, nz] = normal;
  const level = dot(normal, plane.position);
  const distanceAt = (at: number) => points[at]! * nx + points[at + 1]! * ny + points[at + 2]! * nz - level;
  let before = points.length - 3;
  let d1 = distanceAt(before);
  for (let at = 0; at < points.length; at += 3) {
    const d2 = distanceAt(at);
    if (d1 < 0 !== d2 < 0) {
      crossings.push(between(vectorAt(points, before), vectorAt(points, at), d1 / (d1 - d2)));
      requireFew(crossings.length / 2);
    }
    before = at;
    d1 = d2;
  }
  return crossings;
}

/** The pieces of an open line within the slab of its ROI around the plane. */
function clipOpen({ points, starts, reaches }: ContourColumns, plane: ImagePlane, contour: number): Line[] {
  const own = pointsOf({ points, starts }, contour);
  const normal = normalOf(plane);
  const half = Math.max(reaches[contour]!, LEAST_TOLERANCE_MM);
  const lines: Line[] = [];
  let piece: Vector3[] = [];
  const end = () => {
    if (piece.length > 0) lines.push(piece);
    requireFew(lines.length);
    piece = [];
  };
  for (let at = 0; at + 3 < own.length; at += 3) {
    const [from, to] = [vectorAt(own, at), vectorAt(own, at + 3)];
    const [t1, t2] = clip(dot(normal, subtract(from, plane.position)), dot(normal, subtract(to, plane.position)), half);
    if (t1 > t2) {
      end();
      continue;
    }
    if (piece.length === 0) piece.push(between(from, to, t1));
    piece.push(between(from, to, t2));
    if (t2 < 1) end();
  }
  end();
  return lines;
}

/** The part of a segment, from 0 to 1, whose distances are within `half`; the first number is larger for none. */
function clip(d1: number, d2: number, half: number): readonly [number, number] {
  if (d1 === d2) return Math.abs(d1) <= half ? [0, 1] : [1, 0];
  const [a, b] = [(-half - d1) / (d2 - d1), (half - d1) / (d2 - d1)];
  return [Math.max(0, Math.min(a, b)), Math.min(1, Math.max(a, b))];
}

function between(from: Vector3, to: Vector3, t: number): Vector3 {
  return [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t, from[2] + (to[2] - from[2]) * t];
}

function vectorAt(points: Float32Array, at: number): Vector3 {
  return [points[at]!, points[at + 1]!, points[at + 2]!];
}

/** Like `patientToPixel`, for many points: x and y of each. */
function createProjection(plane: ImagePlane): (points: Float32Array) => Float32Array {
  const { alongRow, downColumn } = inPlaneAxes(plane);
  const [x0, y0, z0] = plane.position;
  return (points) => {
    const pixels = new Float32Array((points.length / 3) * 2);
    for (let at = 0, to = 0; at < points.length; at += 3, to += 2) {
      const offset: Vector3 = [points[at]! - x0, points[at + 1]! - y0, points[at + 2]! - z0];
      pixels[to] = dot(offset, alongRow) / plane.columnSpacingMm;
      pixels[to + 1] = dot(offset, downColumn) / plane.rowSpacingMm;
    }
    return pixels;
  };
}
