import { dot, type ImagePlane, normalOf, type Vector3 } from '../../../shared/geometry.ts';
import { planeInRun } from '../../../shared/stackPlanes.ts';
import { placesOf } from './carry.ts';
import type { PictureSource } from './pictureSource.ts';

/** Distances that differ by less are equal: frames of several times in one place. */
const SAME_MM = 1e-3;

/** The position of the picture nearest to a point; `current` if that is as near as any other. */
export function findPositionAt(source: PictureSource, [x, y, z]: Vector3, current: number): number | undefined {
  const table = distancesOf(source);
  const distanceAt = (position: number) => {
    const at = 4 * position;
    return Math.abs(table[at]! * x + table[at + 1]! * y + table[at + 2]! * z - table[at + 3]!);
  };
  let [nearest, least]: [number | undefined, number] = [undefined, Infinity];
  for (let position = 0; position < source.positions; position += 1) {
    const distance = distanceAt(position);
    if (distance < least) [nearest, least] = [position, distance];
  }
  return nearest !== undefined && distanceAt(current) <= least + SAME_MM ? current : nearest;
}

const tables = new WeakMap<PictureSource, Float64Array>();

/**
 * The normal of each picture and how far along it the picture lies; NaN if it has no known place. Found once, because the
 * crosshair asks for the distance of all pictures of all cells each time that the pointer moves.
 */
function distancesOf(source: PictureSource): Float64Array {
  const known = tables.get(source);
  if (known !== undefined) return known;
  const table = new Float64Array(4 * source.positions).fill(NaN);
  for (let position = 0; position < source.positions; position += 1) {
    const plane = imagePlaneOf(source, position);
    if (plane === undefined) continue;
    const normal = normalOf(plane);
    table.set([...normal, dot(normal, plane.position)], 4 * position);
  }
  tables.set(source, table);
  return table;
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
