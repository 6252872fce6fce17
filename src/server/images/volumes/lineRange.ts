import { INDEX_TOLERANCE } from '../../../shared/positionTable.ts';

/** Samples of a line from `first` up to but not including `end`. */
export type LineRange = { readonly first: number; readonly end: number };

/** A line through slices of a size: its indices begin at `Start` and grow by `Step` from sample to sample. */
export type SliceLine = {
  readonly rows: number;
  readonly columns: number;
  readonly yStart: number;
  readonly yStep: number;
  readonly xStart: number;
  readonly xStep: number;
};

/** A line through a volume of evenly spaced slices, in the same way. */
export type VolumeLine = SliceLine & { readonly places: number; readonly zStart: number; readonly zStep: number };

/** The samples of a line of `length` samples that are inside: a sample reaches half a step to each side of its centre. */
export function findInside({ rows, columns, yStart, yStep, xStart, xStep }: SliceLine, length: number): LineRange {
  const least = -0.5 - INDEX_TOLERANCE;
  const inY = findBetween(yStart, yStep, least, rows + least);
  const inX = findBetween(xStart, xStep, least, columns + least);
  return { first: Math.max(0, inY.first, inX.first), end: Math.min(length, inY.end, inX.end) };
}

/** Those that have neighbours on all sides, also in the next slice if the line leaves its own; nothing must be checked. */
export function findInner(line: SliceLine | VolumeLine, length: number): LineRange {
  const { rows, columns, yStart, yStep, xStart, xStep } = line;
  const inZ = 'places' in line ? findBetween(line.zStart, line.zStep, 0, line.places - 1 - INDEX_TOLERANCE) : undefined;
  const inY = findBetween(yStart, yStep, 0, rows - 1 - INDEX_TOLERANCE);
  const inX = findBetween(xStart, xStep, 0, columns - 1 - INDEX_TOLERANCE);
  const first = Math.max(0, inZ?.first ?? 0, inY.first, inX.first);
  return { first, end: Math.max(first, Math.min(length, inZ?.end ?? length, inY.end, inX.end)) };
}

/** Those that may be inside: all others are outside by more than `margin` samples, or by more than one slice. */
export function findNear(
  { places, rows, columns, zStart, zStep, yStart, yStep, xStart, xStep }: VolumeLine,
  length: number,
  margin: number,
): LineRange {
  const least = -0.5 - margin;
  const inZ = findBetween(zStart, zStep, -1.5, places + 0.5);
  const inY = findBetween(yStart, yStep, least, rows - least - 1);
  const inX = findBetween(xStart, xStep, least, columns - least - 1);
  const first = Math.max(0, inZ.first, inY.first, inX.first);
  return { first, end: Math.max(first, Math.min(length, inZ.end, inY.end, inX.end)) };
}

/** Where an index is at least `least` and less than `most`. */
export function findBetween(start: number, step: number, least: number, most: number): LineRange {
  if (Math.abs(step) < 1e-12)
    return start >= least && start < most ? { first: 0, end: Infinity } : { first: 0, end: 0 };
  const [toLeast, toMost] = [(least - start) / step, (most - start) / step];
  return step > 0
    ? { first: Math.ceil(toLeast), end: Math.ceil(toMost) }
    : { first: Math.floor(toMost) + 1, end: Math.floor(toLeast) + 1 };
}
