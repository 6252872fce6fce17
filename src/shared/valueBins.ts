/** Bins of the values of annotations in the description of a layer, and in each cluster. */
export const DESCRIBED_BINS = 256;
export const CLUSTER_BINS = 32;

/** The bin of a value among equal parts of a range. */
export function binOf([low, high]: readonly [number, number], bins: number, value: number): number {
  if (!(high > low)) return 0;
  return Math.min(bins - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * bins)));
}

/**
 * About how many values lie between two others, both included. Those of a bin that is cut are taken to lie evenly in it;
 * it is exact if no bin with values is cut.
 */
export function countBetween(
  counts: ArrayLike<number>,
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
): number {
  if (from > high || to < low || from > to) return 0;
  let sum = 0;
  const size = (high - low) / counts.length;
  for (let bin = 0; bin < counts.length; bin += 1) {
    const count = counts[bin]!;
    if (count === 0) continue;
    const start = low + bin * size;
    // The last bin includes the highest value.
    const end = bin === counts.length - 1 ? high : start + size;
    if (!(end > start)) sum += from <= start && to >= start ? count : 0;
    else sum += (count * Math.max(0, Math.min(to, end) - Math.max(from, start))) / (end - start);
  }
  return Math.round(sum);
}
