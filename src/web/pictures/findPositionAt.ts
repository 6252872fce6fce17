import { type ImagePlane, patientToPixel, type Vector3 } from '../../shared/geometry.ts';
import { planeInRun } from '../../shared/stackPlanes.ts';
import { placesOf } from './carry.ts';
import type { PictureSource } from './pictureSource.ts';

/** Distances that differ by less are equal: frames of several times in one place. */
const SAME_MM = 1e-3;

/** The position of the picture nearest to a point; `current` if that is as near as any other. */
export function findPositionAt(source: PictureSource, point: Vector3, current: number): number | undefined {
  const distanceAt = (position: number) => {
    const plane = imagePlaneOf(source, position);
    return plane === undefined ? Infinity : Math.abs(patientToPixel(plane, point).distanceMm);
  };
  let [nearest, least]: [number | undefined, number] = [undefined, Infinity];
  for (let position = 0; position < source.positions; position += 1) {
    const distance = distanceAt(position);
    if (distance < least) [nearest, least] = [position, distance];
  }
  return nearest !== undefined && distanceAt(current) <= least + SAME_MM ? current : nearest;
}

/** The frame of reference in which a source has its place; undefined if it declares none. */
export function spaceOf(source: Pick<PictureSource, 'axes'>): string | undefined {
  const uid = placesOf(source)?.frameOfReferenceUid;
  return uid === '' ? undefined : uid;
}

/** The plane of one picture; undefined if it has no known place. */
export function imagePlaneOf(
  source: Pick<PictureSource, 'axes' | 'planeOf'>,
  position: number,
): ImagePlane | undefined {
  const run = source.planeOf(position);
  const places = placesOf(source);
  return run && planeInRun(run, position, (at) => places?.valueOf(at));
}
