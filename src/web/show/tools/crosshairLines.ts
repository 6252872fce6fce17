import {
  cross,
  dot,
  type ImagePlane,
  lengthOf,
  normalOf,
  patientToPixel,
  subtract,
  type Vector3,
} from '../../../shared/geometry.ts';
import type { Point, Size } from '../../kit/state/viewState.ts';

/** A picture of known size in space. */
export type PlacedImage = { readonly plane: ImagePlane; readonly image: Size };

export type LineSegment = { readonly from: Point; readonly to: Point };

/** Planes whose angle has a smaller sine have no line in each other that would say anything. */
const LEAST_SINE = 0.02;

/** The line in which the picture `other` crosses another picture, in pixels of the latter; undefined if it does not. */
export function findCrossing(picture: PlacedImage, other: PlacedImage): LineSegment | undefined {
  const normal = normalOf(other.plane);
  const direction = cross(normalOf(picture.plane), normal);
  const length = lengthOf(direction);
  if (length < LEAST_SINE) return undefined;
  const unit: Vector3 = [direction[0] / length, direction[1] / length, direction[2] / length];
  // The point of the line that is nearest to the origin of the picture: within its plane, straight to the other plane.
  const towards = cross(unit, normalOf(picture.plane));
  const start = picture.plane.position;
  const distanceMm = dot(subtract(other.plane.position, start), normal) / dot(towards, normal);
  const origin: Vector3 = [
    start[0] + towards[0] * distanceMm,
    start[1] + towards[1] * distanceMm,
    start[2] + towards[2] * distanceMm,
  ];
  const ends = clip([inPixels(picture, origin, unit), inPixels(other, origin, unit)]);
  if (ends === undefined) return undefined;
  const [x, y] = inPixels(picture, origin, unit).coordinates;
  const at = (mm: number): Point => ({ x: x.start + x.step * mm, y: y.start + y.step * mm });
  return { from: at(ends[0]), to: at(ends[1]) };
}

/** Image coordinates of a point in space. The centre of the first pixel is at (0.5, 0.5). */
export function toImage(
  { plane }: Pick<PlacedImage, 'plane'>,
  point: Vector3,
): Point & { readonly distanceMm: number } {
  const { row, column, distanceMm } = patientToPixel(plane, point);
  return { x: column + 0.5, y: row + 0.5, distanceMm };
}

type Linear = { readonly start: number; readonly step: number };
type LineInImage = { readonly coordinates: readonly [Linear, Linear]; readonly image: Size };

/** Pixel coordinates along a line in space, as functions of the distance in millimetres. */
function inPixels(placed: PlacedImage, origin: Vector3, unit: Vector3): LineInImage {
  const a = toImage(placed, origin);
  const b = toImage(placed, [origin[0] + unit[0], origin[1] + unit[1], origin[2] + unit[2]]);
  const { image } = placed;
  return {
    coordinates: [
      { start: a.x, step: b.x - a.x },
      { start: a.y, step: b.y - a.y },
    ],
    image,
  };
}

/** The part of a line that lies inside all images, as distances; undefined if there is none. */
function clip(lines: readonly LineInImage[]): readonly [number, number] | undefined {
  let [from, to] = [-Infinity, Infinity];
  for (const { coordinates, image } of lines) {
    for (const [axis, most] of [image.width, image.height].entries()) {
      const { start = 0, step = 0 } = coordinates[axis] ?? {};
      if (Math.abs(step) < 1e-9) {
        if (start < 0 || start > most) return undefined;
        continue;
      }
      const [p, q] = [-start / step, (most - start) / step];
      from = Math.max(from, Math.min(p, q));
      to = Math.min(to, Math.max(p, q));
    }
  }
  return from < to && Number.isFinite(to - from) ? [from, to] : undefined;
}
