import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { workerFile } from '../server/machine/workers/workerFile.ts';
import { createWorkerPool } from '../server/machine/workers/workerPool.ts';
import { DEMO_PARTS, WRITTEN_CHANNEL, writeDemoTask } from './demoTask.ts';

const MAX_THREADS = 4;

/** Writes all parts of the study in parallel threads and reports each file. */
export async function writeDemoParts(folder: string, onWritten: (path: string) => void): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pool = createWorkerPool({
    // At least two, because files of the second thread are listed before the last files of the first.
    size: Math.max(2, Math.min(MAX_THREADS, availableParallelism())),
    file: workerFile('demo.worker'),
  });
  const written = new BroadcastChannel(WRITTEN_CHANNEL);
  written.addEventListener('message', (event) => {
    if ('data' in event) onWritten(String(event.data));
  });
  try {
    await Promise.all(DEMO_PARTS.map((part) => pool.run(writeDemoTask, { folder, part }, {})));
  } finally {
    written.close();
    await pool.close();
  }
}
