import { ViewerError } from '../../../shared/contract/errors.ts';
import * as Tag from '../../dicom/tag.ts';
import { openObject } from '../../workers/jsonPieces.ts';
import type { DocumentSource } from '../documentKind.ts';
import { chooseKind } from '../documentKinds.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { buildWaveform } from './buildWaveform.ts';
import type { WaveformRecord } from './waveformTasks.ts';

/** Implements `readWaveformTask`. */
export function readWaveform(file: DocumentFile): WaveformRecord {
  return withDocument(file, (source) => {
    checkIsWaveform(source);
    return { json: openObject(buildWaveform(source)) };
  });
}

export function checkIsWaveform(source: DocumentSource): void {
  if (chooseKind(source).name !== 'waveform') throw new ViewerError('bad_request', 'this object is no waveform');
  if (source.dataSet.items(Tag.WaveformSequence).length === 0) {
    throw new ViewerError('no_document', 'Waveform Sequence is absent or empty');
  }
}
