import { onTestFailed } from 'vitest';
import { createRandom, type Random } from '../fuzz/random.ts';

/** How often a fault is repeated: few times in every run, and NEGATO_FAULT_RUNS times for a long one. */
export function faultRuns(usual: number): number {
  return Number(process.env['NEGATO_FAULT_RUNS'] ?? usual);
}

/** As many runs, each with moments of its own, which NEGATO_FAULT_SEED changes. A test that fails says what to repeat. */
export function* randomFaults(usual: number): Generator<{ readonly run: number; readonly random: Random }> {
  const seed = Number(process.env['NEGATO_FAULT_SEED'] ?? 1);
  let run = 0;
  onTestFailed(() => console.log(`failed in run ${run} with NEGATO_FAULT_SEED=${seed}`));
  for (; run < faultRuns(usual); run += 1) yield { run, random: createRandom(seed, run) };
}
