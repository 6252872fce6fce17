import type { AnnotatedFilesResponse } from '../../../shared/contract/annotations.ts';
import { writeArray, writeIntegers } from '../../machine/workers/jsonPieces.ts';
import { entityTag } from '../journal/entityTag.ts';
import { countFrames, countRois, type PackedRois, type RoiSource, touchedFiles } from './packedRois.ts';

/** The JSON of a payload. */
export function* writePayload(rois: PackedRois): Generator<string> {
  yield `{"num_roi":${countRois(rois)},"roi_coords":`;
  yield* writeCoords(rois);
  yield ',"roi_frames":';
  yield* writeFrames(rois);
  yield '}';
}

function writeCoords({ coords, frameStarts }: PackedRois): Generator<string> {
  return writeArray(
    frameStarts.subarray(1),
    (_, roi) => `[${coords[roi * 4]},${coords[roi * 4 + 1]},${coords[roi * 4 + 2]},${coords[roi * 4 + 3]}]`,
  );
}

/** Most boxes have a short list, which is written faster in one step. */
const FEW_FRAMES = 1_000;

function writeFrames(rois: PackedRois): Generator<string> {
  const { frameStarts, frames } = rois;
  const ends = countFrames(rois) === 0 ? [] : frameStarts.subarray(1);
  return writeArray<number>(ends, (end, roi) => {
    const first = frameStarts[roi] ?? 0;
    if (end - first > FEW_FRAMES) return writeIntegers(frames.subarray(first, end));
    let text = '[';
    for (let at = first; at < end; at += 1) text += at === first ? frames[at] : `,${frames[at]}`;
    return `${text}]`;
  });
}

/** The JSON of `AnnotatedFilesResponse`. */
export function* writeTouched(source: RoiSource, instance: string): Generator<string> {
  yield `{"untouched_etag":${JSON.stringify(entityTag(instance, 0))},"files":`;
  yield* writeArray(touchedFiles(source), ({ index, rois, revision }) =>
    JSON.stringify({
      index,
      num_roi: countRois(rois),
      etag: entityTag(instance, revision),
    } satisfies AnnotatedFilesResponse['files'][number]),
  );
  yield '}';
}

/** The CSV that the user exports: one row per file that has ROIs, in the order of the files. */
export function* writeCsv(source: RoiSource, pathOf: (index: number) => string): Generator<string> {
  yield 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';
  for (const { index, rois } of touchedFiles(source)) if (countRois(rois) > 0) yield* writeRow(pathOf(index), rois);
}

/** A row can be as long as a request body. Lists that contain a comma are quoted. */
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
