import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import { nameDownload } from '../nameDownload.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { createHoldAnswer, createSendBytes } from '../sendBytes.ts';
import { sendMade } from '../sendMade.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import { RequestOptions } from './frames.ts';

export function exportRoutes({ catalog, exports, memory }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  const holdAnswer = createHoldAnswer(memory.answers);

  return {
    async nifti(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, time, format = 'nii.gz' } = parseQuery(ENDPOINTS.nifti.query, c);
      const isPacked = format === 'nii.gz';
      const file = await exports.nifti.write({ fileIndex, frame }, { time, format }, new RequestOptions(c));
      await holdAnswer(c, file.heldBytes);
      const { mediaType, otherMediaType } = ENDPOINTS.nifti;
      return sendMade(c, file.pieces, [
        ['Content-Type', isPacked ? mediaType : otherMediaType],
        ['Content-Disposition', `attachment; filename="${nameSeries(file.of, `.${format}`)}"`],
        ...(file.bytes === undefined ? [] : [['Content-Length', file.bytes] as const]),
      ]);
    },
    async niftiSidecar(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, time } = parseQuery(ENDPOINTS.niftiSidecar.query, c);
      const { of, fields } = await exports.nifti.describe({ fileIndex, frame }, { time }, new RequestOptions(c));
      const headers = [
        ['Content-Type', 'application/json'],
        ['Content-Disposition', `attachment; filename="${nameSeries(of, '.json')}"`],
      ] as const;
      c.send(200, headers, `${JSON.stringify(fields, undefined, 2)}\n`);
    },
    async tagTable(c) {
      const file = catalog.get(parsePathNumber(c, 'index'));
      const { of = 'file' } = parseQuery(ENDPOINTS.tagTable.query, c);
      const name = of === 'file' ? nameDownload(file.path, '.csv') : nameSeries(file, '.csv');
      const headers = [
        ['Content-Type', ENDPOINTS.tagTable.mediaType],
        ['Content-Disposition', `attachment; filename="${name}"`],
      ] as const;
      const options = new RequestOptions(c);
      if (of === 'series') return sendMade(c, exports.tags.series(file, options), headers);
      return sendBytes(c, await exports.tags.file(file, options), headers);
    },
  } satisfies Handlers;
}

/** Named after the series, without the patient. */
export function nameSeries({ modality, seriesNumber, seriesDescription }: DicomFile, extension: string): string {
  const number = seriesNumber === undefined || seriesNumber === '' ? '' : `series${seriesNumber}`;
  const parts = [modality, number, seriesDescription ?? ''].filter((part) => part !== '');
  return nameDownload(parts.join('-').replaceAll(/[/\\]/g, '_') || 'series', extension);
}
