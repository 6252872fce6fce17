import { patienceOf } from './arrival.ts';

/** Measures time for limits; tests use their own. */
export type Clock = {
  nowMs(): number;
  /** Calls a function later. Returns what prevents it. */
  after(ms: number, call: () => void): () => void;
};

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** How long the work for one answer may take. */
export interface TimeLimit {
  /** The result of the work, or undefined if it takes longer. It is not begun after that time; once begun, it ends. */
  wait<Result>(work: () => Promise<Result>): Promise<Result | undefined>;
}

/** What a step may take for a request that has waited long already in other steps. */
const LEAST_MS = 2_000;

/** For the request of a signal, several limits one after the other are no longer than its patience, or little longer. */
export function createTimeLimit(ms: number, clock: Clock, signal?: AbortSignal): TimeLimit {
  const untilMs = clock.nowMs() + Math.min(ms, Math.max(LEAST_MS, patienceOf(signal) ?? ms));
  return {
    async wait<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
      const leftMs = untilMs - clock.nowMs();
      if (leftMs <= 0) return undefined;
      let stop: (() => void) | undefined;
      const late = new Promise<undefined>((resolve) => {
        stop = clock.after(leftMs, () => resolve(undefined));
      });
      try {
        return await Promise.race([work(), late]);
      } finally {
        stop?.();
      }
    },
  };
}
