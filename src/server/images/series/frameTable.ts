import type { PlaneOrientation, Vector3 } from '../../../shared/geometry.ts';
import { NO_EVIDENCE, type SliceEvidence } from './sliceEvidence.ts';
import type { StackFrames } from './stack.ts';

/** The unordered frames of one stack, and the values that determine their order. Columns, one entry per frame. */
export type FrameTable = {
  readonly length: number;
  readonly fileIndices: Uint32Array;
  readonly frameIndices: Uint32Array;
  /** Three coordinates per frame; NaN for a frame without a plane. */
  readonly points: Float64Array;
  readonly orientations: readonly (PlaneOrientation | undefined)[];
  /** The orientation group of each frame, for stacks whose frames of several orientations follow each other. */
  readonly groups: Uint16Array;
  /** Position along the normal of the frame's group; NaN for a frame without a plane. */
  readonly positionsMm: Float64Array;
  /** Orders frames at the same position; NaN comes last. */
  readonly ranks: Float64Array;
  /** Frames at the same position but different times are not duplicates; NaN if the time is unknown. */
  readonly times: Float64Array;
  readonly evidence: SliceEvidence;
};

export function createFrameTable(
  length: number,
  evidence: SliceEvidence = NO_EVIDENCE,
): FrameTable & { orientations: (PlaneOrientation | undefined)[] } {
  return {
    length,
    fileIndices: new Uint32Array(length),
    frameIndices: new Uint32Array(length),
    points: new Float64Array(3 * length).fill(NaN),
    orientations: Array.from({ length }),
    groups: new Uint16Array(length),
    positionsMm: new Float64Array(length).fill(NaN),
    ranks: new Float64Array(length).fill(NaN),
    times: new Float64Array(length).fill(NaN),
    evidence,
  };
}

export function pointOf({ points }: FrameTable, entry: number): Vector3 {
  return [points[3 * entry]!, points[3 * entry + 1]!, points[3 * entry + 2]!];
}

/** Orders by group, position and rank, then by the order of the table: by path and frame. */
export function orderFrames({ length, groups, positionsMm, ranks }: FrameTable): Uint32Array {
  const compare = (a: number, b: number) =>
    groups[a]! - groups[b]! || compareNumbers(positionsMm[a]!, positionsMm[b]!) || compareNumbers(ranks[a]!, ranks[b]!);
  const stored = new Uint32Array(length);
  let isOrdered = true;
  for (let entry = 0; entry < length; entry += 1) {
    stored[entry] = entry;
    isOrdered &&= entry === 0 || compare(entry - 1, entry) <= 0;
  }
  // Sorting two million frames that are in order, as those without positions are, takes seconds.
  return isOrdered ? stored : stored.toSorted(compare);
}

/** NaN comes after every number. */
function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export function toStackFrames(table: FrameTable, order: Uint32Array): StackFrames {
  const { length } = order;
  const fileIndices = new Uint32Array(length);
  const frameIndices = new Uint32Array(length);
  const positionsMm = new Float64Array(length);
  for (let at = 0; at < length; at += 1) {
    const entry = order[at]!;
    fileIndices[at] = table.fileIndices[entry]!;
    frameIndices[at] = table.frameIndices[entry]!;
    positionsMm[at] = table.positionsMm[entry]!;
  }
  return { length, fileIndices, frameIndices, positionsMm };
}
