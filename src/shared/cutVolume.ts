import { MOST_PLANE_SAMPLES } from './contract/volumes.ts';
import {
  cross,
  dot,
  normalOf,
  pixelToPatient,
  type PlaneOrientation,
  type PlaneSpace,
  type Vector3,
} from './geometry.ts';
import { extentAlong, type PlaneGrid } from './planeGrid.ts';
import { planeOfPlace, type PositionTable } from './positionTable.ts';
import type { PlaneName } from './planeNames.ts';

/** What a volume is cut by: where its slices lie, and in which coordinates. */
export type CutSource = { readonly table: PositionTable; readonly space: PlaneSpace };

/** The directions of planes: those of the patient, or turned ones through a point that one of them contains. */
export type CutDirection = {
  readonly name: PlaneName;
  readonly turned: { readonly orientation: PlaneOrientation; readonly through: Vector3 } | undefined;
};

/** All planes of a volume that are parallel to one: where each lies along the normal, and the samples of the first. */
export type PlaneCut = {
  /** The samples of the first plane. The others have the same, moved along the normal. */
  readonly grid: PlaneGrid;
  readonly normal: Vector3;
  /** Positions along the normal in millimetres from the origin, ascending. */
  readonly offsetsMm: Float64Array;
};

/** Up to this angle the axes of the volume are taken for those of the patient, so that nothing is interpolated. */
const NEAREST_AXES = Math.cos((5 * Math.PI) / 180);
const SAME_DIRECTION = 1 - 1e-8;
const MOST_SIDE = 4096;
const MOST_POSITIONS = 20_000;

/** Radiological directions: right on the left, front up, sagittal as seen from the left. */
const OF_PATIENT: Readonly<Record<PlaneName, PlaneOrientation>> = {
  axial: { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] },
  coronal: { rowDirection: [1, 0, 0], columnDirection: [0, 0, -1] },
  sagittal: { rowDirection: [0, 1, 0], columnDirection: [0, 0, -1] },
};

/** The directions of a plane before it is turned. */
export function straightOrientation({ table, space }: CutSource, name: PlaneName): PlaneOrientation {
  const axes = [table.rowDirection, table.columnDirection, normalOf(table)] as const;
  // Coordinates that are not those of a patient have no head and no front: planes are named by the acquisition.
  const near = space === 'patient' ? nearestAxes(axes) : axes;
  if (near === undefined) return OF_PATIENT[name];
  const { rowDirection, columnDirection } = OF_PATIENT[name];
  return { rowDirection: express(rowDirection, near), columnDirection: express(columnDirection, near) };
}

/** The plane that a specification names, through a volume. */
export function cutVolume(volume: CutSource, { name, turned }: CutDirection): PlaneCut {
  const { table } = volume;
  const orientation = turned?.orientation ?? straightOrientation(volume, name);
  const { rowDirection, columnDirection } = orientation;
  const normal = cross(rowDirection, columnDirection);
  const along = layGrid(table, rowDirection);
  const down = layGrid(table, columnDirection);
  const offsetsMm = listOffsets(table, normal, turned?.through);
  const first = offsetsMm[0] ?? 0;
  const at = (axis: 0 | 1 | 2) =>
    rowDirection[axis] * along.startMm + columnDirection[axis] * down.startMm + normal[axis] * first;
  const thinning = Math.max(
    1,
    along.count / MOST_SIDE,
    down.count / MOST_SIDE,
    Math.sqrt((along.count * down.count) / MOST_PLANE_SAMPLES),
  );
  return {
    grid: {
      position: [at(0), at(1), at(2)],
      rowDirection,
      columnDirection,
      rowSpacingMm: down.stepMm * thinning,
      columnSpacingMm: along.stepMm * thinning,
      rows: Math.max(1, Math.floor(down.count / thinning)),
      columns: Math.max(1, Math.floor(along.count / thinning)),
    },
    normal,
    offsetsMm,
  };
}

/** The samples at one position of a cut. */
export function gridAt({ grid, normal, offsetsMm }: PlaneCut, position: number): PlaneGrid {
  const by = (offsetsMm[position] ?? NaN) - (offsetsMm[0] ?? NaN);
  const at = (axis: 0 | 1 | 2) => grid.position[axis] + normal[axis] * by;
  return { ...grid, position: [at(0), at(1), at(2)] };
}

/**
 * The same plane with twice the spacing. Each sample lies in the middle of the four that it stands for, otherwise the
 * picture would jump when the exact one follows.
 */
export function coarsen(grid: PlaneGrid): PlaneGrid {
  return {
    ...grid,
    // A single row or column has no other to stand for.
    position: pixelToPatient(grid, { row: grid.rows > 1 ? 0.5 : 0, column: grid.columns > 1 ? 0.5 : 0 }),
    rowSpacingMm: 2 * grid.rowSpacingMm,
    columnSpacingMm: 2 * grid.columnSpacingMm,
    rows: Math.ceil(grid.rows / 2),
    columns: Math.ceil(grid.columns / 2),
  };
}

/** The centre of a volume, on its grid of samples. */
export function middleOf(table: PositionTable): Vector3 {
  const place = Math.floor((table.positionsMm.length - 1) / 2);
  return pixelToPatient(planeOfPlace(table, place), {
    row: Math.floor((table.rows - 1) / 2),
    column: Math.floor((table.columns - 1) / 2),
  });
}

/** The axes of the volume that are nearest to left, back and head; undefined if one is farther than a few degrees. */
function nearestAxes(axes: readonly [Vector3, Vector3, Vector3]): readonly [Vector3, Vector3, Vector3] | undefined {
  const nearest = ([0, 1, 2] as const).map((axis) => {
    const found = axes.find((each) => Math.abs(each[axis]) >= NEAREST_AXES);
    return found === undefined || found[axis] > 0 ? found : scale(found, -1);
  });
  const [left, back, head] = nearest;
  return left === undefined || back === undefined || head === undefined ? undefined : [left, back, head];
}

function express(direction: Vector3, [x, y, z]: readonly [Vector3, Vector3, Vector3]): Vector3 {
  const at = (axis: 0 | 1 | 2) => direction[0] * x[axis] + direction[1] * y[axis] + direction[2] * z[axis];
  return [at(0), at(1), at(2)];
}

type Line = { readonly startMm: number; readonly stepMm: number; readonly count: number };

/** Samples along a direction over the whole volume: those of the volume if the direction is one of its axes. */
function layGrid(table: PositionTable, direction: Vector3): Line {
  const { isAxis, stepMm } = stepAlong(table, direction);
  const [fromMm, toMm] = extentAlong(table, direction, isAxis ? 0 : 0.5);
  const count = Math.max(1, Math.round((toMm - fromMm) / stepMm) + (isAxis ? 1 : 0));
  return { startMm: isAxis ? fromMm : fromMm + stepMm / 2, stepMm, count };
}

/** Slices where the planes are slices, and equal steps otherwise. */
function listOffsets(table: PositionTable, normal: Vector3, through: Vector3 | undefined): Float64Array {
  const sign = dot(normal, normalOf(table));
  if (Math.abs(sign) >= SAME_DIRECTION) {
    return sign > 0 ? table.positionsMm : table.positionsMm.map((position) => 0 - position).toReversed();
  }
  const { isAxis, stepMm } = stepAlong(table, normal);
  const [fromMm, toMm] = extentAlong(table, normal, 0);
  const anchor = through === undefined || isAxis ? fromMm : dot(normal, through);
  const first = Math.ceil((fromMm - anchor) / stepMm - 1e-6);
  const last = Math.floor((toMm - anchor) / stepMm + 1e-6);
  const count = Math.min(MOST_POSITIONS, Math.max(1, last - first + 1));
  return Float64Array.from({ length: count }, (_, i) => anchor + (first + i) * stepMm);
}

/** The distance of samples along an axis of the volume; the smallest one along any other direction. */
function stepAlong(table: PositionTable, direction: Vector3): { readonly isAxis: boolean; readonly stepMm: number } {
  const { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, spacingMm } = table;
  const isAlong = (axis: Vector3) => Math.abs(dot(axis, direction)) >= SAME_DIRECTION;
  if (isAlong(rowDirection)) return { isAxis: true, stepMm: columnSpacingMm };
  if (isAlong(columnDirection)) return { isAxis: true, stepMm: rowSpacingMm };
  if (isAlong(normalOf(table))) return { isAxis: true, stepMm: spacingMm };
  return { isAxis: false, stepMm: Math.min(rowSpacingMm, columnSpacingMm, spacingMm) };
}

function scale(vector: Vector3, by: number): Vector3 {
  return [vector[0] * by, vector[1] * by, vector[2] * by];
}
