import type { SlicedWork } from './slices.ts';

/** Entries that are sorted, or merged, before others have their turn. */
const STEP = 1024;

/** The numbers from 0 to `length` - 1 in the order of `compare`; those that it holds equal stay in theirs. */
export function* sortInSlices(
  length: number,
  compare: (a: number, b: number) => number,
): SlicedWork<Uint32Array<ArrayBuffer>> {
  let from = new Uint32Array(length);
  for (let index = 0; index < length; index += 1) from[index] = index;
  for (let start = 0; start < length; start += STEP) {
    from.subarray(start, start + STEP).sort(compare);
    yield;
  }
  let into = new Uint32Array(from.length);
  for (let width = STEP; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const end = Math.min(start + 2 * width, length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at += 1) {
        const takesLeft = left < middle && (right >= end || compare(from[left]!, from[right]!) <= 0);
        into[at] = takesLeft ? from[left++]! : from[right++]!;
        if (at % STEP === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  return from;
}
