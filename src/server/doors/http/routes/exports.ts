import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import { nameDownload } from '../nameDownload.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { createHoldAnswer, createSendBytes } from '../sendBytes.ts';
import { sendMade } from '../sendMade.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import type { VolumeArrayPlanResponse } from '../../../../shared/contract/volumes.ts';
import type { ArrayPlan } from '../../../images/exports/nifti/niftiVolumes.ts';
import { NPY_TYPES } from '../../../images/exports/numpy/writeNpyHeader.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import { sendJsonTexts } from '../sendJson.ts';
import { RequestOptions } from './frames.ts';
import { toWireTime, writeNumbers } from './volumes.ts';

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
    async volumeArray(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, time, unit = 'stored' } = parseQuery(ENDPOINTS.volumeArray.query, c);
      const file = await exports.nifti.writeArray({ fileIndex, frame }, { time, unit }, new RequestOptions(c));
      await holdAnswer(c, file.heldBytes);
      return sendMade(c, file.pieces, [
        ['Content-Type', ENDPOINTS.volumeArray.mediaType],
        ['Content-Disposition', `attachment; filename="${nameSeries(file.of, '.npy')}"`],
        ...(file.bytes === undefined ? [] : [['Content-Length', file.bytes] as const]),
      ]);
    },
    async volumeArrayPlan(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, time, unit = 'stored' } = parseQuery(ENDPOINTS.volumeArrayPlan.query, c);
      const plan = await exports.nifti.planArray({ fileIndex, frame }, { time, unit }, new RequestOptions(c));
      return sendJsonTexts(c, writePlan(plan));
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

function* writePlan({ origins, frames, ...plan }: ArrayPlan): Generator<string> {
  const head: Omit<VolumeArrayPlanResponse, 'origins' | 'file_indices' | 'frame_indices'> = {
    type: NPY_TYPES[plan.storage],
    shape: [...plan.shape],
    affine: plan.affine === undefined ? null : [...plan.affine],
    spacing_mm: [...plan.spacingMm],
    times: plan.times.map(toWireTime),
    unit: plan.unit,
    rescale: plan.rescale === undefined ? null : { slope: plan.rescale.slope, intercept: plan.rescale.intercept },
    warnings: [...plan.warnings],
  };
  const half = frames.length / 2;
  yield `${openObject(head)},"origins":[`;
  yield* writeNumbers(origins);
  yield '],"file_indices":[';
  yield* writeNumbers(Uint32Array.from({ length: half }, (_, at) => frames[2 * at]!));
  yield '],"frame_indices":[';
  yield* writeNumbers(Uint32Array.from({ length: half }, (_, at) => frames[2 * at + 1]!));
  yield ']}';
}
