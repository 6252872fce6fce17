import type { EventSign } from '../api/events.ts';
import { wait } from './wait.ts';

/** Tells when to ask the server again. */
export interface News {
  /** Ends when there is news. Where nobody can tell, it ends after the time, so that the caller asks by itself. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Listens until the signal ends it. */
  listen(signal: AbortSignal): Promise<void>;
  /** The same from outside, such as from another page that listens for this one. */
  note(sign: EventSign | 'lost'): void;
  isLive(): boolean;
}

export type NewsOptions = {
  /** Reads the events until they end. */
  readonly follow: (onSign: (sign: EventSign) => void, signal: AbortSignal) => Promise<void>;
  /** Told of all that this page hears by itself. */
  readonly onSign?: (sign: EventSign | 'lost') => void;
  readonly now?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The server says something at once; a proxy that keeps it back does so until the end. */
const FIRST_SIGN_MS = 4_000;
/** The server gives a sign of life every 5 s. */
const SILENCE_MS = 20_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];

export function createNews({ follow, onSign, now = () => performance.now(), pause = wait }: NewsOptions): News {
  let lastSignMs = -Infinity;
  let hasNews = false;
  let wake = new AbortController();

  const isNews = () => hasNews;
  const isLive = () => now() - lastSignMs < SILENCE_MS;
  const note = (sign: EventSign | 'lost') => {
    lastSignMs = sign === 'lost' ? -Infinity : now();
    if (sign !== 'alive') hasNews = true;
    wake.abort();
    wake = new AbortController();
  };
  const hear = (sign: EventSign | 'lost') => {
    note(sign);
    onSign?.(sign);
  };

  /** Ends with the stream, or when it has been silent for too long. */
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
      // Whether the server can be reached at all, the next question shows.
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
