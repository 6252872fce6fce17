import { cross, dot, lengthOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { Affine, ArrayHeader } from '../../../images/attachments/arrayHeader.ts';
import type { ArrayOrder, OrderedAxis } from './arrayOrder.ts';
import { besideNothing, type StackGrid } from './stackGrids.ts';

/** How an array fits a stack. */
export type ArrayMatch = {
  readonly method: 'by_grid' | 'direct' | 'by_shape';
  readonly reason: string;
  readonly order: ArrayOrder;
  /** All orders in which it fits, if only its sizes say so, the most usual first: the user may choose. */
  readonly orders: readonly ArrayOrder[];
  /** The largest distance between the corners of the slices of both. */
  readonly residualMm: number | undefined;
  /** The slices of the array where they are not those of the stack. */
  readonly table: PositionTable | undefined;
  readonly warning: { readonly code: string; readonly message: string } | undefined;
  /** How it would lie exactly on the images if its x and y ran the other way, where they do not as written. */
  readonly other?: ArrayMatch | undefined;
};

export type MatchAnswer =
  | ArrayMatch
  | { readonly method: 'none'; readonly reason: string }
  | {
      readonly method: 'ambiguous';
      readonly reason: string;
      /** The most usual of the ways in which it fits. */
      readonly usual: ArrayMatch;
    };

/** Whether an array fits a stack: by its affine, or by its sizes if it has none. */
export function matchArray(header: ArrayHeader, grid: StackGrid): MatchAnswer {
  const { affine, spatialAxes } = header;
  if (affine === undefined || spatialAxes === undefined) return matchShape(header, grid);
  const inSpace: MatchAnswer =
    grid.table === undefined
      ? { method: 'none', reason: grid.problem ?? 'the images have no position' }
      : matchGrid(header, { affine, spatialAxes, table: grid.table, placeCount: grid.placeCount });
  if (inSpace.method === 'by_grid') return inSpace;
  const other =
    grid.table &&
    matchExactly(header, { affine: mirror(affine), spatialAxes, table: grid.table, placeCount: grid.placeCount });
  if (inSpace.method === 'direct') return other === undefined ? inSpace : { ...inSpace, other, warning: OTHER_FITS };
  if (other !== undefined)
    return { method: 'ambiguous', reason: `${inSpace.reason}; ${OTHER_FITS.message}`, usual: other };
  // Programs often write an affine that is not that of the images. The user may lay it there nevertheless.
  const byShape = matchShape(header, grid);
  if (byShape.method === 'none') return inSpace;
  const reason = `${inSpace.reason}; only its sizes are those of the images`;
  return { method: 'ambiguous', reason, usual: 'usual' in byShape ? byShape.usual : byShape };
}

/** Programs exchange RAS and LPS, of which x and y are opposite: such a file is mirrored twice. */
const OTHER_FITS = {
  code: 'other_reading_fits',
  message:
    'its coordinates would lie exactly on the images if x and y ran the other way: perhaps they are LPS, written as RAS',
};

function mirror([ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z]: Affine): Affine {
  return [-ax, -ay, az, -bx, -by, bz, -cx, -cy, cz, -x, -y, z];
}

type Placed = {
  readonly affine: Affine;
  readonly spatialAxes: readonly [number, number, number];
  readonly table: PositionTable;
  readonly placeCount: number;
};

const SAME_AXIS = 0.99;
const LEAST_TOLERANCE_MM = 0.01;
const TOLERANCE_OF_SPACING = 0.01;

function matchGrid(header: ArrayHeader, placed: Placed): MatchAnswer {
  return matchExactly(header, placed) ?? matchSpace(header, placed);
}

/** Undefined if the voxels are not those of the images. */
function matchExactly(header: ArrayHeader, placed: Placed): ArrayMatch | undefined {
  const { table, placeCount, spatialAxes } = placed;
  const steps = stepsOf(table, placeCount);
  const columns = columnsOf(placed.affine);
  const axes = steps.map((step) => findAxis(step, columns));
  const [along, down, through] = axes;
  const isPermuted = along && down && through && new Set(axes.map((one) => one?.axis)).size === 3;
  if (isPermuted) {
    const sizes = axes.map((one) => header.sizes[spatialAxes[one!.axis]!]!);
    const areEqual = sizes[0] === table.columns && sizes[1] === table.rows && sizes[2] === placeCount;
    const residualMm = areEqual ? largestDistance(placed, [along, down, through]) : Infinity;
    const spacing = Math.min(table.rowSpacingMm, table.columnSpacingMm, table.spacingMm);
    if (residualMm <= Math.max(LEAST_TOLERANCE_MM, TOLERANCE_OF_SPACING * spacing)) {
      const of = ({ axis, isReversed }: OrderedAxis) => ({ axis: spatialAxes[axis]!, isReversed });
      return {
        method: 'by_grid',
        reason: 'the grid of the file is that of the images',
        order: { columns: of(along), rows: of(down), slices: of(through), channels: findChannels(header, spatialAxes) },
        orders: [],
        residualMm,
        table: undefined,
        warning: undefined,
      };
    }
  }
  return undefined;
}

/** From one column, row and slice of a stack to the next. */
function stepsOf(table: PositionTable, placeCount: number): readonly Vector3[] {
  const { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, points } = table;
  const last = 3 * (placeCount - 1);
  const way: Vector3 =
    placeCount > 1
      ? [points[last]! - points[0]!, points[last + 1]! - points[1]!, points[last + 2]! - points[2]!]
      : cross(rowDirection, columnDirection);
  return [times(rowDirection, columnSpacingMm), times(columnDirection, rowSpacingMm), way];
}

function times(vector: Vector3, factor: number): Vector3 {
  return [vector[0] * factor, vector[1] * factor, vector[2] * factor];
}

function columnsOf(affine: Affine): readonly Vector3[] {
  return [0, 1, 2].map((axis): Vector3 => [affine[3 * axis]!, affine[3 * axis + 1]!, affine[3 * axis + 2]!]);
}

function findAxis(step: Vector3, columns: readonly Vector3[]): OrderedAxis | undefined {
  for (const [axis, column] of columns.entries()) {
    const cosine = dot(step, column) / (lengthOf(step) * lengthOf(column));
    if (Math.abs(cosine) >= SAME_AXIS) return { axis, isReversed: cosine < 0 };
  }
  return undefined;
}

/** Between the four corners of every slice of the stack and the same samples of the array. */
function largestDistance(
  { affine, table, placeCount }: Placed,
  [along, down, through]: readonly [OrderedAxis, OrderedAxis, OrderedAxis],
): number {
  const counts = [table.columns, table.rows, placeCount];
  const columns = columnsOf(affine);
  const origin: Vector3 = [affine[9], affine[10], affine[11]];
  let largest = 0;
  for (let place = 0; place < placeCount; place += 1) {
    const point: Vector3 = [table.points[3 * place]!, table.points[3 * place + 1]!, table.points[3 * place + 2]!];
    for (const row of [0, table.rows - 1]) {
      for (const column of [0, table.columns - 1]) {
        const own = plus(
          plus(point, times(table.rowDirection, column * table.columnSpacingMm)),
          times(table.columnDirection, row * table.rowSpacingMm),
        );
        const other = [
          [along, indexOf(column, along, counts[0]!)] as const,
          [down, indexOf(row, down, counts[1]!)] as const,
          [through, indexOf(place, through, counts[2]!)] as const,
        ].reduce((sum, [{ axis }, index]) => plus(sum, times(columns[axis]!, index)), origin);
        largest = Math.max(largest, lengthOf(subtract(own, other)));
      }
    }
  }
  return largest;
}

function indexOf(at: number, { isReversed }: OrderedAxis, count: number): number {
  return isReversed ? count - 1 - at : at;
}

function plus(a: Vector3, b: Vector3): Vector3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function findChannels({ sizes }: ArrayHeader, spatial: readonly number[]): number | undefined {
  const axis = sizes.findIndex((_, at) => !spatial.includes(at));
  return axis < 0 ? undefined : axis;
}

const LEAST_OVERLAP = 0.5;
const RIGHT_ANGLE = 1e-3;

/** An array with another grid lies where its coordinates say, if they are about the same part of the patient. */
function matchSpace(header: ArrayHeader, { affine, spatialAxes, table, placeCount }: Placed): MatchAnswer {
  const [i, j, k] = spatialAxes;
  const [ni, nj, nk] = [header.sizes[i]!, header.sizes[j]!, header.sizes[k]!];
  const steps = stepsOf(table, placeCount);
  const slices = placeCount > 1 ? times(steps[2]!, 1 / (placeCount - 1)) : times(steps[2]!, table.spacingMm);
  const own = boxOf(columnsOf(affine), [affine[9], affine[10], affine[11]], [ni, nj, nk]);
  const other = boxOf(
    [steps[0]!, steps[1]!, slices],
    [table.points[0]!, table.points[1]!, table.points[2]!],
    [table.columns, table.rows, placeCount],
  );
  const shared = overlapOf(own, other) / Math.min(volumeOf(own), volumeOf(other));
  if (!(shared >= LEAST_OVERLAP)) return { method: 'none', reason: 'the file lies in another part of space' };
  const ownTable = buildTable(affine, [ni, nj, nk]);
  if (ownTable === undefined)
    return { method: 'none', reason: 'the rows and columns of the file are not at right angles' };
  return {
    method: 'direct',
    reason: 'the file has another grid, and lies where its coordinates in the patient say',
    order: {
      columns: { axis: i, isReversed: false },
      rows: { axis: j, isReversed: false },
      slices: { axis: k, isReversed: ownTable.isReversed },
      channels: findChannels(header, spatialAxes),
    },
    orders: [],
    residualMm: undefined,
    table: ownTable.table,
    warning: undefined,
  };
}

type Box = { readonly low: Vector3; readonly high: Vector3 };

/** Around all samples, each with its extent. */
function boxOf(steps: readonly Vector3[], origin: Vector3, counts: readonly [number, number, number]): Box {
  const low = [...origin];
  const high = [...origin];
  for (let axis = 0; axis < 3; axis += 1) {
    for (const [at, step] of steps.entries()) {
      const [from, to] = [-0.5 * step[axis]!, (counts[at]! - 0.5) * step[axis]!];
      low[axis]! += Math.min(from, to);
      high[axis]! += Math.max(from, to);
    }
  }
  return { low: [low[0]!, low[1]!, low[2]!], high: [high[0]!, high[1]!, high[2]!] };
}

function overlapOf(a: Box, b: Box): number {
  return [0, 1, 2].reduce(
    (volume, axis) =>
      volume * Math.max(0, Math.min(a.high[axis]!, b.high[axis]!) - Math.max(a.low[axis]!, b.low[axis]!)),
    1,
  );
}

function volumeOf({ low, high }: Box): number {
  return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
}

/** Slices along the third axis; reversed if that is against the normal, because places ascend along it. */
function buildTable(
  affine: Affine,
  [ni, nj, nk]: readonly [number, number, number],
): { readonly table: PositionTable; readonly isReversed: boolean } | undefined {
  const [a, b, c] = columnsOf(affine);
  const [columnSpacingMm, rowSpacingMm] = [lengthOf(a!), lengthOf(b!)];
  const rowDirection = times(a!, 1 / columnSpacingMm);
  const columnDirection = times(b!, 1 / rowSpacingMm);
  if (Math.abs(dot(rowDirection, columnDirection)) > RIGHT_ANGLE) return undefined;
  const normal = cross(rowDirection, columnDirection);
  const gapMm = dot(normal, c!);
  const isReversed = gapMm < 0;
  const origin: Vector3 = [affine[9], affine[10], affine[11]];
  const pointAt = (place: number) => plus(origin, times(c!, isReversed ? nk - 1 - place : place));
  const spacingMm = Math.abs(gapMm);
  const shape = { rowDirection, columnDirection, rows: nj, columns: ni, rowSpacingMm, columnSpacingMm, spacingMm };
  if (nk === 1) return { isReversed, table: { ...shape, ...besideNothing(origin, normal, spacingMm) } };
  const points = Float64Array.from({ length: 3 * nk }, (_, at) => pointAt(Math.floor(at / 3))[at % 3]!);
  return {
    isReversed,
    table: {
      ...shape,
      points,
      positionsMm: Float64Array.from({ length: nk }, (_, place) => dot(normal, pointAt(place))),
      isHole: new Uint8Array(nk - 1),
    },
  };
}

/** Orders of three axes: columns, rows, slices. */
const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 0, 2],
  [1, 2, 0],
  [0, 2, 1],
  [2, 0, 1],
] as const;

/** The two orders that libraries use: neighbours in memory are in a row, or the other way round. */
const USUAL_ORDERS = 2;

function matchShape({ sizes, spatialAxes }: ArrayHeader, grid: StackGrid): MatchAnswer {
  const wanted = `${grid.columns} x ${grid.rows} x ${grid.placeCount}`;
  const none = { method: 'none', reason: `its sizes are not ${wanted}, those of the images` } as const;
  // The axis that is not in space is the slowest one if that fits, otherwise the fastest one.
  const spaces =
    spatialAxes === undefined && sizes.length === 4
      ? [
          [0, 1, 2],
          [1, 2, 3],
        ]
      : [spatialAxes ?? [0, 1, 2]];
  for (const axes of spaces) {
    const fitting = ORDERS.filter(
      ([column, row, slice]) =>
        sizes[axes[column]] === grid.columns &&
        sizes[axes[row]] === grid.rows &&
        sizes[axes[slice]] === grid.placeCount,
    );
    const [first] = fitting;
    if (first === undefined) continue;
    const isUsual = ORDERS.indexOf(first) < USUAL_ORDERS;
    const slicesDiffer = grid.placeCount !== grid.rows && grid.placeCount !== grid.columns;
    const axis = (at: number) => ({ axis: axes[at]!, isReversed: false });
    const channel = sizes.findIndex((_, at) => !axes.includes(at));
    const orders = fitting.map((order): ArrayOrder => ({
      columns: axis(order[0]),
      rows: axis(order[1]),
      slices: axis(order[2]),
      channels: channel < 0 ? undefined : channel,
    }));
    const usual: ArrayMatch = {
      method: 'by_shape',
      reason: 'the file has no affine; it lies here because its sizes are those of the images',
      order: orders[0]!,
      orders,
      residualMm: undefined,
      table: undefined,
      warning: {
        code: 'placed_by_shape',
        message:
          fitting.length > 1
            ? 'only the sizes agree, and axes have equal sizes: check the orientation'
            : 'only the sizes agree: check the orientation',
      },
    };
    if (fitting.length === 1 || (isUsual && slicesDiffer)) return usual;
    const reason = 'the axes of the file have equal sizes, so that it fits in several ways';
    return { method: 'ambiguous', reason, usual };
  }
  return none;
}
