import { dot, inPlaneAxes, normalOf, type Vector3 } from '../../../shared/geometry.ts';
import { findBentSlab, findSlab, type PlaneGrid, type PlaneSampling, type Slab } from '../../../shared/planeGrid.ts';
import {
  findSegment,
  INDEX_TOLERANCE,
  listSegments,
  type PositionTable,
  type TableSegment,
} from '../../../shared/positionTable.ts';
import type { NumberSamples } from '../../../shared/sampleArray.ts';
import { findInner, findNear, type LineRange, type VolumeLine } from './lineRange.ts';
import { type StridedLayout, type GridPlane, type GridSteps, projectGrid } from './projectGrid.ts';
import { projectLevel } from './projectLevel.ts';
import type { PlanePart, VolumeBox } from './volume.ts';
import { findStraight, wholePart } from './volumeBox.ts';
import { createValueReader, findLayout, type SampleLayout, type VolumeSamples, weigh } from './weighSamples.ts';

export type SampledPlane = {
  /**
   * Row by row, in stored or modality units: see `VolumeSamples.rescales`. NaN outside of the volume and in padding,
   * except that samples which are copied keep their padding.
   */
  readonly values: Float64Array;
  /** `stored`: every sample is one of the volume. */
  readonly sampling: 'stored' | 'nearest' | 'linear';
  readonly slab: Slab;
};

/**
 * Moves points (x, y, z, and so on) of a plane in place to where they lie in a volume, for a plane that is bent on its
 * way there. A point that lies nowhere becomes NaN.
 */
export type MovePoints = (points: Float64Array) => void;

/** Gives other work a chance, or throws if nobody waits for the plane any more. Called every some thousand samples. */
type OnProgress = () => void;

const TIE = 0.5 + INDEX_TOLERANCE;
const SAMPLES_BETWEEN_CHECKS = 2 ** 18;
/** Numbers of samples that fit into 32 bits are found faster. */
const MOST_COUNTED = 2 ** 31;

/**
 * Samples a plane, or a slab around it, of a volume. On the grid of the volume the samples are the stored ones. Beside
 * it they are interpolated linearly, or the nearest one is taken. Nothing is extrapolated: a sample reaches half a step
 * to each side of its centre, where its own value holds, and beyond there is nothing. Padding takes no part: the weights
 * of the other neighbours are scaled up, and if padding has more than half of the weight, the result is padding too.
 */
export function samplePlane(
  volume: VolumeSamples,
  grid: PlaneGrid,
  sampling: PlaneSampling,
  onProgress: OnProgress = () => {},
  move?: MovePoints,
): SampledPlane {
  const plane = planPlane(volume.table, grid, sampling, move);
  const { steps, slab } = plane;
  const sums = viewSums(new ArrayBuffer(bytesOfSums(grid, sampling)), grid);
  if (steps !== undefined && projectStored(volume, { ...plane, steps }, sums.values, onProgress)) {
    return { values: sums.values, sampling: 'stored', slab };
  }
  // Without sheets to combine, every sample is written once.
  if (slab.count > 1) begin(sums, plane);
  addPart(volume, plane, { sums, part: wholePart(grid, slab) }, onProgress);
  return finish(sums, plane);
}

/** Memory in which a plane is sampled part by part. */
export function bytesOfSums({ rows, columns }: PlaneGrid, { slabMm, projection }: PlaneSampling): number {
  return rows * columns * (slabMm > 0 && projection === 'mean' ? VALUE_BYTES + COUNT_BYTES : VALUE_BYTES);
}

export type PartOfPlane = {
  readonly part: PlanePart;
  readonly buffer: SharedArrayBuffer;
  /** The memory is not prepared yet. */
  readonly isFirst: boolean;
};

/**
 * Samples one part of a plane into memory of `bytesOfSums`, of a volume of which at least the samples for this part are
 * there. The sheets of a sample come in ascending order; `finishPlane` then gives what `samplePlane` gives, bit for bit.
 */
export function samplePart(
  volume: VolumeSamples,
  grid: PlaneGrid,
  sampling: PlaneSampling,
  { part, buffer, isFirst }: PartOfPlane,
  onProgress: OnProgress,
): void {
  const plane = planPlane(volume.table, grid, sampling, undefined);
  const sums = viewSums(buffer, grid);
  if (isFirst) begin(sums, plane);
  addPart(volume, plane, { sums, part }, onProgress);
}

/** The plane whose parts are all sampled. */
export function finishPlane(
  table: PositionTable,
  grid: PlaneGrid,
  sampling: PlaneSampling,
  buffer: SharedArrayBuffer,
): SampledPlane {
  return finish(viewSums(buffer, grid), planPlane(table, grid, sampling, undefined));
}

const VALUE_BYTES = 8;
const COUNT_BYTES = 4;

/** What all parts of a plane have in common. */
type PlanePlan = {
  readonly grid: PlaneGrid;
  readonly slab: Slab;
  readonly projection: Projection;
  readonly interpolation: PlaneSampling['interpolation'];
  /** Undefined if the plane is not on the grid of the volume. */
  readonly steps: GridSteps | undefined;
  readonly move: MovePoints | undefined;
};

function planPlane(
  table: PositionTable,
  grid: PlaneGrid,
  { interpolation, projection, ...size }: PlaneSampling,
  move: MovePoints | undefined,
): PlanePlan {
  const slab = move === undefined ? findSlab(table, grid, size) : findBentSlab(table, size);
  const steps = move === undefined ? findGridSteps(table, grid, slab) : undefined;
  return { grid, slab, projection, interpolation, steps, move };
}

/** What is known of each sample of a plane; the counts of a mean, otherwise none. */
type PlaneSums = { readonly values: Float64Array; readonly counts: Uint32Array };

function viewSums(buffer: ArrayBuffer | SharedArrayBuffer, { rows, columns }: PlaneGrid): PlaneSums {
  const size = rows * columns;
  return { values: new Float64Array(buffer, 0, size), counts: new Uint32Array(buffer, size * VALUE_BYTES) };
}

function begin({ values, counts }: PlaneSums, { slab, projection }: PlanePlan): void {
  counts.fill(0);
  if (slab.count === 1) values.fill(NaN);
  else values.fill(projection === 'max' ? -Infinity : projection === 'min' ? Infinity : 0);
}

function addPart(
  volume: VolumeSamples,
  plane: PlanePlan,
  { sums, part }: { readonly sums: PlaneSums; readonly part: PlanePart },
  onProgress: OnProgress,
): void {
  const { grid, slab, projection, interpolation, steps, move } = plane;
  const { values, counts } = sums;
  const isStraight = move === undefined && steps === undefined;
  if (isStraight && projectLevel(volume, plane, { values, part }, onProgress)) return;
  const options: RowOptions = {
    sampling: steps === undefined ? interpolation : 'stored',
    steps,
    keepsPadding: slab.count === 1,
    stepMm: slab.stepMm,
    reader: undefined,
  };
  const sampleRow =
    move === undefined ? createRowSampler(volume, grid, options) : createBentSampler(volume, grid, options, move);
  const { columns } = grid;
  const sheet = new Float64Array(columns);
  const range = { first: part.columns.first, end: part.columns.last + 1 };
  let unchecked = 0;
  const check = () => {
    unchecked += range.end - range.first;
    if (unchecked <= SAMPLES_BETWEEN_CHECKS) return;
    unchecked = 0;
    onProgress();
  };
  for (let row = part.rows.first; row <= part.rows.last; row += 1) {
    const line = values.subarray(row * columns, (row + 1) * columns);
    if (slab.count === 1) sampleRow(row, 0, line, range);
    else {
      const ofLine = counts.subarray(row * columns, (row + 1) * columns);
      for (let step = part.sheets.first; step <= part.sheets.last; step += 1) {
        sampleRow(row, step, sheet, range);
        combine({ values: line, counts: ofLine }, sheet, projection, range);
        check();
      }
    }
    check();
  }
}

function finish({ values, counts }: PlaneSums, { slab, projection, steps, interpolation }: PlanePlan): SampledPlane {
  if (slab.count > 1) {
    if (projection === 'mean') {
      for (let i = 0; i < values.length; i++) values[i] = counts[i] === 0 ? NaN : values[i]! / counts[i]!;
    } else for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) values[i] = NaN;
  }
  return { values, sampling: steps === undefined ? interpolation : 'stored', slab };
}

/** Finds the samples of a volume that a plane shows if nothing is interpolated. */
export type SampleLocator = {
  readonly slab: Slab;
  /** Writes the number of the sample for each column of a row of a sheet; NaN outside of the volume. */
  readonly locateRow: RowSampler;
};

/** Masks are cut with this, so that they have the same samples as an image on the same grid. */
export function createSampleLocator(
  table: PositionTable,
  grid: PlaneGrid,
  slabMm: number,
  move?: MovePoints,
): SampleLocator {
  const slab = move === undefined ? findSlab(table, grid, { slabMm }) : findBentSlab(table, { slabMm });
  const volume = { table, samples: NO_SAMPLES };
  const options = { sampling: 'nearest', keepsPadding: true, stepMm: slab.stepMm, reader: numberOf } as const;
  if (move !== undefined) {
    return { slab, locateRow: createBentSampler(volume, grid, { ...options, steps: undefined }, move) };
  }
  const steps = findGridSteps(table, grid, slab);
  return { slab, locateRow: createRowSampler(volume, grid, { ...options, steps }) };
}

const NO_SAMPLES = new Uint8Array();

function numberOf(at: number): number {
  return at;
}

/** The quick way of samples that are only copied; false if they are not. */
function projectStored(volume: VolumeSamples, plane: GridPlane, values: Float64Array, onProgress: OnProgress): boolean {
  const { table, samples } = volume;
  const { grid, slab } = plane;
  const { box } = volume;
  const layout = box && findGridLayout(box);
  const isPlain = volume.slots === undefined && (box === undefined || layout !== undefined);
  if (!isPlain || createValueReader(volume, slab.count === 1) !== undefined) return false;
  let unchecked = 0;
  const onRow = () => {
    unchecked += grid.columns * (slab.first + slab.last + 1);
    if (unchecked <= SAMPLES_BETWEEN_CHECKS) return;
    unchecked = 0;
    onProgress();
  };
  const sizes: Vector3 = [table.positionsMm.length, table.rows, table.columns];
  return projectGrid({ samples, sizes, layout }, plane, values, { onRow });
}

function findGridLayout(box: VolumeBox): StridedLayout | undefined {
  const straight = findStraight(box);
  if (straight === undefined) return undefined;
  const size = box.rows * box.columns;
  const inSlice = straight.rows.first * box.columns + straight.columns.first;
  return { origin: -box.places.first * size - inSlice, strides: [size, box.columns, 1] };
}

type Projection = PlaneSampling['projection'];

/** NaN fails every comparison, so it takes no part. */
function combine(
  { values, counts }: PlaneSums,
  sheet: Float64Array,
  projection: Projection,
  { first, end }: LineRange,
): void {
  if (projection === 'max') {
    for (let i = first; i < end; i++) if (sheet[i]! > values[i]!) values[i] = sheet[i]!;
  } else if (projection === 'min') {
    for (let i = first; i < end; i++) if (sheet[i]! < values[i]!) values[i] = sheet[i]!;
  } else {
    for (let i = first; i < end; i++) {
      const value = sheet[i]!;
      if (Number.isNaN(value)) continue;
      values[i]! += value;
      counts[i]! += 1;
    }
  }
}

/** Place, row and column as a linear function of the plane's row, column and sheet, if all of them are whole. */
function findGridSteps(table: PositionTable, grid: PlaneGrid, slab: Slab): GridSteps | undefined {
  const normal = normalOf(table);
  const zStart = dot(normal, grid.position);
  const along = scale(grid.rowDirection, grid.columnSpacingMm);
  const down = scale(grid.columnDirection, grid.rowSpacingMm);
  const across = scale(normalOf(grid), slab.stepMm);
  const isFlat = (direction: Vector3, count: number) =>
    Math.abs(dot(direction, normal)) * count <= INDEX_TOLERANCE * table.spacingMm;
  const isParallel =
    isFlat(along, grid.columns) && isFlat(down, grid.rows) && (slab.count === 1 || isFlat(across, slab.count));
  const stack = isParallel ? findPlace(table, zStart) : findRegular(table);
  if (stack === undefined) return undefined;
  const { startMm, stepMm, place, row, column, rowShift, columnShift } = stack;
  const { alongRow, downColumn } = inPlaneAxes(table);
  const toIndices = (vector: Vector3, isPoint: boolean): Vector3 => {
    const zMm = dot(vector, normal) - (isPoint ? startMm : 0);
    const places = zMm / stepMm;
    return [
      (isPoint ? place : 0) + places,
      dot(vector, downColumn) / table.rowSpacingMm - (isPoint ? row : 0) - rowShift * places,
      dot(vector, alongRow) / table.columnSpacingMm - (isPoint ? column : 0) - columnShift * places,
    ];
  };
  const start = toWhole(toIndices(grid.position, true), 1);
  const perColumn = toWhole(toIndices(along, false), grid.columns);
  const perRow = toWhole(toIndices(down, false), grid.rows);
  const perSheet: Vector3 | undefined = slab.count === 1 ? [0, 0, 0] : toWhole(toIndices(across, false), slab.count);
  if (start === undefined || perRow === undefined || perColumn === undefined || perSheet === undefined)
    return undefined;
  return { start, perRow, perColumn, perSheet };
}

type RegularPlaces = {
  readonly place: number;
  readonly startMm: number;
  readonly stepMm: number;
  /** In-plane indices of the origin of the first sample, and how they change from place to place. */
  readonly row: number;
  readonly column: number;
  readonly rowShift: number;
  readonly columnShift: number;
};

/** The one place that a plane parallel to the slices lies in. */
function findPlace(table: PositionTable, zMm: number): RegularPlaces | undefined {
  const { positionsMm, spacingMm } = table;
  for (let place = 0; place < positionsMm.length; place += 1) {
    if (Math.abs(positionsMm[place]! - zMm) > INDEX_TOLERANCE * spacingMm) continue;
    const { row, column } = originAt(table, place);
    return { place, startMm: positionsMm[place]!, stepMm: spacingMm, row, column, rowShift: 0, columnShift: 0 };
  }
  return undefined;
}

/** All places, if they are evenly spaced along one line without a hole. */
function findRegular(table: PositionTable): RegularPlaces | undefined {
  const { positionsMm, isHole } = table;
  const last = positionsMm.length - 1;
  if (isHole.includes(1)) return undefined;
  const startMm = positionsMm[0]!;
  const stepMm = (positionsMm[last]! - startMm) / last;
  const { row, column } = originAt(table, 0);
  const end = originAt(table, last);
  const rowShift = (end.row - row) / last;
  const columnShift = (end.column - column) / last;
  for (let place = 1; place < last; place += 1) {
    const origin = originAt(table, place);
    const isOnLine =
      Math.abs(positionsMm[place]! - startMm - place * stepMm) <= INDEX_TOLERANCE * stepMm &&
      Math.abs(origin.row - row - place * rowShift) <= INDEX_TOLERANCE &&
      Math.abs(origin.column - column - place * columnShift) <= INDEX_TOLERANCE;
    if (!isOnLine) return undefined;
  }
  return { place: 0, startMm, stepMm, row, column, rowShift, columnShift };
}

function originAt(table: PositionTable, place: number) {
  const { points, rowSpacingMm, columnSpacingMm } = table;
  const { alongRow, downColumn } = inPlaneAxes(table);
  const point: Vector3 = [points[3 * place]!, points[3 * place + 1]!, points[3 * place + 2]!];
  return { row: dot(point, downColumn) / rowSpacingMm, column: dot(point, alongRow) / columnSpacingMm };
}

/** Rounded, if `count` steps stay within the tolerance. */
function toWhole(indices: Vector3, count: number): Vector3 | undefined {
  const whole: Vector3 = [Math.round(indices[0]), Math.round(indices[1]), Math.round(indices[2])];
  const isWhole = whole.every((index, axis) => Math.abs(indices[axis]! - index) * count <= INDEX_TOLERANCE);
  return isWhole ? whole : undefined;
}

function scale([x, y, z]: Vector3, factor: number): Vector3 {
  return [x * factor, y * factor, z * factor];
}

/** Writes the samples of a row of a sheet, or a range of them. */
type RowSampler = (row: number, sheet: number, line: Float64Array, range?: LineRange) => void;

type RowOptions = {
  readonly sampling: SampledPlane['sampling'];
  readonly steps: GridSteps | undefined;
  readonly keepsPadding: boolean;
  /** Distance between sheets. */
  readonly stepMm: number;
  /** Replaces the reading of samples. */
  readonly reader: SampleReader | undefined;
};

/** The value of a sample, by its number and its place. */
type SampleReader = (at: number, place: number) => number;

/** Writes the values of one row of one sheet of the plane. */
function createRowSampler(volume: VolumeSamples, grid: PlaneGrid, options: RowOptions): RowSampler {
  const { steps, sampling, keepsPadding, stepMm, reader } = options;
  if (steps !== undefined) return createCopier(volume, steps, reader ?? createValueReader(volume, keepsPadding));
  return createInterpolator(volume, grid, { isLinear: sampling === 'linear', keepsPadding, stepMm, reader });
}

function createCopier(volume: VolumeSamples, steps: GridSteps, valueOf: SampleReader | undefined): RowSampler {
  const { samples, table } = volume;
  const { rows, columns } = table;
  const places = table.positionsMm.length;
  const { stride, bases } = findLayout(volume);
  const isPlain = valueOf === undefined;
  const { start, perRow, perColumn, perSheet } = steps;
  return (row, sheet, line, { first, end } = { first: 0, end: line.length }) => {
    let place = start[0] + row * perRow[0] + sheet * perSheet[0] + first * perColumn[0];
    let y = start[1] + row * perRow[1] + sheet * perSheet[1] + first * perColumn[1];
    let x = start[2] + row * perRow[2] + sheet * perSheet[2] + first * perColumn[2];
    for (let i = first; i < end; i++) {
      if (place >= 0 && place < places && y >= 0 && y < rows && x >= 0 && x < columns) {
        const at = bases[place]! + y * stride + x;
        line[i] = isPlain ? samples[at]! : valueOf(at, place);
      } else line[i] = NaN;
      place += perColumn[0];
      y += perColumn[1];
      x += perColumn[2];
    }
  };
}

function createInterpolator(
  volume: VolumeSamples,
  grid: PlaneGrid,
  {
    isLinear,
    keepsPadding,
    stepMm,
    reader,
  }: Pick<RowOptions, 'keepsPadding' | 'stepMm' | 'reader'> & { readonly isLinear: boolean },
): RowSampler {
  const { table, samples } = volume;
  const { rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const { stride, bases } = findLayout(volume);
  const segments = listSegments(table);
  const normal = normalOf(table);
  const across = normalOf(grid);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const inRow = { z: normal, row: downColumn, column: alongRow };
  // Changes of position, row and column from one sample of the plane to the next.
  const zPerColumn = dot(inRow.z, grid.rowDirection) * grid.columnSpacingMm;
  const rowPerColumn = (dot(inRow.row, grid.rowDirection) * grid.columnSpacingMm) / rowSpacingMm;
  const columnPerColumn = (dot(inRow.column, grid.rowDirection) * grid.columnSpacingMm) / columnSpacingMm;
  const least = -0.5 - INDEX_TOLERANCE;
  const mostRow = rows - 0.5 - INDEX_TOLERANCE;
  const mostColumn = columns - 0.5 - INDEX_TOLERANCE;
  const isFloat = samples instanceof Float32Array || samples instanceof Float64Array;
  // Samples that are not numbers take no part either, so floats always need the careful way.
  const valueOf =
    reader ??
    createValueReader(volume, keepsPadding && !isLinear) ??
    (isFloat ? (at: number) => samples[at]! : undefined);

  // Only where samples are numbers without padding and without a rescale of their own.
  const regular = valueOf === undefined && samples.length < MOST_COUNTED ? findRegular(table) : undefined;
  const isWhole = volume.slots === undefined && volume.box === undefined;
  const fillInner = isLinear ? (isWhole ? interpolateWhole : interpolateInner) : copyInner;

  let nearest = 0;
  return (row, sheet, line, { first, end } = { first: 0, end: line.length }) => {
    const down = row * grid.rowSpacingMm;
    const aside = sheet * stepMm;
    const start: Vector3 = [
      grid.position[0] + grid.columnDirection[0] * down + across[0] * aside,
      grid.position[1] + grid.columnDirection[1] * down + across[1] * aside,
      grid.position[2] + grid.columnDirection[2] * down + across[2] * aside,
    ];
    const zStart = dot(inRow.z, start);
    const rowOfStart = dot(inRow.row, start) / rowSpacingMm;
    const columnOfStart = dot(inRow.column, start) / columnSpacingMm;
    if (regular === undefined) {
      sampleAny(first, end);
      return;
    }
    const zStep = zPerColumn / regular.stepMm;
    const z0 = (zStart - regular.startMm) / regular.stepMm;
    const volumeLine: VolumeLine = {
      places: table.positionsMm.length,
      rows,
      columns,
      zStart: z0,
      zStep,
      yStart: rowOfStart - regular.row - regular.rowShift * z0,
      yStep: rowPerColumn - regular.rowShift * zStep,
      xStart: columnOfStart - regular.column - regular.columnShift * z0,
      xStep: columnPerColumn - regular.columnShift * zStep,
    };
    // What is an edge is decided by the whole row, because it is rounded otherwise.
    const inner = findInner(volumeLine, line.length);
    const near = findNear(volumeLine, line.length, 1 + Math.abs(regular.rowShift) + Math.abs(regular.columnShift));
    const nearFirst = Math.min(Math.max(near.first, first), end);
    const nearEnd = Math.min(Math.max(near.end, nearFirst), end);
    const innerFirst = Math.min(Math.max(inner.first, nearFirst), nearEnd);
    const innerEnd = Math.min(Math.max(inner.end, innerFirst), nearEnd);
    line.fill(NaN, first, nearFirst);
    sampleAny(nearFirst, innerFirst);
    fillInner(samples, { stride, bases }, volumeLine, line, { first: innerFirst, end: innerEnd });
    sampleAny(innerEnd, nearEnd);
    line.fill(NaN, nearEnd, end);

    function sampleAny(from: number, to: number): void {
      let segment: TableSegment = segments[nearest]!;
      let startMm = Infinity;
      let endMm = -Infinity;
      let [y0, yStep, x0, xStep] = [0, 0, 0, 0];
      let [ofLower, ofUpper] = [0, 0];
      for (let i = from; i < to; i++) {
        const z = zStart + i * zPerColumn;
        if (!(z >= startMm && z < endMm)) {
          nearest =
            z >= endMm && nearest + 1 < segments.length
              ? findSegment(segments, z, nearest + 1)
              : findSegment(segments, z, nearest);
          segment = segments[nearest]!;
          ({ startMm, endMm } = segment);
          y0 = rowOfStart - segment.rowStart - segment.rowStep * zStart;
          yStep = rowPerColumn - segment.rowStep * zPerColumn;
          x0 = columnOfStart - segment.columnStart - segment.columnStep * zStart;
          xStep = columnPerColumn - segment.columnStep * zPerColumn;
          ofLower = bases[segment.lower] ?? NaN;
          ofUpper = bases[segment.upper] ?? NaN;
        }
        const { lower, upper } = segment;
        let y = y0 + i * yStep;
        let x = x0 + i * xStep;
        if (lower < 0 || !(y >= least && y < mostRow && x >= least && x < mostColumn)) {
          line[i] = NaN;
          continue;
        }
        const part = lower === upper ? 0 : (z - segment.lowerMm) * segment.placesPerMm;
        if (!isLinear) {
          const isUpper = part + TIE >= 1;
          const at = (isUpper ? ofUpper : ofLower) + Math.floor(y + TIE) * stride + Math.floor(x + TIE);
          line[i] = valueOf === undefined ? samples[at]! : valueOf(at, isUpper ? upper : lower);
          continue;
        }
        y = y < 0 ? 0 : y > rows - 1 ? rows - 1 : y;
        x = x < 0 ? 0 : x > columns - 1 ? columns - 1 : x;
        const wholeY = Math.floor(y + INDEX_TOLERANCE);
        const wholeX = Math.floor(x + INDEX_TOLERANCE);
        const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
        const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
        const isAtUpper = part > 1 - INDEX_TOLERANCE;
        const place = isAtUpper ? upper : lower;
        const partZ = isAtUpper || part < INDEX_TOLERANCE ? 0 : part;
        const inSlice = wholeY * stride + wholeX;
        const right = partX === 0 ? 0 : 1;
        const below = partY === 0 ? 0 : stride;
        const at = (isAtUpper ? ofUpper : ofLower) + inSlice;
        if (valueOf !== undefined) {
          const above = partZ === 0 ? -1 : ofUpper + inSlice;
          line[i] = weigh(valueOf, { at, above, place, upper, right, below, partX, partY, partZ });
          continue;
        }
        const value = bilinear(samples, at, right, below, partX, partY);
        line[i] =
          partZ === 0
            ? value
            : value + partZ * (bilinear(samples, ofUpper + inSlice, right, below, partX, partY) - value);
      }
    }
  };
}

/**
 * The samples of a row that have neighbours on all sides, in a volume of evenly spaced slices: the place, the row and the
 * column grow by the same steps everywhere, so nothing must be found or checked for each sample.
 */
function interpolateInner(
  samples: NumberSamples,
  { stride, bases }: SampleLayout,
  { zStart, zStep, yStart, yStep, xStart, xStep }: VolumeLine,
  line: Float64Array,
  { first, end }: LineRange,
): void {
  for (let i = first; i < end; i++) {
    const z = zStart + i * zStep;
    const y = yStart + i * yStep;
    const x = xStart + i * xStep;
    const wholeZ = (z + INDEX_TOLERANCE) | 0;
    const wholeY = (y + INDEX_TOLERANCE) | 0;
    const wholeX = (x + INDEX_TOLERANCE) | 0;
    const partZ = z - wholeZ < INDEX_TOLERANCE ? 0 : z - wholeZ;
    const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
    const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
    // A neighbour without weight may not be in memory.
    const right = partX === 0 ? 0 : 1;
    const below = partY === 0 ? 0 : stride;
    const inSlice = wholeY * stride + wholeX;
    const at = (bases[wholeZ]! + inSlice) | 0;
    const above = partZ === 0 ? at : (bases[wholeZ + 1]! + inSlice) | 0;
    const a = samples[at]!;
    const b = samples[at + right]!;
    const c = samples[at + below]!;
    const d = samples[at + below + right]!;
    const e = samples[above]!;
    const f = samples[above + right]!;
    const g = samples[above + below]!;
    const h = samples[above + below + right]!;
    const top = a + partX * (b - a);
    const value = top + partY * (c + partX * (d - c) - top);
    const topAbove = e + partX * (f - e);
    line[i] = value + partZ * (topAbove + partY * (g + partX * (h - g) - topAbove) - value);
  }
}

/**
 * The same in a volume of which all slices are in memory, one after the other, so that neighbours without weight may be
 * read. This gives the same values.
 */
function interpolateWhole(
  samples: NumberSamples,
  { stride, bases }: SampleLayout,
  { zStart, zStep, yStart, yStep, xStart, xStep }: VolumeLine,
  line: Float64Array,
  { first, end }: LineRange,
): void {
  const slice = bases[1]! | 0;
  for (let i = first; i < end; i++) {
    const z = zStart + i * zStep;
    const y = yStart + i * yStep;
    const x = xStart + i * xStep;
    const wholeZ = (z + INDEX_TOLERANCE) | 0;
    const wholeY = (y + INDEX_TOLERANCE) | 0;
    const wholeX = (x + INDEX_TOLERANCE) | 0;
    const partZ = z - wholeZ < INDEX_TOLERANCE ? 0 : z - wholeZ;
    const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
    const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
    const at = (Math.imul(wholeZ, slice) + Math.imul(wholeY, stride) + wholeX) | 0;
    const below = (at + stride) | 0;
    const above = (at + slice) | 0;
    const belowAbove = (above + stride) | 0;
    const a = samples[at]!;
    const b = samples[at + 1]!;
    const c = samples[below]!;
    const d = samples[below + 1]!;
    const e = samples[above]!;
    const f = samples[above + 1]!;
    const g = samples[belowAbove]!;
    const h = samples[belowAbove + 1]!;
    const top = a + partX * (b - a);
    const value = top + partY * (c + partX * (d - c) - top);
    const topAbove = e + partX * (f - e);
    line[i] = value + partZ * (topAbove + partY * (g + partX * (h - g) - topAbove) - value);
  }
}

/** The same without interpolation: the nearest sample. */
function copyInner(
  samples: NumberSamples,
  { stride, bases }: SampleLayout,
  { zStart, zStep, yStart, yStep, xStart, xStep }: VolumeLine,
  line: Float64Array,
  { first, end }: LineRange,
): void {
  for (let i = first; i < end; i++) {
    const z = (zStart + i * zStep + TIE) | 0;
    const y = (yStart + i * yStep + TIE) | 0;
    const x = (xStart + i * xStep + TIE) | 0;
    line[i] = samples[(bases[z]! + y * stride + x) | 0]!;
  }
}

/** The same for a plane whose points are moved one by one, so that its rows are no lines in the volume. */
function createBentSampler(
  volume: VolumeSamples,
  grid: PlaneGrid,
  { sampling, keepsPadding, stepMm, reader }: RowOptions,
  move: MovePoints,
): RowSampler {
  const { table, samples } = volume;
  const { rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const { stride, bases } = findLayout(volume);
  const segments = listSegments(table);
  const [normal, across] = [normalOf(table), normalOf(grid)];
  const { alongRow, downColumn } = inPlaneAxes(table);
  const isLinear = sampling === 'linear';
  const valueOf = reader ?? createValueReader(volume, keepsPadding && !isLinear) ?? ((at: number) => samples[at]!);
  const { position, rowDirection, columnDirection } = grid;
  const points = new Float64Array(3 * grid.columns);
  const least = -0.5 - INDEX_TOLERANCE;
  let near = 0;
  return (row, sheet, line) => {
    const [down, aside] = [row * grid.rowSpacingMm, sheet * stepMm];
    for (let i = 0; i < line.length; i++) {
      const along = i * grid.columnSpacingMm;
      for (let axis = 0; axis < 3; axis++) {
        points[3 * i + axis] =
          position[axis]! + rowDirection[axis]! * along + columnDirection[axis]! * down + across[axis]! * aside;
      }
    }
    move(points);
    for (let i = 0; i < line.length; i++) {
      const point: Vector3 = [points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!];
      const z = dot(normal, point);
      line[i] = NaN;
      if (Number.isNaN(z)) continue;
      near = findSegment(segments, z, near);
      const segment = segments[near]!;
      const { lower, upper } = segment;
      const freeY = dot(downColumn, point) / rowSpacingMm - segment.rowStart - segment.rowStep * z;
      const freeX = dot(alongRow, point) / columnSpacingMm - segment.columnStart - segment.columnStep * z;
      const isInside =
        freeY >= least &&
        freeX >= least &&
        freeY < rows - 0.5 - INDEX_TOLERANCE &&
        freeX < columns - 0.5 - INDEX_TOLERANCE;
      if (lower < 0 || !isInside) continue;
      const part = lower === upper ? 0 : (z - segment.lowerMm) * segment.placesPerMm;
      if (!isLinear) {
        const place = part + TIE >= 1 ? upper : lower;
        line[i] = valueOf(bases[place]! + Math.floor(freeY + TIE) * stride + Math.floor(freeX + TIE), place);
        continue;
      }
      const y = Math.min(Math.max(freeY, 0), rows - 1);
      const x = Math.min(Math.max(freeX, 0), columns - 1);
      const [wholeY, wholeX] = [Math.floor(y), Math.floor(x)];
      const inSlice = wholeY * stride + wholeX;
      const [partY, partX] = [y - wholeY, x - wholeX];
      line[i] = weigh(valueOf, {
        at: bases[lower]! + inSlice,
        above: part === 0 ? -1 : bases[upper]! + inSlice,
        place: lower,
        upper,
        right: partX === 0 ? 0 : 1,
        below: partY === 0 ? 0 : stride,
        partX,
        partY,
        partZ: part,
      });
    }
  };
}

function bilinear(
  samples: NumberSamples,
  at: number,
  right: number,
  below: number,
  partX: number,
  partY: number,
): number {
  const a = samples[at]!;
  const c = samples[at + below]!;
  const top = a + partX * (samples[at + right]! - a);
  return top + partY * (c + partX * (samples[at + below + right]! - c) - top);
}
