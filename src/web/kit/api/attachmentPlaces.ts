import type { AttachmentChoice, AttachmentMatchesResponse } from '../../../shared/contract/attachments.ts';
import type { FlipAxis } from '../../../shared/flipAxes.ts';
import { fetchJson, send } from './send.ts';

/** The stacks that an attachment fits. */
export function fetchMatches(attachment: number, signal: AbortSignal): Promise<AttachmentMatchesResponse> {
  return fetchJson(`api/attachment/${attachment}/matches`, { signal });
}

/** Lays an attachment over the stack of a frame that it fits; an undefined file leaves the decision to the server. */
export async function chooseStack(
  attachment: number,
  {
    file,
    frame,
    order,
    flips,
  }: Omit<AttachmentChoice, 'file' | 'flips'> & {
    readonly file: number | undefined;
    readonly flips: readonly FlipAxis[];
  },
): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ file: file ?? null, frame, order, flips });
  await send(`api/attachment/${attachment}/stack`, { method: 'PUT', headers, body });
}
