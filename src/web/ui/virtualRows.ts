/** Offsets of rows of different heights below each other. There is one more entry than there are rows: the end. */
export function stackHeights(heights: readonly number[]): Float64Array {
  const tops = new Float64Array(heights.length + 1);
  for (const [row, height] of heights.entries()) tops[row + 1] = (tops[row] ?? 0) + height;
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
