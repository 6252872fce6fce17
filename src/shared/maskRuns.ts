import type { MarkMask } from './contract/marks.ts';

/** A mask over a frame: one byte for each pixel, row after row, 1 inside and 0 outside. */
export type MaskBits = { readonly bits: Uint8Array; readonly columns: number; readonly rows: number };

export function createMaskBits(columns: number, rows: number): MaskBits {
  return { bits: new Uint8Array(columns * rows), columns, rows };
}

/** The mask in the form of the contract, within the smallest rectangle; undefined if no pixel is inside. */
export function encodeMask({ bits, columns }: MaskBits): MarkMask | undefined {
  const [first, last] = [bits.indexOf(1), bits.lastIndexOf(1)];
  if (first < 0) return undefined;
  const [top, bottom] = [Math.floor(first / columns), Math.floor(last / columns)];
  let [left, right] = [columns, -1];
  for (let row = top; row <= bottom; row += 1) {
    const line = bits.subarray(row * columns, (row + 1) * columns);
    const from = line.indexOf(1);
    if (from < 0) continue;
    left = Math.min(left, from);
    right = Math.max(right, line.lastIndexOf(1));
  }
  const runs: number[] = [];
  let isInside = 0;
  let length = 0;
  for (let row = top; row <= bottom; row += 1) {
    for (let at = row * columns + left, end = row * columns + right; at <= end; at += 1) {
      if (bits[at] === isInside) length += 1;
      else {
        runs.push(length);
        isInside = 1 - isInside;
        length = 1;
      }
    }
  }
  runs.push(length);
  return { left, top, width: right - left + 1, height: bottom - top + 1, runs };
}

/** Adds the pixels of a mask. */
export function decodeMask({ left, top, width, runs }: MarkMask, { bits, columns }: MaskBits): void {
  let at = 0;
  for (const [n, run] of runs.entries()) {
    const end = at + run;
    if (n % 2 === 0) at = end;
    while (at < end) {
      const [row, column] = [Math.floor(at / width), at % width];
      const length = Math.min(end - at, width - column);
      const from = (top + row) * columns + left + column;
      bits.fill(1, from, from + length);
      at += length;
    }
  }
}

/** Number of pixels inside of a mask, of which these are the runs. */
export function countMaskPixels(runs: ArrayLike<number>): number {
  let count = 0;
  for (let n = 1; n < runs.length; n += 2) count += runs[n]!;
  return count;
}
