import type { Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling, Slab } from '../../../shared/planeGrid.ts';
import type { NumberSamples } from '../../../shared/sampleArray.ts';
import { createSlabKernel, type SlabKernel } from './slabKernel.ts';

/** Indices that are whole for every sample of a plane: those of the first one, and the steps from one to the next. */
export type GridSteps = {
  /** Place, row and column. */
  readonly start: Vector3;
  readonly perRow: Vector3;
  readonly perColumn: Vector3;
  readonly perSheet: Vector3;
};

export type GridVolume = {
  readonly samples: NumberSamples;
  /** Number of places, rows and columns. */
  readonly sizes: Vector3;
  /** Where the samples are; by default all of them, one slice after the other. */
  readonly layout?: StridedLayout | undefined;
};

/** The sample of a place, row and column is as many steps after `origin`. */
export type StridedLayout = { readonly origin: number; readonly strides: Vector3 };

export type GridPlane = {
  readonly grid: Pick<PlaneGrid, 'rows' | 'columns'>;
  readonly steps: GridSteps;
  readonly slab: Slab;
  readonly projection: PlaneSampling['projection'];
};

type ProjectOptions = {
  readonly onRow: () => void;
  /** Default: the one of this thread; null for none. */
  readonly kernel?: SlabKernel | null | undefined;
};

type WholeSamples = Exclude<NumberSamples, Float32Array | Float64Array>;

/**
 * Writes a plane or slab along the axes of a volume of whole numbers that need no check for padding, which is most of
 * them. The bounds are then the same for all samples of a row, and the samples are a fixed step apart. False if the plane
 * is not of this kind. The result is that of sampling each sheet and combining them, bit for bit.
 */
export function projectGrid(
  { samples, sizes, layout }: GridVolume,
  plane: GridPlane,
  values: Float64Array,
  { onRow, kernel = findKernel() }: ProjectOptions,
): boolean {
  const { grid, steps, slab, projection } = plane;
  if (samples instanceof Float32Array || samples instanceof Float64Array) return false;
  const axes = findAxes(steps, slab);
  if (axes === undefined) return false;
  const { origin, strides } = layout ?? { origin: 0, strides: [sizes[1] * sizes[2], sizes[2], 1] satisfies Vector3 };
  const across = { start: steps.start[axes.column], step: steps.perColumn[axes.column], size: sizes[axes.column] };
  const through = { start: steps.start[axes.sheet], step: steps.perSheet[axes.sheet], size: sizes[axes.sheet] };
  const columns = findInside(across, 0, grid.columns);
  const sheets = findInside(through, -slab.first, slab.last + 1);
  const count = columns.end - columns.first;
  const isWhole = count === grid.columns && sheets.end > sheets.first;
  if (!isWhole) values.fill(NaN);
  if (count <= 0 || sheets.end <= sheets.first) return true;
  const sheetCount = sheets.end - sheets.first;
  const strideColumn = across.step * strides[axes.column];
  const strideSheet = through.step * strides[axes.sheet];
  const first =
    origin +
    steps.start[0] * strides[0] +
    steps.start[1] * strides[1] +
    steps.start[2] +
    columns.first * strideColumn +
    sheets.first * strideSheet;
  const projectRow = createRowProjector(samples, projection, {
    count,
    sheetCount,
    strideColumn,
    strideSheet,
    kernel,
  });
  for (let row = 0; row < grid.rows; row += 1) {
    const index = steps.start[axes.row] + row * steps.perRow[axes.row];
    const at = row * grid.columns + columns.first;
    if (!isInside(index, sizes[axes.row])) {
      values.fill(NaN, at, at + count);
      continue;
    }
    projectRow(first + row * steps.perRow[axes.row] * strides[axes.row], values.subarray(at, at + count));
    onRow();
  }
  return true;
}

type Axis = 0 | 1 | 2;

/** The axis of the volume that each step of the plane goes along; undefined if one goes along several. */
function findAxes({ perRow, perColumn, perSheet }: GridSteps, { count }: Slab) {
  const row = findAxis(perRow);
  const column = findAxis(perColumn);
  const rest = ([0, 1, 2] as const).find((axis) => axis !== row && axis !== column);
  const sheet = count === 1 ? rest : findAxis(perSheet);
  if (row === undefined || column === undefined || sheet === undefined) return undefined;
  return new Set([row, column, sheet]).size === 3 ? { row, column, sheet } : undefined;
}

function findAxis(step: Vector3): Axis | undefined {
  const [axis, ...others] = ([0, 1, 2] as const).filter((candidate) => step[candidate] !== 0);
  return others.length === 0 ? axis : undefined;
}

type Line = { readonly start: number; readonly step: number; readonly size: number };

/** The numbers from `from` up to but not including `to` whose samples are inside. */
function findInside({ start, step, size }: Line, from: number, to: number) {
  let first = from;
  let end = to;
  while (first < end && !isInside(start + first * step, size)) first += 1;
  while (end > first && !isInside(start + (end - 1) * step, size)) end -= 1;
  return { first, end };
}

function isInside(index: number, size: number): boolean {
  return index >= 0 && index < size;
}

type RowShape = {
  readonly count: number;
  readonly sheetCount: number;
  readonly strideColumn: number;
  readonly strideSheet: number;
  readonly kernel: SlabKernel | null;
};

/** Writes one row of the plane, whose first sample is at `at`. */
type RowProjector = (at: number, line: Float64Array) => void;

function createRowProjector(
  samples: WholeSamples,
  projection: PlaneSampling['projection'],
  shape: RowShape,
): RowProjector {
  const { count, sheetCount, strideColumn, strideSheet, kernel } = shape;
  if (sheetCount === 1) {
    return (at, line) => {
      for (let i = 0, from = at; i < count; i++, from += strideColumn) line[i] = samples[from]!;
    };
  }
  const is16 = samples instanceof Int16Array || samples instanceof Uint16Array;
  if (kernel !== null && is16 && projection !== 'mean' && Math.abs(strideColumn) === 1) {
    return createKernelProjector(samples, projection, { ...shape, kernel });
  }
  return Math.abs(strideSheet) < Math.abs(strideColumn)
    ? projectAlong(samples, projection, shape)
    : projectRows(samples, projection, shape);
}

/** The samples of a row follow each other, so that vectors of them can be compared. */
function createKernelProjector(
  samples: Int16Array | Uint16Array,
  projection: 'max' | 'min',
  { count, sheetCount, strideColumn, strideSheet, kernel }: RowShape & { readonly kernel: SlabKernel },
): RowProjector {
  const isSigned = samples instanceof Int16Array;
  const words = new Uint16Array(samples.buffer, samples.byteOffset, samples.length);
  return (at, line) => {
    const { samples: rows, rowSamples } = kernel.prepare(sheetCount, count);
    const lowest = strideColumn < 0 ? at - count + 1 : at;
    if (strideSheet === rowSamples) rows.set(words.subarray(lowest, lowest + sheetCount * rowSamples));
    else {
      for (let sheet = 0, from = lowest; sheet < sheetCount; sheet++, from += strideSheet) {
        rows.set(words.subarray(from, from + count), sheet * rowSamples);
      }
    }
    line.set(kernel.project(projection, isSigned));
    if (strideColumn < 0) line.reverse();
  };
}

/** Sheets follow each other closely in memory: one sample of the plane after the other. */
function projectAlong(
  samples: WholeSamples,
  projection: PlaneSampling['projection'],
  { count, sheetCount, strideColumn, strideSheet }: RowShape,
): RowProjector {
  const length = sheetCount * strideSheet;
  if (projection === 'mean') {
    return (at, line) => {
      for (let i = 0, from = at; i < count; i++, from += strideColumn) {
        let sum = 0;
        for (let k = from; k !== from + length; k += strideSheet) sum += samples[k]!;
        line[i] = sum / sheetCount;
      }
    };
  }
  const isMax = projection === 'max';
  return (at, line) => {
    for (let i = 0, from = at; i < count; i++, from += strideColumn) {
      let found = samples[from]!;
      const end = from + length;
      if (isMax) for (let k = from; k !== end; k += strideSheet) found = samples[k]! > found ? samples[k]! : found;
      else for (let k = from; k !== end; k += strideSheet) found = samples[k]! < found ? samples[k]! : found;
      line[i] = found;
    }
  };
}

/** Columns follow each other more closely in memory: one sheet after the other. */
function projectRows(
  samples: WholeSamples,
  projection: PlaneSampling['projection'],
  { count, sheetCount, strideColumn, strideSheet }: RowShape,
): RowProjector {
  const sums = new Float64Array(count);
  return (at, line) => {
    for (let i = 0, from = at; i < count; i++, from += strideColumn) sums[i] = samples[from]!;
    for (let sheet = 1; sheet < sheetCount; sheet++) {
      let from = at + sheet * strideSheet;
      if (projection === 'max') {
        for (let i = 0; i < count; i++, from += strideColumn) if (samples[from]! > sums[i]!) sums[i] = samples[from]!;
      } else if (projection === 'min') {
        for (let i = 0; i < count; i++, from += strideColumn) if (samples[from]! < sums[i]!) sums[i] = samples[from]!;
      } else for (let i = 0; i < count; i++, from += strideColumn) sums[i]! += samples[from]!;
    }
    if (projection === 'mean') for (let i = 0; i < count; i++) line[i] = sums[i]! / sheetCount;
    else line.set(sums);
  };
}

let known: { readonly kernel: SlabKernel | null } | undefined;

/** One for each thread: its memory is used within one call only. */
function findKernel(): SlabKernel | null {
  known ??= { kernel: createSlabKernel() ?? null };
  return known.kernel;
}
