import { availableParallelism } from 'node:os';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { patienceOf } from './arrival.ts';
import { createCrashBackOff } from './crashBackOff.ts';
import { createIdleThreads, type IdleThreadsOptions } from './idleThreads.ts';
import { createJob, type Job, type Joined, joinJob, rejectJob, resolveJob } from './job.ts';
import { createJobQueues } from './jobQueues.ts';
import { createOnceTimer } from './onceTimer.ts';
import { createQuarantine } from './quarantine.ts';
import { createSharedJobs } from './sharedJobs.ts';
import { OVERDUE_MS, type PoolTaskOptions, type Task, type UnadmittedTasks } from './task.ts';
import { TaskQuarantined, WorkerDied } from './taskErrors.ts';
import type { ThreadLimits, ThreadMemory } from './taskMessages.ts';
import type { Thread } from './startThread.ts';
import type { ThreadLink } from './threadLink.ts';
import { workerFile } from './workerFile.ts';
import {
  type Death,
  LOST_MS,
  type StartWorker,
  startWorkerThread,
  type TaskOutcome,
  type WorkerThread,
} from './workerThread.ts';

export type WorkerPoolOptions = {
  /** Maximum number of threads. Default: one less than the number of processors, at least 2 and at most 8. */
  readonly size?: number;
  /** The worker's entry module. Default: the built `worker.cjs`. */
  readonly file?: URL;
  /** Maximum number of queued tasks of both priorities together; more are refused with decode_busy. Default 1,024. */
  readonly maxQueued?: number;
  /** A thread whose WebAssembly memory has grown beyond this is replaced. Default 256 MiB. */
  readonly maxWasmBytes?: number;
  /**
   * After this long without work, all idle threads end except one that has not grown much, which collects its garbage.
   * Default 10 s.
   */
  readonly idleMs?: number;
  /** Prefetch that has waited longer takes turns with interactive work. Default `OVERDUE_MS`. */
  readonly overdueMs?: number;
  /** Called for each new thread: how it asks the thread that has the connections to other machines. */
  readonly connect?: (() => ThreadLink) | undefined;
  /** Default: as much as a thread can ever use. */
  readonly memory?: Partial<PoolMemory>;
  /** Default: starts a worker of Node. */
  readonly startWorker?: StartWorker;
};

/** Memory that the threads may hold between tasks. */
export type PoolMemory = ThreadLimits & Pick<IdleThreadsOptions, 'idleBytes' | 'isScarce' | 'onIdleBytes'>;

export type WorkerPoolStatistics = {
  readonly size: number;
  readonly threads: number;
  readonly busy: number;
  /** Terminated threads that have not ended yet. */
  readonly ending: number;
  readonly queuedInteractive: number;
  readonly queuedPrefetch: number;
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  /** Tasks whose thread died while running them, including timeouts. */
  readonly died: number;
  /** Threads that were terminated because their task went on after its last caller had gone. */
  readonly stopped: number;
  /** Requests that were answered by a task that was already queued or running. */
  readonly shared: number;
  /** Tasks that were dropped or told to stop because no caller was waiting any more. */
  readonly abandoned: number;
  readonly recycled: number;
  readonly quarantined: number;
};

export interface WorkerPool extends UnadmittedTasks {
  /** Runs a task, and says when its memory is free: a thread may still work on a task whose caller has gone. */
  readonly begin: <Input, Output, Of = undefined>(
    task: Task<Input, Output, Of>,
    input: Input,
    options: PoolTaskOptions<Of>,
  ) => Joined<Output>;
  readonly statistics: () => WorkerPoolStatistics;
  /** Starts a thread if there is none, so that the first task does not wait for it. */
  readonly prepare: () => void;
  /**
   * Lends a thread for other work, a new one if none is idle; undefined if no thread is free. When its borrower
   * terminates it, it runs tasks: starting a thread takes longer than most of them.
   */
  readonly lend: () => Thread | undefined;
  /**
   * Collects the garbage of all threads. V8 does not count shared memory, so a thread that no longer uses it would keep
   * it until it needs memory for something else.
   */
  readonly collectGarbage: () => void;
  /** Rejects all pending tasks with shutting_down and ends all threads, within a second. */
  readonly close: () => Promise<void>;
}

/** Number of terminated threads beyond the size that may still be ending before no new ones are started. */
const SPARE_THREADS = 2;
/** The heap of a thread between tasks, at most. */
export const MOST_HEAP_BYTES = 96 * 2 ** 20;
const UNLIMITED: PoolMemory = {
  keptBytes: 256 * 2 ** 20,
  heapBytes: MOST_HEAP_BYTES,
  mostHeapBytes: 256 * 2 ** 20,
  inflatedBytes: 512 * 2 ** 20,
  idleBytes: Infinity,
  isScarce: () => false,
  onIdleBytes: () => {},
};

/**
 * Runs tasks in worker threads, one at a time in each. No thread starts before the first task. A task whose thread dies
 * fails immediately and is not retried; the other tasks wait for the next thread.
 */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const size = options.size ?? Math.min(Math.max(availableParallelism() - 1, 2), 8);
  const file = options.file ?? workerFile('worker');
  const { maxQueued = 1_024, idleMs = 10_000, overdueMs = OVERDUE_MS, maxWasmBytes = 256 * 2 ** 20 } = options;
  const { idleBytes, isScarce, onIdleBytes, ...limits }: PoolMemory = { ...UNLIMITED, ...options.memory };
  const queues = createJobQueues(Math.max(1, size - 1), overdueMs);
  const running = new Set<Job>();
  const shared = createSharedJobs();
  const threads = new Set<WorkerThread>();
  /** Threads that others use, and those of them that are about to come back. */
  const lent = new Set<WorkerThread>();
  const returning = new Set<WorkerThread>();
  const ending = new Set<Promise<void>>();
  const quarantine = createQuarantine();
  const counts = { started: 0, completed: 0, failed: 0, died: 0, stopped: 0, shared: 0, abandoned: 0, recycled: 0 };
  const crashes = createCrashBackOff();
  const retryTimer = createOnceTimer();
  const lostTimer = createOnceTimer();
  let closed = false;
  const onRecycled = () => {
    counts.recycled += 1;
  };
  const idle = createIdleThreads({ idleBytes, isScarce, onIdleBytes, idleMs, onRecycled });

  const enqueue = <Input, Of>(task: Task<Input, unknown, Of>, input: Input, taskOptions: PoolTaskOptions<Of>): Job => {
    if (crashes.isHopeless()) throw new WorkerDied('workers keep failing; a new one starts in a few seconds');
    const { interactive, prefetch } = queues.counts();
    if (interactive + prefetch >= maxQueued) {
      throw new ViewerError('decode_busy', `${maxQueued} requests are already waiting; try again in a moment`);
    }
    const job = createJob(task, input, taskOptions);
    queues.add(job);
    shared.add(job);
    return job;
  };

  const abandon = (job: Job) => {
    counts.abandoned += 1;
    shared.remove(job);
    if (queues.remove(job)) job.free();
    job.thread?.cancel();
  };

  const takeThread = (): WorkerThread | undefined => {
    const waiting = idle.take();
    if (waiting !== undefined) return waiting;
    if (returning.size > 0) return undefined;
    // One thread is never lent, because a borrower may keep its own for ever.
    if (threads.size >= Math.max(size, lent.size + 1)) return undefined;
    if (threads.size + ending.size >= size + SPARE_THREADS) return waitForEnding();
    const waitMs = crashes.waitMs();
    if (waitMs > 0) {
      retryTimer.start(waitMs, pump);
      return undefined;
    }
    try {
      const { connect, startWorker } = options;
      const thread = startWorkerThread({ file, limits, remote: connect?.(), startWorker }, bury);
      threads.add(thread);
      counts.started += 1;
      return thread;
    } catch {
      // The system allows no further thread.
      recordCrash();
      return takeThread();
    }
  };

  /** If no thread is left but those that hang in system calls, nothing would ever answer what waits. */
  const waitForEnding = (): undefined => {
    if (threads.size > lent.size) return;
    lostTimer.start(LOST_MS, () => {
      pump();
      if (threads.size === lent.size) rejectQueued(new WorkerDied(`${ending.size} terminated threads have not ended`));
    });
  };

  const pump = () => {
    if (closed) return;
    for (let job = queues.next(running); job !== undefined; job = queues.next(running)) {
      const thread = takeThread();
      if (thread === undefined) return;
      start(job, thread);
    }
  };

  const start = (job: Job, thread: WorkerThread) => {
    queues.start(job);
    running.add(job);
    job.thread = thread;
    thread.run(job, job.timeoutMs, (outcome) => {
      running.delete(job);
      shared.remove(job);
      settle(job, thread, outcome);
      pump();
      idle.trim();
    });
  };

  const settle = (job: Job, thread: WorkerThread, outcome: TaskOutcome) => {
    if (outcome.kind === 'died') {
      if (job.waiters.size > 0 || outcome.isFault) counts.died += 1;
      else counts.stopped += 1;
      if (outcome.isFault && job.key !== undefined) quarantine.recordDeath(job.key);
      void outcome.gone.then(job.free);
      return rejectJob(job, outcome.error);
    }
    giveBack(thread, outcome.memory);
    job.free();
    if (outcome.kind === 'failed') {
      counts.failed += 1;
      return rejectJob(job, outcome.error);
    }
    counts.completed += 1;
    crashes.reset();
    resolveJob(job, outcome.output);
  };

  /** `memory` is undefined if the thread must not be used again. */
  const giveBack = (thread: WorkerThread, memory: ThreadMemory | undefined) => {
    idle.stayAwake();
    if (memory !== undefined && memory.wasmBytes <= maxWasmBytes && memory.heapBytes <= limits.heapBytes) {
      idle.add(thread, memory);
      return;
    }
    onRecycled();
    void thread.end('replaced');
  };

  const bury = (thread: WorkerThread, { crashed, ended }: Death) => {
    threads.delete(thread);
    lent.delete(thread);
    returning.delete(thread);
    idle.remove(thread);
    ending.add(ended);
    void forgetWhenGone(ended);
    if (crashed) recordCrash();
    // What waited for this thread gets another one, even if this one never exits.
    pump();
  };

  const forgetWhenGone = async (ended: Promise<void>) => {
    await ended;
    ending.delete(ended);
    pump();
  };

  const recordCrash = () => {
    crashes.record();
    if (crashes.isHopeless()) rejectQueued(new WorkerDied(`workers failed ${crashes.inRow} times in a row`));
  };

  const rejectQueued = (error: Error) => {
    for (const job of queues.clear()) {
      shared.remove(job);
      job.free();
      rejectJob(job, error);
    }
  };

  const begin = <Input, Output, Of>(task: Task<Input, Output, Of>, input: Input, taskOptions: PoolTaskOptions<Of>) => {
    const { signal, key, shareKey, priority = 'interactive' } = taskOptions;
    if (closed) throw new ViewerError('shutting_down', 'the server is shutting down');
    signal?.throwIfAborted();
    if (key !== undefined && quarantine.holds(key)) {
      throw new TaskQuarantined('it crashed two worker threads and will not be tried again');
    }
    const inFlight = shared.find(shareKey);
    if (inFlight !== undefined) counts.shared += 1;
    const job = inFlight ?? enqueue(task, input, taskOptions);
    if (priority === 'interactive') queues.promote(job);
    const patienceMs = priority === 'interactive' ? patienceOf(signal) : undefined;
    const joined = joinJob(job, { signal, patienceMs, onAbandoned: () => abandon(job) });
    pump();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the code of this task made the output
    return joined as Joined<Output>;
  };

  return {
    begin,
    run: async (task, input, taskOptions) => begin(task, input, taskOptions).answer,
    statistics() {
      const { interactive: queuedInteractive, prefetch: queuedPrefetch } = queues.counts();
      const now = { threads: threads.size, busy: running.size, ending: ending.size, queuedInteractive, queuedPrefetch };
      return { size, ...now, ...counts, quarantined: quarantine.count() };
    },
    prepare() {
      const isThere = threads.size > lent.size || returning.size > 0;
      const thread = closed || isThere ? undefined : takeThread();
      if (thread !== undefined) giveBack(thread, { wasmBytes: 0, heapBytes: 0, bufferBytes: 0 });
    },
    lend() {
      const thread = closed ? undefined : takeThread();
      if (thread === undefined) return undefined;
      lent.add(thread);
      return thread.lend({
        leaving: () => returning.add(thread),
        back: (memory) => {
          lent.delete(thread);
          returning.delete(thread);
          // Another one started meanwhile and has nothing to do.
          if (idle.count > 0) void thread.end('not needed');
          else giveBack(thread, memory);
          pump();
          idle.trim();
        },
      });
    },
    collectGarbage() {
      for (const thread of threads) thread.collectGarbage();
    },
    async close() {
      closed = true;
      for (const timer of [idle, retryTimer, lostTimer]) timer.close();
      const error = new ViewerError('shutting_down', 'the server is shutting down');
      rejectQueued(error);
      for (const job of running) rejectJob(job, error);
      for (const thread of threads) void thread.end('closed');
      await Promise.race([Promise.all(ending), setTimeoutPromise(900)]);
    },
  };
}
