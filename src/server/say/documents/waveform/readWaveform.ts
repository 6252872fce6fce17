import { ViewerError } from '../../../../shared/contract/errors.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import type { DocumentSource } from '../documentKind.ts';
import { requireView } from '../documentKinds.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { buildWaveform } from './buildWaveform.ts';
import type { WaveformRecord } from './waveformTasks.ts';

/** Implements `readWaveformTask`. */
export function readWaveform(file: DocumentFile): WaveformRecord {
  return withWaveform(file, (source) => ({ json: openObject(buildWaveform(source)) }));
}

/** Opens a waveform; `bad_request` if the object is none. */
export function withWaveform<Result>(file: DocumentFile, use: (source: DocumentSource) => Result): Result {
  requireView(file, 'waveform', 'this object is no waveform');
  return withDocument(file, (source) => {
    if (source.dataSet.items(Tag.WaveformSequence).length === 0) {
      throw new ViewerError('no_document', 'Waveform Sequence is absent or empty');
    }
    return use(source);
  });
}
