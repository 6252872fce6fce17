import { closeSync, existsSync, openSync, readSync } from 'node:fs';

export type Turns = { readonly longestMs: number; readonly sumMs: number };

/**
 * Processor time of the main thread: the maximum between two timers, which other processes on the machine cannot
 * prolong, and the total. Only Linux reports it, and updates it at its ticks, usually every 4 ms: a turn can be that
 * much shorter than it seems. NaN on other systems.
 */
export function watchTurns(): { end(): Turns } {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  if (!existsSync(path)) return { end: () => ({ longestMs: Number.NaN, sumMs: Number.NaN }) };
  const file = openSync(path, 'r');
  // One buffer for all reads: a new one for each would create garbage and distort the measurement.
  const text = Buffer.alloc(64);
  const processorMs = (): number =>
    parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10) / 1e6;
  let longestMs = 0;
  const began = processorMs();
  let last = began;
  const look = () => {
    longestMs = Math.max(longestMs, processorMs() - last);
    last = processorMs();
  };
  const timer = setInterval(look);
  return {
    end() {
      clearInterval(timer);
      look();
      closeSync(file);
      return { longestMs, sumMs: last - began };
    },
  };
}
