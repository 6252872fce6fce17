import { dot, normalOf, type PlaneOrientation, type Vector3 } from '../../../shared/geometry.ts';

/** Planes whose normals differ by no more than this can form one stack. */
const SAME_DIRECTION = Math.cos((10 * Math.PI) / 180);
/** Orientations whose components differ by less are the same, written with different digits. */
export const ORIENTATION_TOLERANCE = 1e-3;

export const NO_GROUP = 0xffff;

export type OrientationGroups = {
  /** For each given orientation, the number of its group; `NO_GROUP` for undefined. */
  readonly groupOf: Uint16Array;
  /** The normal of the first member of each group. */
  readonly normals: readonly Vector3[];
  /** Nearly every plane has its own orientation, as in a radial acquisition, so groups would be meaningless. */
  readonly isRadial: boolean;
};

/** Groups planes whose normals are at most 10 degrees from the normal of the group's first member. */
export function groupOrientations(orientations: readonly (PlaneOrientation | undefined)[]): OrientationGroups {
  const groupOf = new Uint16Array(orientations.length).fill(NO_GROUP);
  const known = new Map<PlaneOrientation, number>();
  const normals: Vector3[] = [];
  const distinct = new Set<string>();
  let planes = 0;
  for (const [entry, orientation] of orientations.entries()) {
    if (orientation === undefined) continue;
    planes += 1;
    let group = known.get(orientation);
    if (group === undefined) {
      group = findGroup(normals, normalOf(orientation));
      known.set(orientation, group);
      distinct.add(toGridCell(orientation));
    }
    groupOf[entry] = group;
  }
  const isRadial = normals.length > 1 && distinct.size >= 4 && distinct.size >= 0.75 * planes;
  return { groupOf, normals, isRadial };
}

function findGroup(normals: Vector3[], normal: Vector3): number {
  const found = normals.findIndex((first) => dot(first, normal) >= SAME_DIRECTION);
  return found >= 0 ? found : normals.push(normal) - 1;
}

function toGridCell({ rowDirection, columnDirection }: PlaneOrientation): string {
  return [...rowDirection, ...columnDirection].map((part) => Math.round(part / ORIENTATION_TOLERANCE)).join();
}
