import { inPieces } from './inPieces.ts';
import { countFrames, countRois, type PackedRois } from './packedRois.ts';
import { type RoiSource, touchedFiles } from './touchedFiles.ts';
import { writeCoords, writeFrames } from './writeRois.ts';

export type CsvSource = RoiSource & { readonly pathOf: (index: number) => string };

const HEADER = 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';

/** One row per file that has ROIs, in the order of the files. */
export function writeCsv(source: CsvSource): Generator<string> {
  return inPieces(writeTexts(source));
}

function* writeTexts({ pathOf, ...source }: CsvSource): Generator<string> {
  yield HEADER;
  for (const { index, rois } of touchedFiles(source)) if (countRois(rois) > 0) yield* writeRow(pathOf(index), rois);
}

/** A row can be as long as a request body, so it is written in pieces too. Lists that contain a comma are quoted. */
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
 * RFC 4180. A cell that a spreadsheet would interpret as a formula is only quoted, because an added apostrophe would
 * change the path.
 */
function writeCell(text: string): string {
  return /[",\r\n]|^[=+\-@\t|]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
