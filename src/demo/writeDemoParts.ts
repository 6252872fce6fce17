import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { workerFile } from '../server/workers/workerFile.ts';
import { createWorkerPool } from '../server/workers/workerPool.ts';
import { DEMO_PARTS, WRITTEN_CHANNEL, writeDemoTask } from './demoTask.ts';

const MAX_THREADS = 4;
/** Far more than the slowest machine needs; it only keeps a hung disk from hanging the start for ever. */
const TIMEOUT_MS = 120_000;

/** Writes all parts of the study side by side, in threads, and tells of each file. */
export async function writeDemoParts(folder: string, onWritten: (path: string) => void): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pool = createWorkerPool({
    // Two at least: what the second makes is listed before what the first makes last.
    size: Math.max(2, Math.min(MAX_THREADS, availableParallelism())),
    file: workerFile('demo.worker'),
  });
  const written = new BroadcastChannel(WRITTEN_CHANNEL);
  written.addEventListener('message', (event) => {
    if ('data' in event) onWritten(String(event.data));
  });
  try {
    await Promise.all(DEMO_PARTS.map((part) => pool.run(writeDemoTask, { folder, part }, { timeoutMs: TIMEOUT_MS })));
  } finally {
    written.close();
    await pool.close();
  }
}
