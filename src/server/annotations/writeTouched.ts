import type { AnnotatedFilesResponse } from '../../shared/contract/annotations.ts';
import { entityTag } from './entityTag.ts';
import { inPieces } from './inPieces.ts';
import { countRois } from './packedRois.ts';
import { type RoiSource, touchedFiles } from './touchedFiles.ts';

/** The JSON of `AnnotatedFilesResponse`, in pieces. */
export function writeTouched(source: RoiSource, instance: string): Generator<string> {
  return inPieces(writeTexts(source, instance));
}

function* writeTexts(source: RoiSource, instance: string): Generator<string> {
  yield `{"untouched_etag":${JSON.stringify(entityTag(instance, 0))},"files":[`;
  let separator = '';
  for (const { index, rois, revision } of touchedFiles(source)) {
    const file: AnnotatedFilesResponse['files'][number] = {
      index,
      num_roi: countRois(rois),
      etag: entityTag(instance, revision),
    };
    yield separator + JSON.stringify(file);
    separator = ',';
  }
  yield ']}';
}
