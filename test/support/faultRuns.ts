import { onTestFailed } from 'vitest';
import { createRandom, type Random } from '../fuzz/random.ts';

/** How often a fault is repeated: a few times by default, NEGATO_FAULT_RUNS times in a long run. */
export function faultRuns(usual: number): number {
  return Number(process.env['NEGATO_FAULT_RUNS'] ?? usual);
}

/**
 * Yields as many runs, each with its own random numbers, which depend on NEGATO_FAULT_SEED. A failing test logs the run
 * and the seed.
 */
export function* randomFaults(usual: number): Generator<{ readonly run: number; readonly random: Random }> {
  const seed = Number(process.env['NEGATO_FAULT_SEED'] ?? 1);
  let run = 0;
  onTestFailed(() => console.log(`failed in run ${run} with NEGATO_FAULT_SEED=${seed}`));
  for (; run < faultRuns(usual); run += 1) yield { run, random: createRandom(seed, run) };
}
