import { INDEX_TOLERANCE } from '../../shared/positionTable.ts';

/** Samples of a line from `first` up to but not including `end`. */
export type LineRange = { readonly first: number; readonly end: number };

/** An index along a line: it begins at `start` and grows by `step` from sample to sample. */
export type LineIndex = { readonly start: number; readonly step: number };

/** Where an index is at least `least` and less than `most`. */
function findBetween({ start, step }: LineIndex, least: number, most: number): LineRange {
  if (Math.abs(step) < 1e-12)
    return start >= least && start < most ? { first: 0, end: Infinity } : { first: 0, end: 0 };
  const [toLeast, toMost] = [(least - start) / step, (most - start) / step];
  return step > 0
    ? { first: Math.ceil(toLeast), end: Math.ceil(toMost) }
    : { first: Math.floor(toMost) + 1, end: Math.floor(toLeast) + 1 };
}

/** The samples of a line of `length` samples that are inside: a sample reaches half a step to each side of its centre. */
export function findInside(y: LineIndex, x: LineIndex, size: SliceSize, length: number): LineRange {
  const [least, beyond] = [-0.5 - INDEX_TOLERANCE, -0.5 - INDEX_TOLERANCE];
  const inY = findBetween(y, least, size.rows + beyond);
  const inX = findBetween(x, least, size.columns + beyond);
  return { first: Math.max(0, inY.first, inX.first), end: Math.min(length, inY.end, inX.end) };
}

/** Those that have neighbours on all sides, so that nothing must be checked. */
export function findInner(y: LineIndex, x: LineIndex, size: SliceSize, length: number): LineRange {
  const inY = findBetween(y, 0, size.rows - 1 - INDEX_TOLERANCE);
  const inX = findBetween(x, 0, size.columns - 1 - INDEX_TOLERANCE);
  const first = Math.max(0, inY.first, inX.first);
  return { first, end: Math.max(first, Math.min(length, inY.end, inX.end)) };
}

export type SliceSize = { readonly rows: number; readonly columns: number };
