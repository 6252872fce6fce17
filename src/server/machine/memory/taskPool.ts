import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Joined } from '../workers/job.ts';
import { limitsOf, type TaskRunner } from '../workers/task.ts';
import type { ThreadLink } from '../workers/threadLink.ts';
import { createWorkerPool, MOST_HEAP_BYTES, type WorkerPool } from '../workers/workerPool.ts';
import type { MemoryAccount } from './memoryAccount.ts';
import { inflatedBytesIn } from './memoryPlan.ts';

/** The worker threads. Each task runs with the memory reserved that it asks for. */
export interface TaskPool
  extends TaskRunner, Pick<WorkerPool, 'statistics' | 'close' | 'prepare' | 'lend' | 'collectGarbage'> {}

/** Approximate memory of a thread with its heap and one codec. */
const THREAD_BYTES = 64 * 2 ** 20;
/** Approximate memory of a thread that has nothing to do. */
const IDLE_THREAD_BYTES = 24 * 2 ** 20;
/** The heap of a thread that has only run small tasks: most of it is the space for new objects. */
const LITTLE_HEAP_BYTES = 40 * 2 ** 20;
/** The heap of one task: less with a small budget, but enough for the headers of any real file. */
const FEWEST_TASK_HEAP_BYTES = 96 * 2 ** 20;
const MOST_TASK_HEAP_BYTES = 256 * 2 ** 20;
const FEWEST_THREADS = 2;
const MOST_THREADS = 8;

export type TaskPoolOptions = {
  readonly size?: number;
  /** How a new thread asks the thread that has the connections to other machines. */
  readonly connect?: (() => ThreadLink) | undefined;
};

export function createTaskPool(
  memory: MemoryAccount,
  { size = threadCount(memory.plan.totalBytes), connect }: TaskPoolOptions = {},
): TaskPool {
  const { plan } = memory;
  const keptBytes = Math.floor(plan.threads / size);
  const pool = createWorkerPool({
    size,
    connect,
    memory: {
      keptBytes,
      heapBytes: Math.min(Math.max(keptBytes, LITTLE_HEAP_BYTES), MOST_HEAP_BYTES),
      mostHeapBytes: Math.min(Math.max(plan.tasks, FEWEST_TASK_HEAP_BYTES), MOST_TASK_HEAP_BYTES),
      inflatedBytes: inflatedBytesIn(plan.tasks),
      // A thread that ends because of another idle one has to be started again for the next task.
      idleBytes: Math.max(plan.threads, size * IDLE_THREAD_BYTES),
      isScarce: () => process.memoryUsage.rss() > plan.totalBytes,
      onIdleBytes: (bytes) => memory.setThreadBytes(bytes),
    },
  });
  return {
    statistics: pool.statistics,
    close: pool.close,
    prepare: pool.prepare,
    lend: pool.lend,
    collectGarbage: pool.collectGarbage,
    async run(task, input, options) {
      const { priority, isAwaited, signal, isReserved } = options;
      const { memory: needed } = limitsOf(task, input, options);
      // One request may wait for many tasks. Node takes more than ten listeners for a leak and prints a warning.
      if (signal !== undefined) setMaxListeners(0, signal);
      // A thread holds the memory of a task that was given up, and what it shares with its caller, until it has ended it.
      if (isReserved || needed === 'reserved') return answerWhenFree(pool.begin(task, input, options));
      return new Promise((resolve, reject) => {
        const work = async () => {
          const begun = pool.begin(task, input, options);
          // Who still waits learns at once that it failed.
          begun.answer.catch((error: unknown) => signal?.aborted !== true && reject(error));
          return answerWhenFree(begun);
        };
        memory.tasks.reserve({ ...needed, priority, isAwaited, signal, isTask: true }, work).then(resolve, reject);
      });
    },
  };
}

async function answerWhenFree<Output>({ answer, freed }: Joined<Output>): Promise<Output> {
  try {
    return await answer;
  } catch (error) {
    await freed;
    throw error;
  }
}

function threadCount(totalBytes: number): number {
  const byMemory = Math.floor(totalBytes / THREAD_BYTES);
  return Math.max(FEWEST_THREADS, Math.min(MOST_THREADS, availableParallelism() - 1, byMemory));
}
