import type { AuditResponse } from '../../shared/contract/audits.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { Domains } from '../../server/createDomains.ts';
import { waitFor } from '../export/exportJob.ts';

/** Series with a picture; a report has to stay small enough for a mail. */
const MOST_PICTURES = 60;
/** Of the longer edge: enough to read what stands in a corner. */
const EDGE = 640;
const QUALITY = 80;

/** An image of each series whose pixels are suspected of having text, as a data URL by the index of its file. */
export async function drawSuspects(
  { catalog, frames }: Pick<Domains, 'catalog' | 'frames'>,
  audits: readonly AuditResponse[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const findings = audits.find(({ audit }) => audit === 'burned-in')?.findings ?? [];
  const pictures = new Map<number, string>();
  for (const { files } of findings.slice(0, MOST_PICTURES)) {
    const file = catalog.files[files[0]?.file_index ?? -1];
    if (file === undefined || file.supportState !== 'renderable') continue;
    const frame = Math.floor((file.frameCount - 1) / 2);
    const choice = { size: EDGE, jpegQuality: QUALITY };
    try {
      const { bytes } = await waitFor(signal, () => frames.thumbnail(file, frame, choice, { signal }));
      pictures.set(file.index, `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`);
    } catch (error) {
      // The audit `readable` says why.
      if (signal.aborted || !(error instanceof ViewerError)) throw error;
    }
  }
  return pictures;
}
