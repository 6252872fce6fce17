import type { EventSign, VolumeEvent } from '../api/events.ts';
import { wait } from './wait.ts';

/** Tells callers when to query the server again. */
export interface News {
  /** Resolves when there is news. Without a live event stream it resolves after `ms`, so that the caller polls. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Listens for events until the signal aborts. */
  listen(signal: AbortSignal): Promise<void>;
  /** Records a sign that was received elsewhere, such as by another page that listens on behalf of this one. */
  note(sign: EventSign | 'lost'): void;
  isLive(): boolean;
}

export type NewsOptions = {
  /** Reads the event stream until it ends. */
  readonly follow: (onSign: (sign: EventSign) => void, signal: AbortSignal) => Promise<void>;
  /** Called for every sign that this page receives itself. */
  readonly onSign?: (sign: EventSign | 'lost') => void;
  /** Called for every sign that is not about the list of files, also for those that were received elsewhere. */
  readonly onEvent?: (event: VolumeEvent | 'view' | 'marks' | 'review' | 'assistants') => void;
  readonly now?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The server sends a first sign at once. A proxy that buffers it does so until the stream ends. */
const FIRST_SIGN_MS = 4_000;
/** The server sends a heartbeat every 5 s. */
const SILENCE_MS = 20_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

export function createNews({
  follow,
  onSign,
  onEvent,
  now = () => performance.now(),
  pause = wait,
}: NewsOptions): News {
  let lastSignMs = -Infinity;
  let hasNews = false;
  let wake = new AbortController();

  const isNews = () => hasNews;
  const isLive = () => now() - lastSignMs < SILENCE_MS;
  const note = (sign: EventSign | 'lost') => {
    lastSignMs = sign === 'lost' ? -Infinity : now();
    if (typeof sign === 'object' || (sign !== 'news' && sign !== 'alive' && sign !== 'lost')) onEvent?.(sign);
    // Events may have been missed.
    if (sign === 'lost') for (const event of ['marks', 'review'] as const) onEvent?.(event);
    if (sign === 'news' || sign === 'lost') hasNews = true;
    wake.abort();
    wake = new AbortController();
  };
  const hear = (sign: EventSign | 'lost') => {
    note(sign);
    onSign?.(sign);
  };

  /** Resolves when the stream ends or has been silent for too long. Returns whether any sign arrived. */
  const followOnce = async (signal: AbortSignal): Promise<boolean> => {
    const silent = new AbortController();
    let hasSigns = false;
    let timer = setTimeout(() => silent.abort(), FIRST_SIGN_MS);
    try {
      await follow(
        (sign) => {
          clearTimeout(timer);
          timer = setTimeout(() => silent.abort(), SILENCE_MS);
          hasSigns = true;
          hear(sign);
        },
        AbortSignal.any([signal, silent.signal]),
      );
    } catch {
      // The next request shows whether the server can be reached at all.
    } finally {
      clearTimeout(timer);
    }
    return hasSigns;
  };

  return {
    isLive,
    note,
    async wait(ms, signal) {
      const beganMs = now();
      while (!signal.aborted && !isNews()) {
        const leftMs = isLive() ? lastSignMs + SILENCE_MS - now() : beganMs + ms - now();
        if (leftMs <= 0) break;
        await pause(leftMs, AbortSignal.any([signal, wake.signal]));
      }
      hasNews = false;
    },
    async listen(signal) {
      let failures = 0;
      while (!signal.aborted) {
        const hadSigns = await followOnce(signal);
        if (signal.aborted) return;
        if (hadSigns) {
          failures = 0;
          hear('lost');
        }
        await pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0, signal);
      }
    },
  };
}
