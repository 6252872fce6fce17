import { runToEnd, type Sliced, visitInSlices } from './runInSlices.ts';

/** Where the rows of a list are. */
export type ListPlaces = {
  readonly count: number;
  readonly keyOf: (row: number) => string | undefined;
  /** Offsets of the rows from the top. There is one more entry than there are rows: the end. */
  readonly tops: Float64Array;
};

/** The offsets of rows of different heights below each other. */
export function stackHeights(heights: readonly number[]): Float64Array {
  return runToEnd(placeRows(heights, (height) => height));
}

/** As `stackHeights`, for a long list. */
export function* placeRows<Row>(rows: readonly Row[], heightOf: (row: Row) => number): Sliced<Float64Array> {
  const tops = new Float64Array(rows.length + 1);
  let [at, top] = [0, 0];
  yield* visitInSlices(rows, (row) => {
    top += heightOf(row);
    at += 1;
    tops[at] = top;
  });
  return tops;
}

/** The row at this distance from the top; the last row if the distance is beyond it. */
export function findRowAt(tops: Float64Array, y: number): number {
  let low = 0;
  let high = tops.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
