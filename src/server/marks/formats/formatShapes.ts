import { SPACING_SOURCES } from '../../../shared/contract/fileTerms.ts';
import type { MarkKind } from '../../../shared/contract/marks.ts';
import { type ImagePlane, pixelToPatient, type Vector3 } from '../../../shared/geometry.ts';
import { signedArea } from '../../../shared/markSlices.ts';
import type { MarkContent } from '../markContent.ts';
import { type MarkToWrite, MARK_PLANE_NUMBERS } from './formatTasks.ts';

/** Between rows, then between columns. */
type Spacing = readonly [rows: number, columns: number];

export type MarkScale = {
  readonly spacing: Spacing | undefined;
  readonly source: string;
  /** In the patient. */
  readonly plane: ImagePlane | undefined;
};

const UNKNOWN: MarkScale = { spacing: undefined, source: '', plane: undefined };

/** What is known of a frame of a mark, by its place in `frames`; of a mark on a plane, what its place says. */
export function scaleOfMark({ content, planes }: Pick<MarkToWrite, 'content' | 'planes'>, at: number): MarkScale {
  const { place } = content;
  if (place.type === 'plane') {
    const [rowSpacingMm = NaN, columnSpacingMm = NaN] = place.spacing;
    const plane = {
      position: vectorAt(place.position, 0),
      rowDirection: vectorAt(place.orientation, 0),
      columnDirection: vectorAt(place.orientation, 3),
      rowSpacingMm,
      columnSpacingMm,
    };
    return { spacing: [rowSpacingMm, columnSpacingMm], source: '', plane };
  }
  const numbers = planes.subarray(at * MARK_PLANE_NUMBERS, (at + 1) * MARK_PLANE_NUMBERS);
  const [rowSpacingMm = NaN, columnSpacingMm = NaN, source = -1] = numbers.subarray(9);
  if (Number.isNaN(rowSpacingMm) || Number.isNaN(columnSpacingMm)) return UNKNOWN;
  return {
    spacing: [rowSpacingMm, columnSpacingMm],
    source: SPACING_SOURCES[source] ?? '',
    plane: planeOfNumbers(numbers),
  };
}

/** The plane that `MARK_PLANE_NUMBERS` numbers describe; undefined if the patient has no such plane. */
export function planeOfNumbers(numbers: Float64Array): ImagePlane | undefined {
  if (numbers.subarray(0, 11).some(Number.isNaN)) return undefined;
  const [rowSpacingMm = NaN, columnSpacingMm = NaN] = numbers.subarray(9);
  const directions = { rowDirection: vectorAt(numbers, 3), columnDirection: vectorAt(numbers, 6) };
  return { position: vectorAt(numbers, 0), ...directions, rowSpacingMm, columnSpacingMm };
}

function vectorAt(numbers: ArrayLike<number>, at: number): Vector3 {
  return [numbers[at] ?? NaN, numbers[at + 1] ?? NaN, numbers[at + 2] ?? NaN];
}

/** A point of a mark in the patient. Points count from the corner of the first pixel, planes from its center. */
export function toPatient(plane: ImagePlane, x: number, y: number): Vector3 {
  return pixelToPatient(plane, { row: y - 0.5, column: x - 0.5 });
}

/** What a mark measures. Absent: its kind has none, or the size of a pixel is not known. */
export type Measures = {
  readonly lengthMm?: number;
  readonly shortAxisMm?: number;
  readonly angleDegrees?: number;
  readonly areaPixels?: number;
  readonly areaMm2?: number;
};

const LINES: readonly MarkKind[] = ['length', 'freehand', 'arrow'];

/** Points are two numbers each. */
export function measureOutline(kind: MarkKind, points: Float64Array, spacing: Spacing | undefined): Measures {
  const areaPixels = areaOfOutline(kind, points);
  if (areaPixels !== undefined) return { areaPixels, ...inSquareMm(areaPixels, spacing) };
  if (spacing === undefined) return {};
  const vectorTo = (from: number, to: number): readonly [number, number] => [
    (points[2 * to]! - points[2 * from]!) * spacing[1],
    (points[2 * to + 1]! - points[2 * from + 1]!) * spacing[0],
  ];
  const distance = (from: number, to: number) => Math.hypot(...vectorTo(from, to));
  if (LINES.includes(kind)) {
    let lengthMm = 0;
    for (let n = 1; n < points.length / 2; n += 1) lengthMm += distance(n - 1, n);
    return { lengthMm };
  }
  if (kind === 'bidirectional') return { lengthMm: distance(0, 1), shortAxisMm: distance(2, 3) };
  if (kind === 'angle') return { angleDegrees: angleBetween(vectorTo(1, 0), vectorTo(1, 2)) };
  if (kind === 'cobb') {
    const angle = angleBetween(vectorTo(0, 1), vectorTo(2, 3));
    return { angleDegrees: Math.min(angle, 180 - angle) };
  }
  return {};
}

/** Undefined for a kind that is no area. */
export function areaOfOutline(kind: MarkKind, points: Float64Array): number | undefined {
  const [ax = 0, ay = 0, bx = 0, by = 0] = points;
  const box = Math.abs((bx - ax) * (by - ay));
  if (kind === 'box') return box;
  if (kind === 'ellipse') return (Math.PI / 4) * box;
  return kind === 'polygon' ? Math.abs(signedArea(points)) : undefined;
}

export function inSquareMm(areaPixels: number, spacing: Spacing | undefined): { readonly areaMm2?: number } {
  return spacing === undefined ? {} : { areaMm2: areaPixels * spacing[0] * spacing[1] };
}

function angleBetween([ax, ay]: readonly [number, number], [bx, by]: readonly [number, number]): number {
  return Math.abs(Math.atan2(ax * by - ay * bx, ax * bx + ay * by)) * (180 / Math.PI);
}

/** As many as QuPath writes. */
const ELLIPSE_CORNERS = 96;

/** The outline of an area as a polygon. The corners of an ellipse are on it. */
export function toPolygon(kind: MarkKind, points: Float64Array): Float64Array {
  if (kind === 'polygon') return points;
  const { left, top, right, bottom } = boundsOfPoints(points);
  if (kind === 'box') return Float64Array.of(left, top, right, top, right, bottom, left, bottom);
  const [x, y, rx, ry] = [(left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2];
  return Float64Array.from({ length: 2 * ELLIPSE_CORNERS }, (_, n) => {
    const angle = ((2 * Math.PI) / ELLIPSE_CORNERS) * Math.floor(n / 2);
    return n % 2 === 0 ? x + rx * Math.cos(angle) : y + ry * Math.sin(angle);
  });
}

export type PointBounds = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

export function boundsOfPoints(points: ArrayLike<number>): PointBounds {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = 0; n < points.length; n += 2) {
    left = Math.min(left, points[n]!);
    right = Math.max(right, points[n]!);
    top = Math.min(top, points[n + 1]!);
    bottom = Math.max(bottom, points[n + 1]!);
  }
  return { left, top, right, bottom };
}

/** Two numbers per point as a list of points. */
export function listPoints(points: Float64Array): [number, number][] {
  return Array.from({ length: points.length / 2 }, (_, n) => [points[2 * n]!, points[2 * n + 1]!]);
}

/** The words of a mark, apart from its label and class, as formats have them. */
export function wordsOfMark({ text, comment, author, locked }: MarkContent) {
  return { text, comment, author, locked };
}
