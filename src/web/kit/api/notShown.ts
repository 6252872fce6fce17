import type { NotShownResponse, SkipReason } from '../../../shared/contract/files.ts';
import { fetchJson } from './send.ts';

/** Files that are not shown for one reason, from this one on. */
export function fetchNotShown(
  reason: SkipReason,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<NotShownResponse> {
  return fetchJson(`api/not-shown?reason=${reason}&offset=${offset}&limit=${limit}`, { signal });
}
