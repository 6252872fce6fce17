import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkerPool } from '../../src/server/workers/workerPool.ts';
import { WorkerDied } from '../../src/server/workers/taskErrors.ts';
import { bundleWorker } from '../support/bundleWorker.ts';
import { faultRuns } from '../support/faultRuns.ts';
import { echoTask, exitTask, sleepTask } from '../support/faultyTasks.ts';

const TIMEOUT_MS = 30_000;

test(
  'threads that end at any moment fail their own task only, and others take their place',
  async () => {
    const file = await bundleWorker(new URL('../support/faultyWorker.ts', import.meta.url));
    const pool = createWorkerPool({ size: 2, file });
    onTestFinished(async () => {
      await pool.close();
      await rm(new URL('.', file), { recursive: true });
    });
    const runs = faultRuns(30);
    for (let run = 0; run < runs; run++) {
      const dying = pool.run(exitTask, { afterMs: (run * 7) % 20 }, { timeoutMs: TIMEOUT_MS });
      const beside = pool.run(sleepTask, { ms: (run * 11) % 20, answer: `slept ${run}` }, { timeoutMs: TIMEOUT_MS });
      const after = pool.run(echoTask, `echo ${run}`, { timeoutMs: TIMEOUT_MS });
      await expect(dying).rejects.toThrow(WorkerDied);
      expect(await Promise.all([beside, after])).toEqual([`slept ${run}`, `echo ${run}`]);
    }
    expect(pool.statistics()).toMatchObject({ died: runs, completed: 2 * runs, busy: 0, queuedInteractive: 0 });
  },
  20_000 + faultRuns(30) * 2_000,
);
