import { findImported, type ImportedAnnotations } from './importedAnnotations.ts';
import { countFrames, countRois, type PackedRois } from './packedRois.ts';
import { writeCoords, writeFrames } from './writeRois.ts';

export type CsvSource = {
  readonly base: ImportedAnnotations;
  /** Of these files it stands in the place of what was imported. */
  readonly edits: ReadonlyMap<number, { readonly rois: PackedRois }>;
  readonly pathOf: (index: number) => string;
};

const HEADER = 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';
/** Characters; a piece is written in about a millisecond. */
const PIECE_LENGTH = 32 * 2 ** 10;

/** One row per file that has ROIs, in the order of the files. */
export function* writeCsv(source: CsvSource): Generator<string> {
  let piece = '';
  for (const text of writeTexts(source)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* writeTexts({ base, edits, pathOf }: CsvSource): Generator<string> {
  yield HEADER;
  for (const index of mergeSorted(base.fileIndices, Uint32Array.from(edits.keys()).toSorted())) {
    const rois = edits.get(index)?.rois ?? findImported(base, index);
    if (rois !== undefined && countRois(rois) > 0) yield* writeRow(pathOf(index), rois);
  }
}

/** A row can be as long as a request's body, so it comes in pieces too. Lists with a comma in them are quoted. */
function* writeRow(path: string, rois: PackedRois): Generator<string> {
  const count = countRois(rois);
  yield `${writeCell(path)},${count},"`;
  yield* writeCoords(rois);
  const frames = countFrames(rois);
  const quote = frames > 1 || (frames === 1 && count > 1) ? '"' : '';
  yield `",${quote}`;
  yield* writeFrames(rois);
  yield `${quote}\n`;
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
