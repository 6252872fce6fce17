import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { workerFile } from '../server/workers/workerFile.ts';
import { createWorkerPool } from '../server/workers/workerPool.ts';
import { DEMO_PARTS, writeDemoTask } from './demoTask.ts';

const MAX_THREADS = 4;
/** Far more than the slowest machine needs; it only keeps a hung disk from hanging the start for ever. */
const TIMEOUT_MS = 120_000;

/** Writes all parts of the study side by side, in threads. */
export async function writeDemoParts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pool = createWorkerPool({
    size: Math.min(MAX_THREADS, availableParallelism()),
    file: workerFile('demo.worker'),
  });
  try {
    await Promise.all(DEMO_PARTS.map((part) => pool.run(writeDemoTask, { folder, part }, { timeoutMs: TIMEOUT_MS })));
  } finally {
    await pool.close();
  }
}
