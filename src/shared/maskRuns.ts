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
export function decodeMask(mask: MarkMask, { bits, columns }: MaskBits): void {
  visitSpans(mask, (row, from, to) => bits.fill(1, row * columns + from, row * columns + to));
}

type MaskRuns = Pick<MarkMask, 'left' | 'top' | 'width'> & { readonly runs: Iterable<number> };

/** Calls back for each part of a row that is inside of a mask: its row, its first column, and the one after its last. */
export function visitSpans(
  { left, top, width, runs }: MaskRuns,
  visit: (row: number, from: number, to: number) => void,
): void {
  let at = 0;
  let isInside = false;
  for (const run of runs) {
    const end = at + run;
    if (!isInside) at = end;
    while (at < end) {
      const column = at % width;
      const length = Math.min(end - at, width - column);
      visit(top + Math.floor(at / width), left + column, left + column + length);
      at += length;
    }
    isInside = !isInside;
  }
}

/** Number of pixels inside of a mask, of which these are the runs. */
export function countMaskPixels(runs: ArrayLike<number>): number {
  let count = 0;
  for (let n = 1; n < runs.length; n += 2) count += runs[n]!;
  return count;
}
