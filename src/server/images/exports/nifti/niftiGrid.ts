import { lengthOf, normalOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';

/**
 * The grid of an array of NIfTI: `vectors` are the steps along i, j and k, and `origin` is the centre of sample 0, 0, 0, in
 * millimetres to the right, to the front and to the head of the patient.
 */
export type NiftiGrid = {
  readonly size: readonly [number, number, number];
  readonly vectors: readonly [Vector3, Vector3, Vector3];
  readonly origin: Vector3;
};

/**
 * Slices farther from their place in the grid than this part of the distance between slices are not on a grid. Unlike
 * `evenSpacingOf`, this is about places: small differences of many distances add up.
 */
const OFF_GRID = 0.05;
/** Positions are often rounded to hundredths of a millimetre. */
const ROUNDED_MM = 0.01;

/**
 * The grid on which all slices lie, or undefined if they lie on none, because their distances differ. As in the files of
 * dcm2niix, i runs along the rows, j up the columns, and k along the normal of the images. A tilted gantry makes k oblique.
 */
export function findNiftiGrid(table: PositionTable): NiftiGrid | undefined {
  const places = table.positionsMm.length;
  const first = pointAt(table, 0);
  const way = subtract(pointAt(table, places - 1), first);
  const step: Vector3 = [way[0] / (places - 1), way[1] / (places - 1), way[2] / (places - 1)];
  const mostMm = Math.max(ROUNDED_MM, OFF_GRID * lengthOf(step));
  for (let place = 1; place < places; place += 1) {
    const [x, y, z] = subtract(pointAt(table, place), first);
    if (lengthOf([x - place * step[0], y - place * step[1], z - place * step[2]]) > mostMm) return undefined;
  }
  return buildNiftiGrid(table, { first, step, places });
}

/** The grid of one slice. */
export function findSingleGrid(table: PositionTable, place: number, thicknessMm: number): NiftiGrid {
  const [x, y, z] = normalOf(table);
  const step: Vector3 = [x * thicknessMm, y * thicknessMm, z * thicknessMm];
  return buildNiftiGrid(table, { first: pointAt(table, place), step, places: 1 });
}

/** From column, row (down) and slice to millimetres (LPS), three rows of four numbers. */
export function affineOf({ vectors, origin, size }: NiftiGrid): readonly number[] {
  const up = size[1] - 1;
  return [0, 1, 2].flatMap((axis) => {
    const sign = axis === 2 ? 1 : -1;
    const [i, j, k] = vectors.map((vector) => sign * vector[axis]! + 0);
    return [i!, 0 - j!, k!, sign * origin[axis]! + up * j!];
  });
}

type Slices = { readonly first: Vector3; readonly step: Vector3; readonly places: number };

function buildNiftiGrid(table: PositionTable, { first, step, places }: Slices): NiftiGrid {
  const { rows, columns, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = table;
  const down = scale(columnDirection, rowSpacingMm);
  const last = scale(down, rows - 1);
  return {
    size: [columns, rows, places],
    vectors: [toRas(scale(rowDirection, columnSpacingMm)), toRas(scale(down, -1)), toRas(step)],
    origin: toRas([first[0] + last[0], first[1] + last[1], first[2] + last[2]]),
  };
}

function scale([x, y, z]: Vector3, by: number): Vector3 {
  return [x * by, y * by, z * by];
}

function pointAt({ points }: PositionTable, place: number): Vector3 {
  const [x = NaN, y = NaN, z = NaN] = points.subarray(3 * place, 3 * place + 3);
  return [x, y, z];
}

/** DICOM has x to the left and y to the back. Nothing becomes a negative zero. */
function toRas([x, y, z]: Vector3): Vector3 {
  return [0 - x, 0 - y, z + 0];
}
