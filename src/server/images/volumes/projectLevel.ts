import { dot, inPlaneAxes, normalOf, type Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling, Slab } from '../../../shared/planeGrid.ts';
import { findSegment, INDEX_TOLERANCE, listSegments } from '../../../shared/positionTable.ts';
import { findInner, findInside, type LineRange } from './lineRange.ts';
import type { PlanePart } from './volume.ts';
import { createValueReader, findLayout, type VolumeSamples, weigh } from './weighSamples.ts';

export type ProjectedPlane = {
  readonly grid: PlaneGrid;
  readonly slab: Slab;
  readonly projection: PlaneSampling['projection'];
  readonly interpolation: PlaneSampling['interpolation'];
};

const TIE = 0.5 + INDEX_TOLERANCE;
/** A row may leave its slice by this part of the distance of slices: the rounding of an orientation in an address. */
const FLATNESS = 1e-9;

/**
 * Adds a part of a slab to the maxima or minima so far, if its rows lie in the slices, as in the view of a patient from
 * any side. A row of a sheet is then between the same two slices, so nothing about them must be found for each sample.
 * False if the slab is not of this kind. The result is that of sampling each sheet, but for the rounding of numbers.
 */
export function projectLevel(
  volume: VolumeSamples,
  { grid, slab, projection, interpolation }: ProjectedPlane,
  {
    values,
    part: { rows: lines, columns: across, sheets },
  }: { readonly values: Float64Array; readonly part: PlanePart },
  onProgress: () => void,
): boolean {
  const { table, samples } = volume;
  const { rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const normal = normalOf(table);
  const reachMm = grid.columns * grid.columnSpacingMm;
  const isFlat = Math.abs(dot(grid.rowDirection, normal)) * reachMm <= FLATNESS * table.spacingMm;
  if (projection === 'mean' || slab.count === 1 || !isFlat) return false;

  const isMax = projection === 'max';
  const isNearest = interpolation === 'nearest';
  const away = normalOf(grid);
  const { stride, bases } = findLayout(volume);
  const segments = listSegments(table);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const readings = Array.from(table.positionsMm, (_, place) => readingOf(volume, place));
  const row: RowOfSheet = {
    isMax,
    rows,
    columns,
    stride,
    valueOf: createValueReader(volume, false) ?? ((at: number) => samples[at]!),
    yStep: (dot(downColumn, grid.rowDirection) * grid.columnSpacingMm) / rowSpacingMm,
    xStep: (dot(alongRow, grid.rowDirection) * grid.columnSpacingMm) / columnSpacingMm,
    yStart: 0,
    xStart: 0,
    at: 0,
    above: 0,
    partZ: 0,
    place: 0,
    upper: 0,
  };
  let near = 0;

  const [from, to] = [across.first, across.last + 1];
  const clip = (index: number) => Math.min(Math.max(index, from), to);
  for (let number = lines.first; number <= lines.last; number += 1) {
    const line = values.subarray(number * grid.columns, (number + 1) * grid.columns);
    const down = number * grid.rowSpacingMm;
    for (let sheet = sheets.first; sheet <= sheets.last; sheet += 1) {
      const aside = sheet * slab.stepMm;
      const pointX = grid.position[0] + grid.columnDirection[0] * down + away[0] * aside;
      const pointY = grid.position[1] + grid.columnDirection[1] * down + away[1] * aside;
      const pointZ = grid.position[2] + grid.columnDirection[2] * down + away[2] * aside;
      const start: Vector3 = [pointX, pointY, pointZ];
      const z = dot(normal, start);
      near = findSegment(segments, z, near);
      const segment = segments[near]!;
      const { lower, upper } = segment;
      if (lower < 0) continue;
      const part = lower === upper ? 0 : (z - segment.lowerMm) * segment.placesPerMm;
      const isAtUpper = isNearest ? part + TIE >= 1 : part > 1 - INDEX_TOLERANCE;
      const place = isAtUpper ? upper : lower;
      const partZ = isNearest || isAtUpper || part < INDEX_TOLERANCE ? 0 : part;
      row.partZ = partZ;
      row.place = place;
      row.upper = partZ === 0 ? place : upper;
      row.at = bases[place]!;
      row.above = bases[row.upper]!;
      row.yStart = dot(downColumn, start) / rowSpacingMm - segment.rowStart - segment.rowStep * z;
      row.xStart = dot(alongRow, start) / columnSpacingMm - segment.columnStart - segment.columnStep * z;
      const inside = findInside(row, grid.columns);
      const [first, end] = [clip(inside.first), clip(inside.end)];
      if (isNearest) projectNearest(samples, line, row, { first, end }, readings[place]!);
      else {
        // What is an edge is decided by the whole row, because it is rounded otherwise.
        const inner = findInner(row, inside.end);
        const innerPart = { first: clip(inner.first), end: clip(inner.end) };
        projectEdges(line, row, first, Math.min(innerPart.first, end));
        projectInner(samples, line, row, innerPart, readings[place]!, readings[row.upper]!);
        projectEdges(line, row, Math.max(first, innerPart.end), end);
      }
    }
    onProgress();
  }
  return true;
}

/** A row of a sheet in the volume. There are very many, so one object is used for all of them. */
type RowOfSheet = {
  readonly isMax: boolean;
  /** Size of a slice. */
  readonly rows: number;
  readonly columns: number;
  /** Samples from one row to the next in memory. */
  readonly stride: number;
  /** Reads a sample by its number and its place; NaN if it takes no part. */
  readonly valueOf: (at: number, place: number) => number;
  /** The index of its first sample, and how it grows from sample to sample. */
  readonly yStep: number;
  readonly xStep: number;
  yStart: number;
  xStart: number;
  /** Where the two slices begin, and the weight of the upper one; the same slice twice if there is only one. */
  at: number;
  above: number;
  partZ: number;
  place: number;
  upper: number;
};

/** How the samples of a slice are read: padding takes no part. */
type Reading = {
  readonly hasPadding: boolean;
  readonly low: number;
  readonly high: number;
  readonly slope: number;
  readonly intercept: number;
};

function readingOf({ paddings, rescales }: VolumeSamples, place: number): Reading {
  return {
    hasPadding: paddings !== undefined,
    low: paddings?.lows[place] ?? NaN,
    high: paddings?.highs[place] ?? NaN,
    slope: rescales?.slopes[place] ?? 1,
    intercept: rescales?.intercepts[place] ?? 0,
  };
}

/** The samples of a row from `from` up to `to` that have an edge of the volume beside them. */
function projectEdges(line: Float64Array, row: RowOfSheet, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const value = sampleAt(row, i);
    if (row.isMax ? value > line[i]! : value < line[i]!) line[i] = value;
  }
}

/** A sample with everything that edges and padding need. */
function sampleAt(row: RowOfSheet, i: number): number {
  const { rows, columns, stride, at, above, partZ, place, upper } = row;
  const y = Math.min(Math.max(row.yStart + i * row.yStep, 0), rows - 1);
  const x = Math.min(Math.max(row.xStart + i * row.xStep, 0), columns - 1);
  const [wholeY, wholeX] = [Math.floor(y + INDEX_TOLERANCE), Math.floor(x + INDEX_TOLERANCE)];
  const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
  const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
  const corner = wholeY * stride + wholeX;
  return weigh(row.valueOf, {
    at: at + corner,
    above: partZ === 0 ? -1 : above + corner,
    place,
    upper,
    right: partX === 0 ? 0 : 1,
    below: partY === 0 ? 0 : stride,
    partX,
    partY,
    partZ,
  });
}

/** The samples of a row that have neighbours on all sides. */
function projectInner(
  samples: VolumeSamples['samples'],
  line: Float64Array,
  row: RowOfSheet,
  { first, end }: LineRange,
  { hasPadding, low, high, slope, intercept }: Reading,
  { low: lowAbove, high: highAbove, slope: slopeAbove, intercept: interceptAbove }: Reading,
): void {
  const { isMax, stride, at, above, partZ, yStart, yStep, xStart, xStep } = row;
  for (let i = first; i < end; i++) {
    const y = yStart + i * yStep;
    const x = xStart + i * xStep;
    const wholeY = (y + INDEX_TOLERANCE) | 0;
    const wholeX = (x + INDEX_TOLERANCE) | 0;
    const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
    const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
    const corner = wholeY * stride + wholeX;
    const p = at + corner;
    const q = above + corner;
    const a = samples[p]!;
    const b = samples[p + 1]!;
    const c = samples[p + stride]!;
    const d = samples[p + stride + 1]!;
    const e = samples[q]!;
    const f = samples[q + 1]!;
    const g = samples[q + stride]!;
    const h = samples[q + stride + 1]!;
    const top = a + partX * (b - a);
    const under = (top + partY * (c + partX * (d - c) - top)) * slope + intercept;
    const topAbove = e + partX * (f - e);
    const over = (topAbove + partY * (g + partX * (h - g) - topAbove)) * slopeAbove + interceptAbove;
    let value = under + partZ * (over - under);
    if (hasPadding) {
      const isPadded =
        (a >= low && a <= high) ||
        (b >= low && b <= high) ||
        (c >= low && c <= high) ||
        (d >= low && d <= high) ||
        (e >= lowAbove && e <= highAbove) ||
        (f >= lowAbove && f <= highAbove) ||
        (g >= lowAbove && g <= highAbove) ||
        (h >= lowAbove && h <= highAbove);
      if (isPadded) value = sampleAt(row, i);
    }
    // Samples that are no numbers take no part either.
    if (value !== value) value = sampleAt(row, i);
    if (isMax ? value > line[i]! : value < line[i]!) line[i] = value;
  }
}

/** The samples of a row without interpolation: one of the volume for each. */
function projectNearest(
  samples: VolumeSamples['samples'],
  line: Float64Array,
  { isMax, stride, at, yStart, yStep, xStart, xStep }: RowOfSheet,
  { first, end }: LineRange,
  { hasPadding, low, high, slope, intercept }: Reading,
): void {
  for (let i = first; i < end; i++) {
    const y = (yStart + i * yStep + TIE) | 0;
    const x = (xStart + i * xStep + TIE) | 0;
    const stored = samples[at + y * stride + x]!;
    if (hasPadding && stored >= low && stored <= high) continue;
    const value = stored * slope + intercept;
    if (isMax ? value > line[i]! : value < line[i]!) line[i] = value;
  }
}
