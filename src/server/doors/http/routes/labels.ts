import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import { LabelMarksBody, type LabelFormat, type LabelPlanResponse } from '../../../../shared/contract/labels.ts';
import type { ImportedMarksResponse } from '../../../../shared/contract/marks.ts';
import { askWhileBusy, VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import type { LabelPlan } from '../../../work/marks/volumes/labelVolumes.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { createSendBytes } from '../sendBytes.ts';
import { sendJson, sendLongJson } from '../sendJson.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import { nameSeries } from './exports.ts';
import { RequestOptions } from './frames.ts';

/** How names of label volumes end, and what they are. */
export const LABEL_FILES: Readonly<Record<LabelFormat, readonly [ending: string, mediaType: string]>> = {
  'nii.gz': ['labels.nii.gz', 'application/gzip'],
  nii: ['labels.nii', 'application/octet-stream'],
  nrrd: ['labels.seg.nrrd', 'application/octet-stream'],
  seg: ['labels.seg.dcm', 'application/dicom'],
  npz: ['labels.npz', 'application/zip'],
};

/** Parts of layers and marks as label volumes. */
export function labelRoutes({ labelVolumes, memory }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  return {
    async labelVolume(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const query = parseQuery(ENDPOINTS.labelVolume.query, c);
      const { of, pieces, leftOut } = await labelVolumes.write(fileIndex, query, new RequestOptions(c));
      if (leftOut.length > 0) c.setHeader(HEADER.labelsLeftOut, leftOut.join(', '));
      const [ending, mediaType] = LABEL_FILES[query.format ?? 'nii.gz'];
      return sendBytes(c, pieces, [
        ['Content-Type', mediaType],
        ['Content-Disposition', `attachment; filename="${nameSeries(of, `-${ending}`)}"`],
      ]);
    },
    async labelPlan(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      const fileIndex = parsePathNumber(c, 'index');
      const query = parseQuery(ENDPOINTS.labelPlan.query, c);
      return sendLongJson(c, toWirePlan(await labelVolumes.plan(fileIndex, query, new RequestOptions(c))));
    },
    async labelMarks(c) {
      const fileIndex = parsePathNumber(c, 'index');
      const body = await parseChecked(LabelMarksBody, await readJsonBody(c), 'the body must say which layers');
      // The body has been read, so the request cannot be handled again as a whole.
      const options = new RequestOptions(c);
      const make = () => labelVolumes.toMarks(fileIndex, body, options);
      const { durability, ...made } = await askWhileBusy(make, () => ({ waitMs: VOLUME_WAIT_MS, signal: c.signal }));
      c.setHeader(HEADER.annotationDurability, durability);
      return sendJson(c, made satisfies ImportedMarksResponse);
    },
  } satisfies Handlers;
}

export function toWirePlan({
  grid,
  volumes,
  sampleBytes,
  overlaps,
  pairs,
  parts,
  rules,
  leftOut,
}: LabelPlan): LabelPlanResponse {
  return {
    size: [grid.columns, grid.rows, grid.slices],
    volumes,
    sample_bytes: sampleBytes,
    overlapping_samples: overlaps,
    overlapping: pairs.map(([a, b]) => [a, b]),
    labels: parts.map(({ value, volume, from, title, color, codes, samples }) => ({
      value,
      volume,
      layer: from?.layer ?? null,
      part: from?.part ?? null,
      name: title,
      color: [...color],
      category: codes.category,
      type: codes.type,
      samples,
    })),
    rules: [...rules],
    left_out: [...leftOut],
  };
}
