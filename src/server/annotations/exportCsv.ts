import type { AnnotationPayload } from '../../shared/contract/annotations.ts';
import { findImported, type ImportedAnnotations } from './importedAnnotations.ts';

export type CsvSource = {
  readonly base: ImportedAnnotations;
  /** Of these files it stands in the place of what was imported. */
  readonly edits: ReadonlyMap<number, { readonly payload: AnnotationPayload }>;
  readonly pathOf: (index: number) => string;
};

const HEADER = 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';
/** Characters; a piece is written in about a millisecond. */
const PIECE_LENGTH = 32 * 2 ** 10;

/** One row per file that has ROIs, in the order of the files. */
export function* writeCsv({ base, edits, pathOf }: CsvSource): Generator<string> {
  let piece = HEADER;
  for (const index of mergeSorted(base.fileIndices, Uint32Array.from(edits.keys()).toSorted())) {
    const payload = edits.get(index)?.payload ?? findImported(base, index);
    if (payload === undefined || payload.num_roi === 0) continue;
    piece += writeRow(pathOf(index), payload);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function writeRow(path: string, { num_roi, roi_coords, roi_frames }: AnnotationPayload): string {
  const cells = [path, String(num_roi), JSON.stringify(roi_coords), JSON.stringify(roi_frames)];
  return `${cells.map(writeCell).join(',')}\n`;
}

/**
 * RFC 4180. A cell that a spreadsheet would take for a formula is quoted and otherwise left alone: an added apostrophe
 * would make it another path.
 */
function writeCell(text: string): string {
  return /[",\r\n]|^[=+\-@\t|]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Each number of either list once, ascending. */
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
