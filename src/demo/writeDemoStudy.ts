import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { workerFile } from '../server/workers/workerFile.ts';
import { createWorkerPool } from '../server/workers/workerPool.ts';
import { DEMO_PARTS, writeDemoTask } from './demoTask.ts';

const MAX_THREADS = 4;
/** Far more than the slowest machine needs; it only keeps a hung disk from hanging the start for ever. */
const TIMEOUT_MS = 120_000;

/**
 * Writes a synthetic study of one patient into a folder: the same bytes every time. Being aborted rejects with the
 * signal's reason and leaves what was written so far; the folder is the caller's to remove.
 */
export async function writeDemoStudy(folder: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pool = createWorkerPool({
    size: Math.min(MAX_THREADS, availableParallelism()),
    file: workerFile('demo.worker'),
  });
  try {
    await Promise.all(
      DEMO_PARTS.map((part) => pool.run(writeDemoTask, { folder, part }, { ...options, timeoutMs: TIMEOUT_MS })),
    );
  } finally {
    await pool.close();
  }
}
