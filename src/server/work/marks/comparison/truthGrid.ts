import { ViewerError } from '../../../../shared/contract/errors.ts';
import { dot, lengthOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import { extentAlong, type PlaneGrid } from '../../../../shared/planeGrid.ts';
import { planeOfPlace, type PositionTable } from '../../../../shared/positionTable.ts';
import type { NiftiGrid } from '../../../images/exports/nifti/niftiGrid.ts';
import { MOST_NIFTI_SIZE } from '../../../images/exports/nifti/writeNiftiHeader.ts';
import type { GridSpacingMm } from '../../../over/agreement/maskPair.ts';
import type { OwnSlices } from '../../../over/layers/layerProvider.ts';
import type { LabelGrid } from '../volumes/labelGrid.ts';

/** Samples that are off by less than this part of one are the same: positions are often rounded. */
const SAME_SAMPLE = 0.05;

type Lattice = Pick<LabelGrid, 'rows' | 'columns' | 'slices'> & { readonly regular: NiftiGrid };

/** Whether the samples of a layer are samples of a grid, or would be if it had more slices. */
export function isOnGrid(own: Pick<OwnSlices, 'table' | 'places'>, grid: Lattice): boolean {
  return placesOnGrid(own, grid) !== undefined;
}

/** Whether all samples of a layer are samples of a grid. */
export function isInGrid(own: Pick<OwnSlices, 'table' | 'places'>, grid: Lattice): boolean {
  return placesOnGrid(own, grid)?.every((slice) => slice >= 0 && slice < grid.slices) ?? false;
}

/** The slices of a grid in which a layer has samples; undefined if its samples lie between those of the grid. */
function placesOnGrid(
  { table, places }: Pick<OwnSlices, 'table' | 'places'>,
  { rows, columns, regular }: Lattice,
): readonly number[] | undefined {
  const { origin: first, steps } = placeOfGrid(regular, rows);
  const [along, down, step] = steps;
  const mostMm = SAME_SAMPLE * Math.min(lengthOf(along), lengthOf(down), lengthOf(step));
  // Over the whole length of a row or column.
  const isSame = (a: Vector3, b: Vector3, count: number) => lengthOf(subtract(a, b)) * count <= mostMm;
  if (table.rows !== rows || table.columns !== columns) return undefined;
  if (!isSame(scale(table.rowDirection, table.columnSpacingMm), along, columns)) return undefined;
  if (!isSame(scale(table.columnDirection, table.rowSpacingMm), down, rows)) return undefined;
  const slices: number[] = [];
  for (const place of places) {
    const way = subtract(planeOfPlace(table, place).position, first);
    const slice = Math.round(dot(way, step) / dot(step, step));
    if (!isSame(way, scale(step, slice), 1)) return undefined;
    slices.push(slice);
  }
  return slices;
}

/** The first sample of a grid in the patient (LPS), and the steps to its neighbours in row, column and slice. */
export function placeOfGrid(
  { vectors: [i, j, k], origin }: NiftiGrid,
  rows: number,
): { readonly origin: Vector3; readonly steps: readonly [Vector3, Vector3, Vector3] } {
  const [along, down, step] = [toLps(i), scale(toLps(j), -1), toLps(k)];
  return { origin: subtract(toLps(origin), scale(down, rows - 1)), steps: [along, down, step] };
}

type OwnGrid = Extract<LabelGrid, { readonly kind: 'own' }>;

/** The grid of a layer with all its slices, and with further ones as far as images reach: the other layer may lie there. */
export function reachOver(grid: OwnGrid, images: PositionTable | undefined): LabelGrid {
  const { planes, regular, slices } = grid;
  const [start] = planes;
  if (regular === undefined || start === undefined) {
    throw new ViewerError('volume_unavailable', 'the slices of the truth are not equally far apart');
  }
  const step = toLps(regular.vectors[2]);
  const stepMm = lengthOf(step);
  const along: Vector3 = [step[0] / stepMm, step[1] / stepMm, step[2] / stepMm];
  const [known, plane] = start;
  const place = (slice: number): PlaneGrid => {
    const by = slice - known;
    const [x, y, z] = plane.position;
    return { ...plane, position: [x + by * step[0], y + by * step[1], z + by * step[2]] };
  };
  const [nearMm, farMm] = images === undefined ? [Infinity, -Infinity] : extentAlong(images, along, 0.5);
  const before = Math.max(0, Math.floor((dot(along, place(0).position) - nearMm) / stepMm));
  const after = Math.max(0, Math.floor((farMm - dot(along, place(slices - 1).position)) / stepMm));
  const all = before + slices + after;
  if (all > MOST_NIFTI_SIZE) {
    throw new ViewerError('layer_too_large', `the grid of the truth would have ${all} slices over the images`);
  }
  return {
    ...grid,
    slices: all,
    planes: new Map(Array.from({ length: all }, (_, at) => [at, place(at - before)] as const)),
  };
}

/** The distances of samples; `isOblique` if slices are not straight above each other. */
export function spacingOf({ vectors }: NiftiGrid): { readonly spacingMm: GridSpacingMm; readonly isOblique: boolean } {
  const [a, b, c] = vectors;
  const spacingMm: GridSpacingMm = [lengthOf(a), lengthOf(b), lengthOf(c)];
  const off = Math.max(Math.abs(dot(a, c)) / spacingMm[0], Math.abs(dot(b, c)) / spacingMm[1]) / spacingMm[2];
  return { spacingMm, isOblique: off > 1e-3 };
}

function scale([x, y, z]: Vector3, by: number): Vector3 {
  return [x * by, y * by, z * by];
}

/** The grid of NIfTI has x to the right and y to the front. */
function toLps([x, y, z]: Vector3): Vector3 {
  return [-x, -y, z];
}
