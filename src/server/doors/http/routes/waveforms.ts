import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import { DEFAULT_MOST_VALUES } from '../../../../shared/contract/waveforms.ts';
import { readSpectraTask, readSpectrumTask } from '../../../say/documents/spectroscopy/spectraTasks.ts';
import { readSamplesTask, readWaveformTask } from '../../../say/documents/waveform/waveformTasks.ts';
import { closeObject } from '../../../machine/workers/jsonPieces.ts';
import type { HeaderList } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import { sendCompressible, sendJson, sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

/** Waveforms and spectra: what was recorded, and its values. */
export function waveformRoutes({ catalog, documents, memory }: ServerContext) {
  const holdAnswer = createHoldAnswer(memory.answers);
  const sendValues = async (c: Exchange, bytes: Uint8Array<ArrayBuffer>, headers: HeaderList) => {
    await holdAnswer(c, bytes.length);
    return sendCompressible(c, bytes, [['Content-Type', 'application/octet-stream'], ...headers]);
  };

  const waveform: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { json } = await documents.run(readWaveformTask, file, {}, { signal: c.signal });
    return sendJsonTexts(c, [json, closeObject({ file_index: file.index })]);
  };
  const waveformSamples: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const group = parsePathNumber(c, 'group');
    const { most = DEFAULT_MOST_VALUES, ...query } = parseQuery(ENDPOINTS.waveformSamples.query, c);
    const wanted = { group, most, ...query };
    const found = await documents.run(readSamplesTask, catalog.get(index), wanted, { signal: c.signal });
    return sendValues(c, found.bytes, [
      [HEADER.waveformFrom, String(found.from)],
      [HEADER.waveformTo, String(found.to)],
      [HEADER.waveformValues, String(found.count)],
      [HEADER.waveformForm, found.form],
    ]);
  };
  const spectra: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const answer = await documents.run(readSpectraTask, file, {}, { signal: c.signal });
    return sendJson(c, { file_index: file.index, ...answer });
  };
  const spectrum: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const wanted = { spectrum: parsePathNumber(c, 'spectrum') };
    const { bytes } = await documents.run(readSpectrumTask, catalog.get(index), wanted, { signal: c.signal });
    return sendValues(c, bytes, []);
  };
  return { waveform, waveformSamples, spectra, spectrum };
}
