import { ViewerError } from '../../src/shared/contract/errors.ts';
import { createMemoryAccount, type MemoryAccount } from '../../src/server/memory/memoryAccount.ts';
import { createTaskPool, type TaskPool } from '../../src/server/memory/taskPool.ts';

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
    run(task, input, { memory: needed, signal, key, shareKey, ...rest }) {
      const options = {
        ...rest,
        signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
        ...(key !== undefined && { key: prefix + key }),
        ...(shareKey !== undefined && { shareKey: prefix + shareKey }),
        memory: 'reserved' as const,
      };
      if (needed === 'reserved') return lent.run(task, input, options);
      return memory.tasks.reserve({ ...needed, priority: rest.priority, signal }, () => lent.run(task, input, options));
    },
    async close() {
      closing.abort(new ViewerError('shutting_down', 'the server is shutting down'));
    },
  };
}
