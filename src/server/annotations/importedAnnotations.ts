import type { AnnotationPayload } from '../../shared/contract/annotations.ts';
import { NO_ROIS } from '../../shared/annotations.ts';
import { type PackedRois, packRois, startsOf } from './packedRois.ts';

/** The ROIs of many files: file n of `fileIndices` has the boxes from `boxStarts[n]` to `boxStarts[n + 1]`. */
export type ImportedAnnotations = PackedRois & {
  /** Ascending. */
  readonly fileIndices: Uint32Array;
  readonly boxStarts: Uint32Array;
};

export const NOTHING_IMPORTED: ImportedAnnotations = packAnnotations(new Map());

/** Packs canonical payloads, given by file index. */
export function packAnnotations(payloads: ReadonlyMap<number, AnnotationPayload>): ImportedAnnotations {
  const fileIndices = Uint32Array.from(payloads.keys()).toSorted();
  const inOrder = Array.from(fileIndices, (index) => payloads.get(index) ?? NO_ROIS);
  return { fileIndices, boxStarts: startsOf(inOrder.map((payload) => payload.num_roi)), ...packRois(inOrder) };
}

/** The ROIs of one file in canonical form, or undefined if it had no row. */
export function findImported(imported: ImportedAnnotations, fileIndex: number): PackedRois | undefined {
  const { fileIndices, boxStarts, coords, frameStarts, frames } = imported;
  const row = findSorted(fileIndices, fileIndex);
  if (row === undefined) return undefined;
  const first = boxStarts[row] ?? 0;
  const end = boxStarts[row + 1] ?? 0;
  return { coords: coords.subarray(first * 4, end * 4), frameStarts: frameStarts.subarray(first, end + 1), frames };
}

function findSorted(sorted: Uint32Array, wanted: number): number | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted ? low : undefined;
}
