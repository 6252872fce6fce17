import {
  cross,
  dot,
  type ImagePlane,
  normalOf,
  patientToPixel,
  pixelToPatient,
  subtract,
  type Vector3,
} from '../../../../shared/geometry.ts';
import type { PatientGrid } from '../../../show/pictures/pictureSource.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { toImage } from '../../../show/tools/crosshairLines.ts';
import type { BoxInPatient, FramePlace, Measurement } from './measurement.ts';
import { isSameStack } from '../../../show/pictures/shownFrame.ts';
import { SAME_DIRECTION, scaleOfPlane } from './planeMarks.ts';

/** A box that only touches a picture is not in it. */
const LEAST_OVERLAP_MM = 1e-6;
/** An edge cannot be dragged over the opposite one. */
const LEAST_SIZE_MM = 0.01;

/**
 * A 3-D box as it is on a picture: a rectangle that can be changed where the rows and columns of the picture run along its
 * edges, else the outline of its cut. Undefined where it is not.
 */
export function formOfBox(page: Page, item: Measurement, shown: FramePlace): Measurement | undefined {
  const { place } = item;
  const { grid } = shown;
  if (place.type !== 'volume' || grid === undefined) return undefined;
  const { box } = place;
  if (!isSameSpace(page, item, box, shown)) return undefined;
  const { plane, stepMm, slabMm } = grid;
  const [low, high] = extentAlong(box, normalOf(plane));
  const at = dot(normalOf(plane), plane.position);
  const reach = Math.max(stepMm, slabMm) / 2;
  if (Math.min(high, at + reach) - Math.max(low, at - reach) <= LEAST_OVERLAP_MM) return undefined;
  const isFixed = !isAlong(box, plane);
  const form: Measurement = { ...item, place: { ...place, seen: { plane, isFixed } }, scale: scaleOfPlane(plane) };
  if (!isFixed) return { ...form, points: cornersIn(box, plane) };
  const inside = Math.min(Math.max(at, low), high);
  return { ...form, kind: 'polygon', points: cutOutline(box, plane, inside - at) };
}

/** What is stored of a box whose form on a picture has changed: its extent along the rows and columns there. */
export function withSeenForm(item: Measurement): Measurement {
  const { place, points } = item;
  if (place.type !== 'volume' || place.seen === undefined || place.seen.isFixed) return item;
  const { box, seen } = place;
  const [a, b] = [0, 1].map((n) => toPatient(seen.plane, points[n] ?? { x: 0, y: 0 }));
  const inPicture = [seen.plane.rowDirection, seen.plane.columnDirection];
  let { corner } = box;
  const sizes = axesOf(box).map((axis, n) => {
    if (!inPicture.some((direction) => isSameLine(axis, direction))) return box.sizeMm[n]!;
    const [one, other] = [dot(axis, a!), dot(axis, b!)];
    corner = moveBy(corner, axis, Math.min(one, other) - dot(axis, corner));
    return Math.max(Math.abs(other - one), LEAST_SIZE_MM);
  });
  return asBox(item, { ...box, corner, sizeMm: [sizes[0]!, sizes[1]!, sizes[2]!] });
}

/** The measurement as a 3-D box. It keeps its identity and its words. */
export function asBox(item: Measurement, box: BoxInPatient): Measurement {
  return { ...item, kind: 'box', place: { type: 'volume', box }, points: [], scale: undefined, values: undefined };
}

export function middleOfBox(box: BoxInPatient): Vector3 {
  return axesOf(box).reduce((point, axis, n) => moveBy(point, axis, box.sizeMm[n]! / 2), box.corner);
}

/**
 * A rectangle on a plane, extended to another plane that is parallel to it, with half a step beyond each of the two. On
 * its own plane it becomes as deep as its shorter side is long.
 */
export function boxToPlane(
  { place, points: [a, b] }: Pick<Measurement, 'place' | 'points'>,
  { plane: to, stepMm }: { readonly plane: ImagePlane; readonly stepMm: number },
): BoxInPatient | undefined {
  if (place.type !== 'plane' || a === undefined || b === undefined) return undefined;
  const { plane, frameOfReferenceUid } = place.grid;
  if (!isSameLine(normalOf(plane), normalOf(to))) return undefined;
  const { distanceMm } = patientToPixel(plane, to.position);
  const flat = boxOnPlane({ frameOfReferenceUid, plane }, [a, b]);
  const [across, down] = flat.sizeMm;
  const isOwn = Math.abs(distanceMm) < stepMm / 2;
  const half = isOwn ? Math.min(across, down) / 2 : stepMm / 2;
  const [low, high] = isOwn ? [-half, half] : [Math.min(0, distanceMm) - half, Math.max(0, distanceMm) + half];
  return { ...flat, corner: moveBy(flat.corner, normalOf(plane), low), sizeMm: [across, down, high - low] };
}

/** The box around rectangles on parallel images, from the first to the last, with half a step beyond each of the two. */
export function boxThrough(
  frameOfReferenceUid: string,
  { first, last, steps }: { readonly first: ImagePlane; readonly last: ImagePlane; readonly steps: number },
  points: readonly Point[],
): BoxInPatient {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const flat = boxOnPlane({ frameOfReferenceUid, plane: first }, [
    { x: Math.min(...xs), y: Math.min(...ys) },
    { x: Math.max(...xs), y: Math.max(...ys) },
  ]);
  const { distanceMm } = patientToPixel(first, last.position);
  const half = Math.abs(distanceMm) / steps / 2;
  const corner = moveBy(flat.corner, normalOf(first), Math.min(0, distanceMm) - half);
  return { ...flat, corner, sizeMm: [flat.sizeMm[0], flat.sizeMm[1], Math.abs(distanceMm) + 2 * half] };
}

/** A box, extended so that it contains a plane and half a step beyond it; undefined if it does already. */
export function boxWithPlane(
  box: BoxInPatient,
  { plane, stepMm }: { readonly plane: ImagePlane; readonly stepMm: number },
): BoxInPatient | undefined {
  const normal = normalOf(plane);
  const n = axesOf(box).findIndex((axis) => isSameLine(axis, normal));
  const axis = axesOf(box)[n];
  if (axis === undefined) return undefined;
  const low = dot(axis, box.corner);
  const high = low + box.sizeMm[n]!;
  const at = dot(axis, plane.position);
  if (at >= low && at <= high) return undefined;
  const [nextLow, nextHigh] = [Math.min(low, at - stepMm / 2), Math.max(high, at + stepMm / 2)];
  const [a, b, c] = box.sizeMm.map((size, i) => (i === n ? nextHigh - nextLow : size));
  return { ...box, corner: moveBy(box.corner, axis, nextLow - low), sizeMm: [a!, b!, c!] };
}

/** Without depth. */
function boxOnPlane(
  { frameOfReferenceUid, plane }: Pick<PatientGrid, 'frameOfReferenceUid' | 'plane'>,
  [a, b]: readonly [Point, Point],
): BoxInPatient {
  const { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = plane;
  const corner = toPatient(plane, { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y) });
  const sizeMm: Vector3 = [Math.abs(b.x - a.x) * columnSpacingMm, Math.abs(b.y - a.y) * rowSpacingMm, 0];
  return { frameOfReferenceUid, rowDirection, columnDirection, corner, sizeMm };
}

/** Coordinates are those of one frame of reference, or of one volume whose files name none. */
function isSameSpace(page: Page, item: Measurement, box: BoxInPatient, { grid, fileIndex }: FramePlace): boolean {
  const uid = box.frameOfReferenceUid;
  return uid === '' ? isSameStack(page, item.fileIndex, fileIndex) : uid === grid?.frameOfReferenceUid;
}

/** The directions of its edges. */
function axesOf({ rowDirection, columnDirection }: BoxInPatient): readonly [Vector3, Vector3, Vector3] {
  return [rowDirection, columnDirection, cross(rowDirection, columnDirection)];
}

function isSameLine(a: Vector3, b: Vector3): boolean {
  return Math.abs(dot(a, b)) >= SAME_DIRECTION;
}

/** Whether the rows and columns of a picture run along edges of the box. */
function isAlong(box: BoxInPatient, { rowDirection, columnDirection }: ImagePlane): boolean {
  const axes = axesOf(box);
  return [rowDirection, columnDirection].every((direction) => axes.some((axis) => isSameLine(axis, direction)));
}

function extentAlong(box: BoxInPatient, direction: Vector3): readonly [number, number] {
  const middle = dot(middleOfBox(box), direction);
  const half = axesOf(box).reduce((sum, axis, n) => sum + (Math.abs(dot(axis, direction)) * box.sizeMm[n]!) / 2, 0);
  return [middle - half, middle + half];
}

/** Two opposite corners, in pixels of a picture whose rows and columns run along its edges. */
function cornersIn(box: BoxInPatient, plane: ImagePlane): readonly Point[] {
  const center = middleOfBox(box);
  const ends = [-1, 1].map((side) =>
    [plane.rowDirection, plane.columnDirection].reduce((point, direction) => {
      const [low, high] = extentAlong(box, direction);
      return moveBy(point, direction, (side * (high - low)) / 2);
    }, center),
  );
  return ends.map((end) => toPicture(plane, end));
}

/** The corners of the cut of a box by a plane that is moved along its normal, in pixels of that plane. */
function cutOutline(box: BoxInPatient, plane: ImagePlane, movedMm: number): readonly Point[] {
  const corners = listCorners(box).map((corner) => ({
    corner,
    distance: patientToPixel(plane, corner).distanceMm - movedMm,
  }));
  const crossings = corners.flatMap((from, i) =>
    // Corners that differ in one of three bits are joined by an edge.
    [1, 2, 4].flatMap((bit) => {
      const to = (i & bit) === 0 ? corners[i | bit] : undefined;
      if (to === undefined || from.distance > 0 === to.distance > 0) return [];
      const part = from.distance / (from.distance - to.distance);
      const way = subtract(to.corner, from.corner);
      return toPicture(plane, moveBy(from.corner, way, part));
    }),
  );
  const middle = {
    x: crossings.reduce((sum, { x }) => sum + x, 0) / crossings.length,
    y: crossings.reduce((sum, { y }) => sum + y, 0) / crossings.length,
  };
  // The cut is convex.
  const angleOf = ({ x, y }: Point) => Math.atan2(y - middle.y, x - middle.x);
  return crossings.toSorted((a, b) => angleOf(a) - angleOf(b));
}

function listCorners(box: BoxInPatient): readonly Vector3[] {
  return Array.from({ length: 8 }, (_, i) =>
    axesOf(box).reduce((point, axis, n) => moveBy(point, axis, (i >> n) & 1 ? box.sizeMm[n]! : 0), box.corner),
  );
}

/** The center of the first pixel is at (0.5, 0.5) of a picture, and at (0, 0) of its plane. */
function toPatient(plane: ImagePlane, { x, y }: Point): Vector3 {
  return pixelToPatient(plane, { column: x - 0.5, row: y - 0.5 });
}

function toPicture(plane: ImagePlane, point: Vector3): Point {
  const { x, y } = toImage({ plane }, point);
  return { x, y };
}

function moveBy(point: Vector3, direction: Vector3, by: number): Vector3 {
  return [point[0] + direction[0] * by, point[1] + direction[1] * by, point[2] + direction[2] * by];
}
