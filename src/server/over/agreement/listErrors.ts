import { type MaskPair, TEST, TRUTH } from './maskPair.ts';

/** Numbers of a slice with an error: its place, samples of the test alone and of the truth alone, and one of these samples. */
export const NUMBERS_OF_SLICE = 5;

/**
 * The slices of a pair in which the masks differ, `NUMBERS_OF_SLICE` numbers each: slice, false positives, false negatives, and
 * column and row in the middle of the longest run of them. All are counted from the corner of the part that was cut out.
 */
export function listErrors(
  { samples, rows, size: [columns, height, depth] }: MaskPair,
  throwIfCancelled: () => void = () => undefined,
): Int32Array<ArrayBuffer> {
  const wide = columns + 2;
  const high = height + 2;
  const found = new Int32Array(NUMBERS_OF_SLICE * depth);
  let length = 0;
  for (let z = 0; z < depth; z += 1) {
    throwIfCancelled();
    const counts = [0, 0, 0, 0];
    let longest = 0;
    let [column, row] = [0, 0];
    for (let y = 0; y < height; y += 1) {
      const line = (z + 1) * high + y + 1;
      if (rows[line] === 0) continue;
      const first = line * wide + 1;
      for (let x = 0; x < columns;) {
        const from = x;
        const mask = samples[first + x]!;
        do x += 1;
        while (x < columns && samples[first + x] === mask);
        if (mask !== TRUTH && mask !== TEST) continue;
        counts[mask]! += x - from;
        if (x - from <= longest) continue;
        longest = x - from;
        [column, row] = [from + (longest >> 1), y];
      }
    }
    if (longest === 0) continue;
    found.set([z, counts[TEST]!, counts[TRUTH]!, column, row], NUMBERS_OF_SLICE * length);
    length += 1;
  }
  return found.slice(0, NUMBERS_OF_SLICE * length);
}
