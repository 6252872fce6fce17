import { availableParallelism } from 'node:os';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { createJob, type Job, type Joined, joinJob, rejectJob, resolveJob } from './job.ts';
import { createQuarantine } from './quarantine.ts';
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
export type PoolMemory = ThreadLimits & {
  /**
   * Limit for all idle threads together. Beyond it, the threads that have been idle longest end, except the last one.
   */
  readonly idleBytes: number;
  /** Whether the process has grown beyond its budget. Then the last idle thread ends too, if it has grown much. */
  readonly isScarce: () => boolean;
  readonly onIdleBytes: (bytes: number) => void;
};

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

type IdleThread = { readonly thread: WorkerThread; readonly memory: ThreadMemory };

/** Number of terminated threads beyond the size that may still be ending before no new ones are started. */
const SPARE_THREADS = 2;
/** Delay before the next thread starts, indexed by the number of consecutive crashes. */
const BACK_OFF_MS = [0, 0, 500, 1_000, 2_000, 4_000];
/** After this many consecutive crashes, requests fail instead of waiting for a thread. */
const HOPELESS = 5;
/**
 * What the last idle thread may keep: WebAssembly memory, of which a codec has 50 MiB and uses little unless a frame made
 * it grow, and everything else.
 */
const IDLE_WASM_BYTES = 64 * 2 ** 20;
const IDLE_BYTES = 32 * 2 ** 20;
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
  const { maxQueued = 1_024, idleMs = 10_000, overdueMs = OVERDUE_MS } = options;
  const { maxWasmBytes = 256 * 2 ** 20 } = options;
  const poolMemory: PoolMemory = { ...UNLIMITED, ...options.memory };
  const { keptBytes, heapBytes, mostHeapBytes, inflatedBytes } = poolMemory;
  const prefetchLimit = Math.max(1, size - 1);

  /** In order of urgency. */
  const queues: Record<Urgency, Set<Job>> = { interactive: new Set(), awaited: new Set(), prefetch: new Set() };
  /** The job that is next in each queue that has one. */
  const listFirsts = () => Object.values(queues).flatMap(([job]) => job ?? []);
  const listQueued = () => Object.values(queues).flatMap((queue) => [...queue]);
  const countQueued = () => queues.interactive.size + queues.awaited.size + queues.prefetch.size;
  const running = new Set<Job>();
  const shared = new Map<string, Job>();
  const threads = new Set<WorkerThread>();
  const idle: IdleThread[] = [];
  /** Threads that others use, and those of them that are about to come back. */
  const lent = new Set<WorkerThread>();
  const returning = new Set<WorkerThread>();
  const ending = new Set<Promise<void>>();
  const quarantine = createQuarantine();
  const counts = { started: 0, completed: 0, failed: 0, died: 0, stopped: 0, shared: 0, abandoned: 0, recycled: 0 };
  let crashesInRow = 0;
  let nextStartMs = 0;
  let retryTimer: NodeJS.Timeout | undefined;
  let lostTimer: NodeJS.Timeout | undefined;
  let wasOverdue = false;
  let closed = false;

  const idleTimer = setTimeout(() => {
    const light = idle.filter(({ memory }) => isLight(memory));
    const [kept] = light.toSorted((one, other) => bytesOfThread(one.memory) - bytesOfThread(other.memory));
    for (const { thread } of idle.filter((waiting) => waiting !== kept)) void thread.end('idle');
    kept?.thread.collectGarbage();
  }, idleMs).unref();

  const isHopeless = () => crashesInRow >= HOPELESS && performance.now() < nextStartMs;

  const enqueue = <Input, Of>(task: Task<Input, unknown, Of>, input: Input, taskOptions: PoolTaskOptions<Of>): Job => {
    if (isHopeless()) throw new WorkerDied('workers keep failing; a new one starts in a few seconds');
    if (countQueued() >= maxQueued) {
      throw new ViewerError('decode_busy', `${maxQueued} requests are already waiting; try again in a moment`);
    }
    const job = createJob(task, input, taskOptions);
    queues[urgencyOf(job)].add(job);
    if (job.shareKey !== undefined) shared.set(job.shareKey, job);
    return job;
  };

  /** Prefetch becomes interactive work when an interactive caller joins it. */
  const promote = (job: Job) => {
    if (job.priority === 'interactive') return;
    if (queues[urgencyOf(job)].delete(job)) queues.interactive.add(job);
    job.priority = 'interactive';
  };

  const abandon = (job: Job) => {
    counts.abandoned += 1;
    unshare(job);
    if (queues[urgencyOf(job)].delete(job)) job.free();
    job.thread?.cancel();
  };

  const unshare = (job: Job) => {
    if (job.shareKey !== undefined && shared.get(job.shareKey) === job) shared.delete(job.shareKey);
  };

  const nextJob = (): Job | undefined => {
    const [first, ...later] = listFirsts();
    if (first === undefined) return undefined;
    const overdue = wasOverdue ? undefined : later.find(({ sinceMs }) => performance.now() - sinceMs > overdueMs);
    if (overdue !== undefined || urgencyOf(first) !== 'prefetch') return overdue ?? first;
    const prefetching = [...running].filter((job) => job.priority === 'prefetch').length;
    return prefetching >= prefetchLimit ? undefined : first;
  };

  const takeThread = (): WorkerThread | undefined => {
    const waiting = idle.pop();
    if (waiting !== undefined) return waiting.thread;
    if (returning.size > 0) return undefined;
    // One thread is never lent, because a borrower may keep its own for ever.
    if (threads.size >= Math.max(size, lent.size + 1)) return undefined;
    if (threads.size + ending.size >= size + SPARE_THREADS) return waitForEnding();
    const waitMs = nextStartMs - performance.now();
    if (waitMs > 0) {
      retryTimer ??= setTimeout(() => {
        retryTimer = undefined;
        pump();
      }, waitMs);
      return undefined;
    }
    try {
      return startThread();
    } catch {
      // The system allows no further thread.
      recordCrash();
      return takeThread();
    }
  };

  const startThread = (): WorkerThread => {
    const limits = { keptBytes, heapBytes, mostHeapBytes, inflatedBytes };
    const { connect, startWorker } = options;
    const thread = startWorkerThread({ file, limits, remote: connect?.(), startWorker }, bury);
    threads.add(thread);
    counts.started += 1;
    return thread;
  };

  /** If no thread is left but those that hang in system calls, nothing would ever answer what waits. */
  const waitForEnding = (): undefined => {
    if (threads.size > lent.size) return;
    lostTimer ??= setTimeout(() => {
      lostTimer = undefined;
      pump();
      if (threads.size === lent.size) rejectQueued(new WorkerDied(`${ending.size} terminated threads have not ended`));
    }, LOST_MS);
  };

  const pump = () => {
    if (closed) return;
    for (let job = nextJob(); job !== undefined; job = nextJob()) {
      const thread = takeThread();
      if (thread === undefined) return;
      start(job, thread);
    }
  };

  const start = (job: Job, thread: WorkerThread) => {
    const queue = queues[urgencyOf(job)];
    const [first] = listFirsts();
    // Its turn came although something more urgent waits.
    wasOverdue = first !== undefined && !queue.has(first);
    queue.delete(job);
    running.add(job);
    job.thread = thread;
    thread.run(job, job.timeoutMs, (outcome) => {
      running.delete(job);
      unshare(job);
      settle(job, thread, outcome);
      pump();
      trimIdle();
    });
  };

  const trimIdle = () => {
    let bytes = idle.reduce((sum, { memory }) => sum + bytesOfThread(memory), 0);
    while (bytes > poolMemory.idleBytes) {
      const [longest, ...others] = idle;
      if (longest === undefined) break;
      const { thread, memory } = longest;
      if (others.length === 0 && (isLight(memory) || !poolMemory.isScarce())) break;
      idle.shift();
      bytes -= bytesOfThread(memory);
      counts.recycled += 1;
      void thread.end('its memory is needed');
    }
    poolMemory.onIdleBytes(bytes);
  };

  const settle = (job: Job, thread: WorkerThread, outcome: TaskOutcome) => {
    switch (outcome.kind) {
      case 'done':
        counts.completed += 1;
        crashesInRow = 0;
        giveBack(thread, outcome.memory);
        job.free();
        return resolveJob(job, outcome.output);
      case 'failed':
        counts.failed += 1;
        giveBack(thread, outcome.memory);
        job.free();
        return rejectJob(job, outcome.error);
      case 'died':
        if (job.waiters.size > 0 || outcome.isFault) counts.died += 1;
        else counts.stopped += 1;
        if (outcome.isFault && job.key !== undefined) quarantine.recordDeath(job.key);
        void outcome.gone.then(job.free);
        return rejectJob(job, outcome.error);
    }
  };

  /** `memory` is undefined if the thread must not be used again. */
  const giveBack = (thread: WorkerThread, memory: ThreadMemory | undefined) => {
    idleTimer.refresh();
    if (memory !== undefined && memory.wasmBytes <= maxWasmBytes && memory.heapBytes <= heapBytes) {
      idle.push({ thread, memory });
      return;
    }
    counts.recycled += 1;
    void thread.end('replaced');
  };

  const bury = (thread: WorkerThread, { crashed, ended }: Death) => {
    threads.delete(thread);
    lent.delete(thread);
    returning.delete(thread);
    const position = idle.findIndex((waiting) => waiting.thread === thread);
    if (position >= 0) idle.splice(position, 1);
    ending.add(ended);
    void forgetWhenGone(ended);
    if (crashed) recordCrash();
    // What waited for this thread gets another one, even if this one never exits.
    pump();
  };

  const recordCrash = () => {
    crashesInRow += 1;
    nextStartMs = performance.now() + (BACK_OFF_MS[crashesInRow] ?? 4_000);
    if (isHopeless()) rejectQueued(new WorkerDied(`workers failed ${crashesInRow} times in a row`));
  };

  const forgetWhenGone = async (ended: Promise<void>) => {
    await ended;
    ending.delete(ended);
    pump();
  };

  const rejectQueued = (error: Error) => {
    for (const job of listQueued()) {
      queues[urgencyOf(job)].delete(job);
      unshare(job);
      job.free();
      rejectJob(job, error);
    }
  };

  const join = <Input, Of>(
    task: Task<Input, unknown, Of>,
    input: Input,
    taskOptions: PoolTaskOptions<Of>,
  ): Joined<unknown> => {
    const { signal, key, shareKey, priority = 'interactive' } = taskOptions;
    if (closed) throw new ViewerError('shutting_down', 'the server is shutting down');
    signal?.throwIfAborted();
    if (key !== undefined && quarantine.holds(key)) {
      throw new TaskQuarantined('it crashed two worker threads and will not be tried again');
    }
    const inFlight = shareKey === undefined ? undefined : shared.get(shareKey);
    if (inFlight !== undefined) counts.shared += 1;
    const job = inFlight ?? enqueue(task, input, taskOptions);
    if (priority === 'interactive') promote(job);
    const joined = joinJob(job, signal, () => abandon(job));
    pump();
    return joined;
  };

  const begin = <Input, Output, Of>(task: Task<Input, Output, Of>, input: Input, taskOptions: PoolTaskOptions<Of>) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the code of this task made the output
    join(task, input, taskOptions) as Joined<Output>;

  return {
    begin,
    run: async (task, input, taskOptions) => begin(task, input, taskOptions).answer,
    statistics: () => ({
      size,
      threads: threads.size,
      busy: running.size,
      ending: ending.size,
      queuedInteractive: queues.interactive.size,
      queuedPrefetch: queues.awaited.size + queues.prefetch.size,
      ...counts,
      quarantined: quarantine.count(),
    }),
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
          if (idle.length > 0) void thread.end('not needed');
          else giveBack(thread, memory);
          pump();
          trimIdle();
        },
      });
    },
    collectGarbage() {
      for (const thread of threads) thread.collectGarbage();
    },
    async close() {
      closed = true;
      clearTimeout(idleTimer);
      clearTimeout(retryTimer);
      clearTimeout(lostTimer);
      const error = new ViewerError('shutting_down', 'the server is shutting down');
      rejectQueued(error);
      for (const job of running) rejectJob(job, error);
      for (const thread of threads) void thread.end('closed');
      await Promise.race([Promise.all(ending), setTimeoutPromise(900)]);
    },
  };
}

type Urgency = 'interactive' | 'awaited' | 'prefetch';

function urgencyOf({ priority, isAwaited }: Job): Urgency {
  return priority === 'prefetch' && isAwaited ? 'awaited' : priority;
}

function bytesOfThread({ wasmBytes, heapBytes, bufferBytes }: ThreadMemory): number {
  return wasmBytes + heapBytes + bufferBytes;
}

function isLight({ wasmBytes, heapBytes, bufferBytes }: ThreadMemory): boolean {
  return wasmBytes <= IDLE_WASM_BYTES && heapBytes + bufferBytes <= IDLE_BYTES;
}
