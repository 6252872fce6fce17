import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { createMaskBits, decodeMask, encodeMask, type MaskBits } from '../../../../shared/maskRuns.ts';

/**
 * What two clients have painted on the same mask, which was `from`: the pixels that `mine` has changed are as in `mine`,
 * all others as in `theirs`. Null stands for a mask without a pixel.
 */
export function mergeMasks(from: MarkMask | null, mine: MarkMask | null, theirs: MarkMask | null): MarkMask | null {
  if (isSameMask(from, theirs) || isSameMask(mine, theirs)) return mine;
  if (isSameMask(from, mine)) return theirs;
  const box = boxAround([from, mine, theirs]);
  const [before, after, merged] = [from, mine, theirs].map((mask) => drawIn(box, mask));
  for (const [at, bit] of after!.bits.entries()) if (bit !== before!.bits[at]) merged!.bits[at] = bit;
  const mask = encodeMask(merged!);
  return mask === undefined ? null : { ...mask, left: mask.left + box.left, top: mask.top + box.top };
}

export function isSameMask(a: MarkMask | null, b: MarkMask | null): boolean {
  if (a === b || a === null || b === null) return a === b;
  const isSameBox = a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;
  return isSameBox && a.runs.length === b.runs.length && a.runs.every((run, n) => run === b.runs[n]);
}

type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

function boxAround(masks: readonly (MarkMask | null)[]): Box {
  const known = masks.filter((mask) => mask !== null);
  return {
    left: Math.min(...known.map(({ left }) => left)),
    top: Math.min(...known.map(({ top }) => top)),
    right: Math.max(...known.map(({ left, width }) => left + width)),
    bottom: Math.max(...known.map(({ top, height }) => top + height)),
  };
}

function drawIn({ left, top, right, bottom }: Box, mask: MarkMask | null): MaskBits {
  const bits = createMaskBits(right - left, bottom - top);
  if (mask !== null) decodeMask({ ...mask, left: mask.left - left, top: mask.top - top }, bits);
  return bits;
}
