import { ViewerError } from '../../src/shared/contract/errors.ts';
import { createMemoryAccount, type MemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { limitsOf } from '../../src/server/machine/workers/task.ts';
import { createTaskPool, type TaskPool } from '../../src/server/machine/memory/taskPool.ts';

/** Shared, because starting threads and compiling their code takes more processor time than most tests. */
let threads: TaskPool | undefined;
let borrowers = 0;

/**
 * A task pool for one server, on threads that all servers of this test process share. Memory is reserved from the
 * server's own account. Closing the pool rejects the server's tasks, as closing a real pool does, but keeps the threads.
 */
export function borrowThreads(memory: MemoryAccount): TaskPool {
  threads ??= createTaskPool(createMemoryAccount(), { size: 2 });
  const lent = threads;
  const closing = new AbortController();
  borrowers += 1;
  // Two servers may use equal keys for different files.
  const prefix = `${borrowers} `;
  return {
    statistics: lent.statistics,
    prepare: lent.prepare,
    lend: lent.lend,
    collectGarbage: lent.collectGarbage,
    run(task, input, asked) {
      const { signal, key, shareKey, priority } = asked;
      const options = {
        ...asked,
        signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
        key: key && prefix + key,
        shareKey: shareKey && prefix + shareKey,
        isReserved: true,
      };
      const run = () => lent.run(task, input, options);
      const { memory: needed } = limitsOf(task, input, asked);
      if (asked.isReserved || needed === 'reserved') return run();
      return memory.tasks.reserve({ ...needed, priority, signal }, run);
    },
    async close() {
      closing.abort(new ViewerError('shutting_down', 'the server is shutting down'));
    },
  };
}
