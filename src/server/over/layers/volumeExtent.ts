import { dot, inPlaneAxes, normalOf, pixelToPatient, subtract, type Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { endOfPlace, type PositionTable } from '../../../shared/positionTable.ts';

/** Numbers per picture: its first pixel, its normal, its axes, its spacings and its size. */
const PICTURE_NUMBERS = 16;

/** Pictures with what does not depend on the volumes that may meet them. */
export type PictureColumns = Float64Array;

export function createPictureColumns(length: number): PictureColumns {
  return new Float64Array(length * PICTURE_NUMBERS);
}

export function putPicture(pictures: PictureColumns, index: number, target: PlaneGrid): void {
  const { alongRow, downColumn } = inPlaneAxes(target);
  const { rowSpacingMm, columnSpacingMm, rows, columns } = target;
  const axes = [...target.position, ...normalOf(target), ...alongRow, ...downColumn];
  pictures.set([...axes, columnSpacingMm, rowSpacingMm, columns, rows], index * PICTURE_NUMBERS);
}

/** Tells whether a volume and a picture meet, as `findExtent` does; for many pictures. */
export function createMeeting(table: PositionTable): (pictures: PictureColumns, index: number) => boolean {
  const corners = Float64Array.from(cornersOfVolume(table).flat());
  // In numbers only, because this is asked for every open image and every layer.
  const most = (pictures: PictureColumns, at: number, axis: number, sign: 1 | -1) => {
    const [x, y, z] = [pictures[at]!, pictures[at + 1]!, pictures[at + 2]!];
    const [dx, dy, dz] = [pictures[axis]!, pictures[axis + 1]!, pictures[axis + 2]!];
    let found = -Infinity;
    for (let corner = 0; corner < corners.length; corner += 3) {
      const along = (corners[corner]! - x) * dx + (corners[corner + 1]! - y) * dy + (corners[corner + 2]! - z) * dz;
      found = Math.max(found, sign * along);
    }
    return found;
  };
  return (pictures, index) => {
    const at = index * PICTURE_NUMBERS;
    if (-most(pictures, at, at + 3, -1) > 0 || most(pictures, at, at + 3, 1) < 0) return false;
    for (const [axis, measure] of AXES) {
      const ends = { least: -most(pictures, at, at + axis, -1), most: most(pictures, at, at + axis, 1) };
      const { fromMm, toMm } = cutRange(ends, pictures[at + measure + 2]!, pictures[at + measure]!);
      if (!(fromMm < toMm)) return false;
    }
    return true;
  };
}

/** Where the axis along a row, and down a column, and the spacing along it are. */
const AXES = [
  [6, 12],
  [9, 13],
] as const;

/** Along one axis of a picture. */
export type Range = { readonly fromMm: number; readonly toMm: number };

/** The part of a picture that the box around a volume, given by its corners, covers, in millimetres from the centre of its first pixel. */
export function findExtent(
  points: readonly Vector3[],
  target: PlaneGrid,
  slabMm: number,
): { readonly columns: Range; readonly rows: Range } | undefined {
  const offsets = points.map((point) => subtract(point, target.position));
  const distances = offsetsAlong(offsets, normalOf(target));
  if (distances.least > slabMm / 2 || distances.most < -slabMm / 2) return undefined;
  // The axes are found once for all corners, because this is asked for every image that is open.
  const { alongRow, downColumn } = inPlaneAxes(target);
  const columns = cutRange(offsetsAlong(offsets, alongRow), target.columns, target.columnSpacingMm);
  const rows = cutRange(offsetsAlong(offsets, downColumn), target.rows, target.rowSpacingMm);
  return columns.fromMm < columns.toMm && rows.fromMm < rows.toMm ? { columns, rows } : undefined;
}

type Ends = { readonly least: number; readonly most: number };

function offsetsAlong(offsets: readonly Vector3[], direction: Vector3): Ends {
  let [least, most] = [Infinity, -Infinity];
  for (const offset of offsets) {
    const along = dot(offset, direction);
    if (along < least) least = along;
    if (along > most) most = along;
  }
  return { least, most };
}

/** The part of a range within a picture. */
function cutRange({ least, most }: Ends, count: number, spacingMm: number): Range {
  return {
    fromMm: Math.max(-0.5, least / spacingMm) * spacingMm,
    toMm: Math.min(count - 0.5, most / spacingMm) * spacingMm,
  };
}

/** The corners of a volume, half a sample beyond the centres of the outermost ones. */
export function cornersOfVolume(table: PositionTable): Vector3[] {
  const { positionsMm, rows, columns } = table;
  const ends = [endOfPlace(table, 0, -1), endOfPlace(table, positionsMm.length - 1, 1)];
  return ends.flatMap((plane) =>
    [-0.5, rows - 0.5].flatMap((row) => [-0.5, columns - 0.5].map((column) => pixelToPatient(plane, { row, column }))),
  );
}
