import type { ImagePlane, Vector3 } from '../../../shared/geometry.ts';

/** Numbers per plane: position, row direction, column direction, row spacing, column spacing. */
export const PLANE_NUMBERS = 11;

/**
 * Planes of frames of several files, concatenated, NaN for a frame without one: cheap to store, and to move between
 * threads.
 */
export type PlaneColumns = Float64Array<ArrayBuffer>;

export function createPlaneColumns(length: number): PlaneColumns {
  return new Float64Array(length * PLANE_NUMBERS).fill(NaN);
}

export function putPlane(columns: PlaneColumns, index: number, plane: ImagePlane | undefined): void {
  if (plane === undefined) return;
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = plane;
  columns.set([...position, ...rowDirection, ...columnDirection, rowSpacingMm, columnSpacingMm], index * PLANE_NUMBERS);
}

export function planeInColumns(columns: PlaneColumns, index: number): ImagePlane | undefined {
  const at = index * PLANE_NUMBERS;
  const rowSpacingMm = columns[at + 9];
  const columnSpacingMm = columns[at + 10];
  if (rowSpacingMm === undefined || columnSpacingMm === undefined || Number.isNaN(rowSpacingMm)) return undefined;
  const vector = (from: number): Vector3 => [columns[at + from]!, columns[at + from + 1]!, columns[at + from + 2]!];
  return {
    position: vector(0),
    rowDirection: vector(3),
    columnDirection: vector(6),
    rowSpacingMm,
    columnSpacingMm,
  };
}
