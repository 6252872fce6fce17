import type { AttachmentsResponse, OverlaysResponse } from '../../../shared/contract/attachments.ts';
import { fetchJson } from './send.ts';

/** Model output beside the files, from this one on. */
export function fetchAttachments(since: number, signal: AbortSignal): Promise<AttachmentsResponse> {
  return fetchJson(`api/attachments?since=${since}`, { signal });
}

/** What was named on the command line. */
export function fetchOverlays(signal: AbortSignal): Promise<OverlaysResponse> {
  return fetchJson('api/overlays', { signal });
}
