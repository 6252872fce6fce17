import { type MarkKind, traitsOf } from '../../../../shared/markTraits.ts';
import { type ImagePlane, pixelToPatient, type Vector3 } from '../../../../shared/geometry.ts';
import { areaInPixels, caveatsOfShape, measureShape, type Quantity } from '../../../../shared/markMeasures.ts';
import type { Outline } from '../../../../shared/markSlices.ts';
import { chooseScale, type FrameScale, type Scale, SCALE_SOURCES } from '../../../../shared/pixelScale.ts';
import type { MarkContent, SliceView } from '../markContent.ts';
import { type MarkToWrite, MARK_PLANE_NUMBERS } from './formatTasks.ts';

export type MarkScale = {
  readonly scale: Scale;
  /** In the patient. */
  readonly plane: ImagePlane | undefined;
  /** How much of its stack the frame stands for; NaN if that is not known. */
  readonly depthMm: number;
};

type ScaledMark = Pick<MarkToWrite, 'content' | 'frames' | 'planes' | 'regions'>;

/**
 * What is known of a frame of a mark, by its place in `frames`; of a mark on a plane, what its place says. The size of a
 * pixel may be that of the part of the image that all points are in.
 */
export function scaleOfMark(
  { content, frames, planes, regions: all }: ScaledMark,
  at: number,
  points: Outline,
): MarkScale {
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
    const aspect = rowSpacingMm / columnSpacingMm;
    const whole: FrameScale = {
      spacingMm: [rowSpacingMm, columnSpacingMm],
      source: 'pixel_spacing',
      aspect,
      regions: [],
    };
    return { scale: chooseScale(whole, []), plane, depthMm: NaN };
  }
  const numbers = planes.subarray(at * MARK_PLANE_NUMBERS, (at + 1) * MARK_PLANE_NUMBERS);
  const [rowSpacingMm = NaN, columnSpacingMm = NaN, source = -1, aspect = NaN, depthMm = NaN] = numbers.subarray(9);
  const { regions = [] } = all.find(({ file }) => file === frames[2 * at]) ?? {};
  const { left, top, right, bottom } = boundsOfPoints(points);
  // A region is a rectangle, so that it has all points if it has these.
  const ends =
    points.length === 0
      ? []
      : [
          { x: left, y: top },
          { x: right, y: bottom },
        ];
  const isKnown = !Number.isNaN(rowSpacingMm) && !Number.isNaN(columnSpacingMm);
  const whole: FrameScale = {
    spacingMm: isKnown ? [rowSpacingMm, columnSpacingMm] : undefined,
    source: sourceAt(source),
    aspect: Number.isNaN(aspect) ? 1 : aspect,
    regions,
  };
  return { scale: chooseScale(whole, ends), plane: planeOfNumbers(numbers), depthMm };
}

function sourceAt(number: number): FrameScale['source'] {
  const source = SCALE_SOURCES[number];
  return source === 'ultrasound_region' ? undefined : source;
}

/** The corners of the pixels of a mask, of which all must be in one part of an image. */
export function cornersOfMask({ rectangle }: Pick<SliceView, 'rectangle'>): Outline {
  const [left = 0, top = 0, width = 0, height = 0] = rectangle;
  return [left, top, left + width, top + height];
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

/** What a shape measures in the unit of its scale. */
export function measureOutline(kind: MarkKind, points: Float64Array, scale: Scale): readonly Quantity[] {
  return measureShape(kind, toPoints(points), scale);
}

/** Of the shape as drawn, in pixels². */
export function areaOfOutline(kind: MarkKind, points: Float64Array): number | undefined {
  return areaInPixels(kind, toPoints(points));
}

/** What must be said about these sizes. */
export function caveatsOfOutline(kind: MarkKind, points: Float64Array): readonly string[] {
  return caveatsOfShape(kind, toPoints(points));
}

function toPoints(points: Float64Array): { readonly x: number; readonly y: number }[] {
  return listPoints(points).map(([x, y]) => ({ x, y }));
}

/** As many as QuPath writes. */
const ELLIPSE_CORNERS = 96;

/** The outline of an area as a polygon. The corners of an ellipse are on it. */
export function toPolygon(kind: MarkKind, points: Float64Array): Float64Array {
  const { shape } = traitsOf(kind);
  if (shape === 'polygon') return points;
  const { left, top, right, bottom } = boundsOfPoints(points);
  if (shape === 'box') return Float64Array.of(left, top, right, top, right, bottom, left, bottom);
  const [x, y, rx, ry] = [(left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2];
  return Float64Array.from({ length: 2 * ELLIPSE_CORNERS }, (_, n) => {
    const angle = ((2 * Math.PI) / ELLIPSE_CORNERS) * Math.floor(n / 2);
    return n % 2 === 0 ? x + rx * Math.cos(angle) : y + ry * Math.sin(angle);
  });
}

export type PointBounds = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;

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
