import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { countMaskPixels, createMaskBits, decodeMask, encodeMask } from '../../../../shared/maskRuns.ts';
import { growMask, shrinkMask } from '../../../../shared/maskTools/ballMask.ts';
import { floodFill } from '../../../../shared/maskTools/floodFill.ts';
import { fillHoles, keepLargest, removeIslands } from '../../../../shared/maskTools/maskParts.ts';
import { markRange } from '../../../../shared/maskTools/markRange.ts';
import { listBallRows, smoothMask } from '../../../../shared/maskTools/smoothMask.ts';
import type { VoxelGrid } from '../../../../shared/maskTools/voxelGrid.ts';
import { isSameMask } from '../masks/mergeMasks.ts';
import type { JobSamples, MaskJob, MaskResult, MaskWork } from './maskJob.ts';

/** Samples of the part of a volume that is worked on; 512 × 512 × 380. */
const MOST_SAMPLES = 1e8;
/** Additions of a median, which take some seconds. */
const MOST_ADDITIONS = 4e9;

type Masks = readonly (MarkMask | undefined)[];

/** Runs in a worker. The result for the same job is always the same. */
export function runMaskJob(job: MaskJob, samples: JobSamples | undefined): MaskResult {
  const { columns, rows, masks, work } = job;
  switch (work.kind) {
    case 'region':
    case 'threshold': {
      if (samples === undefined) return { problem: 'The values of this picture are not known yet' };
      const found = findInRange(work, samples, { columns, rows, slices: 1 });
      return compare(masks, [found === undefined ? masks[0] : unite(masks[0], found)]);
    }
    case 'unite':
      return compare(masks, combine(masks, work.others, unite));
    case 'subtract':
      return compare(masks, combine(masks, work.others, subtract));
    case 'intersect':
      return compare(masks, combine(masks, work.others, intersect));
    case 'holes':
    case 'islands':
    case 'largest':
    case 'grow':
    case 'shrink':
    case 'smooth':
      return changeVolume(job, work);
  }
}

type RangeWork = Extract<MaskWork, { kind: 'region' | 'threshold' }>;

function findInRange(work: RangeWork, { samples, modality }: JobSamples, grid: VoxelGrid): MarkMask | undefined {
  const { columns, rows } = grid;
  const state = new Uint8Array(columns * rows);
  markRange(samples, modality, work, state);
  if (work.kind === 'threshold') {
    const within = createMaskBits(columns, rows);
    if (work.within !== undefined) decodeMask(work.within, within);
    for (let at = 0; at < state.length; at += 1) state[at]! &= within.bits[at]!;
    return encodeMask({ bits: state, columns, rows });
  }
  floodFill(state, grid, work.seed, { from: 1, to: 2 });
  for (let at = 0; at < state.length; at += 1) state[at]! >>= 1;
  return encodeMask({ bits: state, columns, rows });
}

type Combination = (own: MarkMask | undefined, other: MarkMask | undefined) => MarkMask | undefined;

function combine(masks: Masks, others: Masks, combination: Combination): Masks {
  return masks.map((mask, slice) => combination(mask, others[slice]));
}

function unite(own: MarkMask | undefined, other: MarkMask | undefined): MarkMask | undefined {
  if (own === undefined || other === undefined) return own ?? other;
  return combineIn(boxAround([own, other]), own, other, (a, b) => a | b);
}

function subtract(own: MarkMask | undefined, other: MarkMask | undefined): MarkMask | undefined {
  if (own === undefined || other === undefined) return own;
  return combineIn(boxAround([own]), own, other, (a, b) => a & ~b);
}

function intersect(own: MarkMask | undefined, other: MarkMask | undefined): MarkMask | undefined {
  if (own === undefined || other === undefined) return undefined;
  return combineIn(boxAround([own]), own, other, (a, b) => a & b);
}

/** `end` and `bottom` are exclusive. */
type Box = { readonly left: number; readonly top: number; readonly end: number; readonly bottom: number };

function combineIn(box: Box, own: MarkMask, other: MarkMask, of: (a: number, b: number) => number) {
  const [a, b] = [cutMask(own, box), cutMask(other, box)];
  for (let at = 0; at < a.length; at += 1) a[at] = of(a[at]!, b[at]!);
  return encodeIn(a, box);
}

function boxAround(masks: Masks): Box {
  let box = { left: Infinity, top: Infinity, end: -Infinity, bottom: -Infinity };
  for (const mask of masks) {
    if (mask === undefined) continue;
    box = {
      left: Math.min(box.left, mask.left),
      top: Math.min(box.top, mask.top),
      end: Math.max(box.end, mask.left + mask.width),
      bottom: Math.max(box.bottom, mask.top + mask.height),
    };
  }
  return box;
}

/** The part of a mask that is in a box, one byte for each sample. */
function cutMask({ left, top, width, runs }: MarkMask, box: Box, target = new Uint8Array(sizeOf(box))): Uint8Array {
  const columns = box.end - box.left;
  let at = 0;
  for (const [n, run] of runs.entries()) {
    const end = at + run;
    if (n % 2 === 0) at = end;
    while (at < end) {
      const column = at % width;
      const row = top + Math.floor(at / width);
      const length = Math.min(end - at, width - column);
      const from = Math.max(box.left, left + column);
      const to = Math.min(box.end, left + column + length);
      const line = (row - box.top) * columns - box.left;
      if (row >= box.top && row < box.bottom && from < to) target.fill(1, line + from, line + to);
      at += length;
    }
  }
  return target;
}

function encodeIn(bits: Uint8Array, box: Box): MarkMask | undefined {
  const mask = encodeMask({ bits, columns: box.end - box.left, rows: box.bottom - box.top });
  return mask && { ...mask, left: mask.left + box.left, top: mask.top + box.top };
}

function sizeOf({ left, top, end, bottom }: Box): number {
  return (end - left) * (bottom - top);
}

type VolumeWork = Exclude<MaskWork, RangeWork | { kind: 'unite' | 'subtract' | 'intersect' }>;

/** Only the part of the volume is looked at in which something can change, with a border outside of the mask. */
function changeVolume({ columns, rows, spacing, masks }: MaskJob, work: VolumeWork): MaskResult {
  const margin = work.kind === 'grow' ? work.radius : 0;
  const inner = boxAround(masks);
  if (inner.left > inner.end) return compare(masks, masks);
  const [across, down] = [Math.ceil(margin / spacing.column) + 1, Math.ceil(margin / spacing.row) + 1];
  const box: Box = {
    left: Math.max(0, inner.left - across),
    top: Math.max(0, inner.top - down),
    end: Math.min(columns, inner.end + across),
    bottom: Math.min(rows, inner.bottom + down),
  };
  const [first, end] = findSlices(masks, spacing.positions, margin);
  const grid: VoxelGrid = { columns: box.end - box.left, rows: box.bottom - box.top, slices: end - first };
  const inSlice = grid.columns * grid.rows;
  if (inSlice * grid.slices > MOST_SAMPLES) {
    return { problem: `This mask reaches through too many pixels: at most ${MOST_SAMPLES / 1e6} million at a time` };
  }
  const ball = {
    spacing: { ...spacing, positions: Array.from(spacing.positions).slice(first, end) },
    radius: 'radius' in work ? work.radius : 0,
  };
  if (work.kind === 'smooth' && listBallRows(grid, ball).length * inSlice * grid.slices > MOST_ADDITIONS) {
    return { problem: 'This takes too long for so large a mask. Smooth with a smaller radius, or slice by slice.' };
  }
  const bits = new Uint8Array(inSlice * grid.slices);
  for (let slice = first; slice < end; slice += 1) {
    const mask = masks[slice];
    if (mask !== undefined) cutMask(mask, box, bits.subarray((slice - first) * inSlice, (slice - first + 1) * inSlice));
  }
  const done = changeBits(bits, grid, work, ball);
  const after = masks.map((mask, slice) =>
    slice < first || slice >= end
      ? mask
      : encodeIn(done.subarray((slice - first) * inSlice, (slice - first + 1) * inSlice), box),
  );
  return compare(masks, after);
}

function changeBits(bits: Uint8Array, grid: VoxelGrid, work: VolumeWork, ball: Parameters<typeof growMask>[2]) {
  switch (work.kind) {
    case 'holes':
      return fillHoles(bits, grid);
    case 'islands':
      return removeIslands(bits, grid, work.least);
    case 'largest':
      return keepLargest(bits, grid);
    case 'grow':
      return growMask(bits, grid, ball);
    case 'shrink':
      return shrinkMask(bits, grid, ball);
    case 'smooth':
      return smoothMask(bits, grid, ball);
  }
}

const isThere = (mask: MarkMask | undefined) => mask !== undefined;

/** The slices with a mask, with one more on both sides, and all that are within the margin. */
function findSlices(masks: Masks, positions: ArrayLike<number>, margin: number): readonly [first: number, end: number] {
  const [lowest, highest] = [masks.findIndex(isThere), masks.findLastIndex(isThere)];
  let [first, end] = [Math.max(0, lowest - 1), Math.min(masks.length, highest + 2)];
  while (first > 0 && positions[lowest]! - positions[first - 1]! <= margin * 1.001) first -= 1;
  while (end < masks.length && positions[end]! - positions[highest]! <= margin * 1.001) end += 1;
  return [first, end];
}

function compare(before: Masks, after: Masks): MaskResult {
  const changed: (readonly [number, MarkMask | null])[] = [];
  let [added, removed, inside] = [0, 0, 0];
  for (const [slice, mask] of after.entries()) {
    const old = before[slice];
    const count = countInside(mask);
    inside += count;
    if (isSameMask(old ?? null, mask ?? null)) continue;
    const kept = countInside(intersect(mask, old));
    added += count - kept;
    removed += countInside(old) - kept;
    changed.push([slice, mask ?? null]);
  }
  return { changed, added, removed, inside };
}

function countInside(mask: MarkMask | undefined): number {
  return mask === undefined ? 0 : countMaskPixels(mask.runs);
}
