import type { ColumnRange } from './conditionParts.ts';

/** Bins that are chosen by a drag, which began at `from`. */
export type Bins = { readonly from: number; readonly first: number; readonly last: number };

export function chooseBins({ from }: Bins, to: number): Bins {
  return { from, first: Math.min(from, to), last: Math.max(from, to) };
}

type Histogram = { readonly min: number; readonly max: number; readonly counts: readonly number[] };

/** Digits that tell the ends of a bin apart; a whole range has many more bins than that. */
const DIGITS = 4;

/** The numbers in these bins. What lies at an end of all numbers is within. */
export function rangeOfBins({ first, last }: Bins, { min, max, counts }: Histogram): ColumnRange {
  const width = (max - min) / counts.length;
  return {
    low: first === 0 ? min : round(min + first * width),
    high: last === counts.length - 1 ? max : round(min + (last + 1) * width),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
