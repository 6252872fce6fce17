import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { WorkerDied } from '../../src/server/machine/workers/taskErrors.ts';
import { bundleWorker } from '../support/bundleWorker.ts';
import { faultRuns, randomFaults } from '../support/faultRuns.ts';
import { echoTask, exitTask, sleepTask } from '../support/faultyTasks.ts';

const TIMEOUT_MS = 30_000;
const RUNS = 30;

test(
  'threads that end at random moments fail their own task only, and others take their place',
  async () => {
    const file = await bundleWorker(new URL('../support/faultyWorker.ts', import.meta.url));
    const pool = createWorkerPool({ size: 2, file });
    onTestFinished(async () => {
      await pool.close();
      await rm(new URL('.', file), { recursive: true });
    });
    for (const { run, random } of randomFaults(RUNS)) {
      const options = { timeoutMs: TIMEOUT_MS };
      const dying = pool.run(exitTask, { afterMs: random.below(40) }, options).catch((error: unknown) => error);
      const beside = pool.run(sleepTask, { ms: random.below(40), answer: `slept ${run}` }, options);
      // The next task starts before, at or after the end of the thread.
      await wait(random.below(40));
      const after = pool.run(echoTask, `echo ${run}`, options);
      expect(await dying).toBeInstanceOf(WorkerDied);
      expect(await Promise.all([beside, after])).toEqual([`slept ${run}`, `echo ${run}`]);
    }
    const runs = faultRuns(RUNS);
    expect(pool.statistics()).toMatchObject({ died: runs, completed: 2 * runs, busy: 0, queuedInteractive: 0 });
  },
  20_000 + faultRuns(RUNS) * 2_000,
);
