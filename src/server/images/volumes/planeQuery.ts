import { mappingUnavailable, ViewerError } from '../../../shared/contract/errors.ts';
import { MOST_PLANE_SAMPLES } from '../../../shared/contract/volumes.ts';
import { buildOrientation, lengthOf, type Vector3 } from '../../../shared/geometry.ts';
import {
  findBentSlab,
  findSlab,
  type PlaneGrid,
  type PlaneSampling,
  type SlabSize,
} from '../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import { isSpaceOfSeries } from '../../../shared/spaceName.ts';

/** Where the samples of a requested plane lie. */
export type PlaneShape = {
  readonly position: readonly number[];
  readonly orientation: readonly number[];
  readonly spacing: readonly number[];
  readonly rows: number;
  readonly columns: number;
};

/** The plane of a request, as its query has it. */
export type PlaneQuery = PlaneShape & {
  readonly frame_of_reference?: string | undefined;
  readonly interpolation?: PlaneSampling['interpolation'] | undefined;
  readonly slab?: number | undefined;
  readonly sheet?: number | undefined;
  readonly projection?: PlaneSampling['projection'] | undefined;
  readonly time?: number | undefined;
  readonly partial?: boolean | undefined;
};

/** More samples would take longer than a task may. */
const MOST_SLAB_SAMPLES = 2 ** 29;

/** Tolerance of the lengths in an orientation of an address. Its angle may be that of any file, whose plane it may be. */
const UNIT_TOLERANCE = 1e-4;

/** The samples of a plane that a request asks for. Throws `invalid_query` if it is no plane, or too large. */
export function gridOfQuery({ position, orientation, spacing, rows, columns }: PlaneShape): PlaneGrid {
  const directions = buildOrientation(orientation);
  const lengths = [toPoint(orientation), toPoint(orientation.slice(3))].map(lengthOf);
  const isUnit = lengths.every((length) => Math.abs(length - 1) <= UNIT_TOLERANCE);
  if (directions === undefined || !isUnit) {
    throw new ViewerError('invalid_query', 'orientation must be two unit vectors, perpendicular to each other');
  }
  if (rows * columns > MOST_PLANE_SAMPLES) {
    throw new ViewerError('invalid_query', `${rows} x ${columns} samples are more than ${MOST_PLANE_SAMPLES}`);
  }
  const [rowSpacingMm = NaN, columnSpacingMm = NaN] = spacing;
  return { ...directions, position: toPoint(position), rowSpacingMm, columnSpacingMm, rows, columns };
}

export function samplingOfQuery({
  interpolation = 'linear',
  slab = 0,
  sheet,
  projection = 'max',
}: PlaneQuery): PlaneSampling {
  return { interpolation, slabMm: slab, sheetMm: sheet, projection };
}

/** Throws `invalid_query` if a slab would take longer than a task may. */
export function checkPlaneWork(table: PositionTable, grid: PlaneGrid, size: SlabSize, isBent = false): void {
  const { first, last } = isBent ? findBentSlab(table, size) : findSlab(table, grid, size);
  const samples = grid.rows * grid.columns * (first + last + 1);
  if (samples <= MOST_SLAB_SAMPLES) return;
  throw new ViewerError(
    'invalid_query',
    `a slab of ${first + last + 1} sheets of ${grid.rows} x ${grid.columns} samples is too much work: ` +
      `${samples} samples, and ${MOST_SLAB_SAMPLES} are allowed`,
  );
}

/** Throws `semantic_mapping_unavailable` if a plane of one frame of reference does not cut a volume of another. */
export function checkPlaneSpace({ frame_of_reference: wanted }: PlaneQuery, own: string | undefined): void {
  if (wanted === undefined || wanted === own) return;
  const reason =
    own === undefined || isSpaceOfSeries(own)
      ? 'the volume has no Frame of Reference UID (0020,0052), and its coordinates are those of its series'
      : 'the volume has another frame of reference';
  throw mappingUnavailable(reason);
}

export function toPoint([x = NaN, y = NaN, z = NaN]: readonly number[]): Vector3 {
  return [x, y, z];
}
