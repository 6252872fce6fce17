import type { FileRecord, FilesResponse } from '../../../shared/contract/files.ts';
import { type FilesPage, FIRST_FILES_PAGE } from '../../../shared/filesPath.ts';
import { ConnectionLost, RequestRefused } from '../api/send.ts';

/** What the page knows about the server's list. */
export type FileListState = {
  /** In index order. */
  readonly files: readonly FileRecord[];
  /** The latest response without its files; undefined before the first response. */
  readonly summary: Omit<FilesResponse, 'files'> | undefined;
  readonly connection: 'ok' | 'lost' | 'needs_token';
};

export const EMPTY_LIST: FileListState = { files: [], summary: undefined, connection: 'ok' };

export type WatchOptions = {
  readonly fetchPage: (page: FilesPage, signal: AbortSignal) => Promise<FilesResponse>;
  readonly onChange: (state: FileListState) => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Waits until the server has news, or for `ms` if there is no event stream. Absent: always waits for `ms`. */
  readonly waitForNews?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly now?: () => number;
};

/**
 * Minimum interval between requests during the scan, however often there is news and however far the list is behind:
 * the server, and often the browser too, needs the processors for the scan. After it the rest comes without a pause.
 */
const WHILE_SCANNING_MS = 400;
/** A long scan is not delayed noticeably by a list that follows it more closely, unless the machine is slow. */
const LATER = { shortestMs: 100, longestMs: 2_000, timesLast: 4 };
const REQUESTS_UNTIL_LATER = 10;
const AFTER_SCAN_MS = 5_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000];

/** Follows the server's list, page by page, until the signal aborts. A server restart begins a new list. */
export async function watchFiles({ fetchPage, onChange, wait, waitForNews, ...options }: WatchOptions): Promise<void> {
  const { signal, now = () => performance.now() } = options;
  let state = EMPTY_LIST;
  let failures = 0;
  let requests = 0;
  const tell = (next: FileListState) => {
    state = next;
    onChange(state);
  };
  const waitToAsk = async ({ scan_complete }: FilesResponse, tookMs: number) => {
    const more = state.summary?.more === true;
    if (!scan_complete) {
      const { shortestMs, longestMs, timesLast } = LATER;
      const laterMs = Math.min(longestMs, Math.max(shortestMs, timesLast * tookMs));
      await wait(more && requests > REQUESTS_UNTIL_LATER ? laterMs : WHILE_SCANNING_MS, signal);
      if (!more) await waitForNews?.(0, signal);
    } else if (!more) await (waitForNews ?? wait)(AFTER_SCAN_MS, signal);
  };
  while (!signal.aborted) {
    try {
      const since = state.summary?.revision ?? FIRST_FILES_PAGE.since;
      const beganMs = now();
      const answer = await fetchPage({ ...FIRST_FILES_PAGE, since }, signal);
      failures = 0;
      requests += 1;
      tell(addAnswer(state, answer));
      await waitToAsk(answer, now() - beganMs);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RequestRefused && error.code === 'unauthorized') {
        tell({ ...state, connection: 'needs_token' });
        return;
      }
      if (!(error instanceof ConnectionLost || error instanceof RequestRefused)) throw error;
      tell({ ...state, connection: 'lost' });
      await wait(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0, signal);
    }
  }
}

/** The state after a response. A restarted server counts its revisions from the beginning. */
export function addAnswer(state: FileListState, { files: added, ...latest }: FilesResponse): FileListState {
  const known = state.summary;
  // The same list as before stays the same object, so that nothing is built again for it.
  const isSameGone =
    known?.gone.length === latest.gone.length && known.gone.every((index, at) => index === latest.gone[at]);
  const summary = isSameGone ? { ...latest, gone: known.gone } : latest;
  const isOtherServer = known !== undefined && known.server_start_ms !== summary.server_start_ms;
  if (isOtherServer && !summary.reset && known.revision > 0) {
    // The other server has enough files for our revision to be valid, but the files in this response do not follow
    // ours.
    return { files: [], summary: { ...summary, revision: 0, more: true }, connection: 'ok' };
  }
  if (summary.reset || isOtherServer) return { files: added, summary, connection: 'ok' };
  if (added.length === 0) return { ...state, summary, connection: 'ok' };
  // By index, because a record is sent again when it has changed.
  const files = [...state.files];
  for (const file of added) files[file.index] = file;
  return { files, summary, connection: 'ok' };
}
