import type { Clock } from '../../src/server/machine/workers/timeLimit.ts';

/** A clock that stands still until it is moved. */
export function createFakeClock(): Clock & { move(ms: number): void } {
  let nowMs = 0;
  const waiting = new Set<{ readonly atMs: number; readonly call: () => void }>();
  return {
    nowMs: () => nowMs,
    after(ms, call) {
      const one = { atMs: nowMs + ms, call };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    move(ms) {
      nowMs += ms;
      for (const one of waiting) {
        if (one.atMs > nowMs) continue;
        waiting.delete(one);
        one.call();
      }
    },
  };
}
