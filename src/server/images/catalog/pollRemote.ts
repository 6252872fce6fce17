import { setTimeout as delay } from 'node:timers/promises';
import type { FolderNews } from '../../bytes/origins/origins.ts';

export type RemotePolling = {
  /** What has changed on other machines since the last call, or since the scan. */
  readonly read: () => Promise<FolderNews>;
  /** Shortest time between two listings. */
  readonly pollMs?: number | undefined;
};

/** Other machines do not report changes: their listings are compared. Default interval. */
const POLL_MS = 1_000;
/** A long listing takes at most this part of the time. */
const POLL_SHARE = 20;

/** Reports changes until the signal aborts. */
export async function pollRemote(
  { read, pollMs = POLL_MS }: RemotePolling,
  { onNews, signal }: { readonly onNews: (news: FolderNews) => void; readonly signal: AbortSignal },
): Promise<void> {
  let pauseMs = pollMs;
  while (!signal.aborted) {
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const begunMs = performance.now();
    // A machine that does not answer is asked again the next time.
    const news = await read().catch(() => undefined);
    pauseMs = Math.max(pollMs, POLL_SHARE * (performance.now() - begunMs));
    if (news !== undefined && !signal.aborted) onNews(news);
  }
}
