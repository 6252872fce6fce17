import { findImported, type ImportedAnnotations } from './importedAnnotations.ts';
import { NO_PACKED_ROIS, type PackedRois } from './packedRois.ts';

export type Edit = { readonly rois: PackedRois; readonly revision: number };

export type RoiSource = {
  readonly base: ImportedAnnotations;
  /** By file index. An edit replaces what was imported for its file. */
  readonly edits: ReadonlyMap<number, Edit>;
};

/** The files with imported or edited ROIs, in ascending order. A file that was never edited has revision 0. */
export function* touchedFiles({ base, edits }: RoiSource): Generator<Edit & { readonly index: number }> {
  for (const index of mergeSorted(base.fileIndices, Uint32Array.from(edits.keys()).toSorted())) {
    yield { index, ...(edits.get(index) ?? { rois: findImported(base, index) ?? NO_PACKED_ROIS, revision: 0 }) };
  }
}

/** Each number of either list once, in ascending order. */
function* mergeSorted(a: Uint32Array, b: Uint32Array): Generator<number> {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const next = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    if (a[i] === next) i += 1;
    if (b[j] === next) j += 1;
    yield next;
  }
}
