import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { DocumentSource } from '../documentKind.ts';
import { requireView } from '../documentKinds.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { buildSpectra, type StoredSpectra } from './buildSpectra.ts';
import type { SpectraAnswer, SpectrumQuery, SpectrumValues } from './spectraTasks.ts';

/** Implements `readSpectraTask`. */
export function readSpectra(file: DocumentFile): SpectraAnswer {
  return withSpectra(file, (_, { element: __, valuesPerPoint: ___, ...answer }) => answer);
}

/** Implements `readSpectrumTask`. */
export function readSpectrum(input: SpectrumQuery & DocumentFile, task: TaskContext): SpectrumValues {
  return withSpectra(input, (source, { element, valuesPerPoint, count, points, representation }) => {
    if (input.spectrum >= count) throw new ViewerError('item_not_found', `there is no spectrum ${input.spectrum}`);
    const length = points * valuesPerPoint * FLOAT_BYTES;
    const { source: file, littleEndian } = source.dataSet.context;
    const bytes = file.read(element.offset + input.spectrum * length, length);
    if (bytes.length < length) throw new ViewerError('malformed_content', 'Spectroscopy Data ends too early');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const values = new Float32Array(2 * points);
    const at = representation === 'IMAGINARY' ? 1 : 0;
    for (let index = 0; index < points * valuesPerPoint; index += 1) {
      const place = valuesPerPoint === 2 ? index : 2 * index + at;
      values[place] = view.getFloat32(index * FLOAT_BYTES, littleEndian);
    }
    return { bytes: task.transfer(new Uint8Array(values.buffer)) };
  });
}

const FLOAT_BYTES = 4;

/** Opens MR spectra; `bad_request` if the object holds none. */
function withSpectra<Result>(
  file: DocumentFile,
  use: (source: DocumentSource, spectra: StoredSpectra) => Result,
): Result {
  requireView(file, 'spectra', 'this object holds no MR spectra');
  return withDocument(file, (source) => {
    const spectra = buildSpectra(source.dataSet);
    if ('problem' in spectra) throw new ViewerError(spectra.code, spectra.problem);
    return use(source, spectra);
  });
}
