import { ViewerError } from '../../../shared/contract/errors.ts';
import { arrivalOf } from './arrival.ts';
import { limitsOf, type PoolTaskOptions, type Task, type TaskPriority } from './task.ts';
import type { WorkerThread } from './workerThread.ts';

/** One unit of work and all callers that wait for it. */
export type Job = {
  readonly task: string;
  readonly input: unknown;
  readonly transfer: readonly ArrayBuffer[];
  readonly timeoutMs: number;
  readonly key: string | undefined;
  readonly shareKey: string | undefined;
  /** From when it counts as waiting. */
  readonly sinceMs: number;
  /** Becomes interactive when an interactive caller joins. */
  priority: TaskPriority;
  readonly isAwaited: boolean;
  /** The thread that runs the job; undefined while it is queued. */
  thread: WorkerThread | undefined;
  readonly waiters: Set<Waiter>;
  /** Resolves after `free`: when no thread works on the job any more. */
  readonly freed: Promise<void>;
  readonly free: () => void;
};

/** What a caller gets. */
export type Joined<Output> = {
  readonly answer: Promise<Output>;
  /** Resolves when nothing that runs for this caller takes memory any more, which may be after it was answered. */
  readonly freed: Promise<void>;
};

type Caller = {
  readonly signal: AbortSignal | undefined;
  /** How long the caller waits for a thread. Default: without a limit. */
  readonly patienceMs?: number | undefined;
  readonly onAbandoned: () => void;
};

type Waiter = { readonly resolve: (output: unknown) => void; readonly reject: (error: unknown) => void };

export function createJob<Input, Of>(task: Task<Input, unknown, Of>, input: Input, options: PoolTaskOptions<Of>): Job {
  const {
    timeoutMs = limitsOf(task, input, options).timeoutMs,
    signal,
    key,
    shareKey,
    priority = 'interactive',
    isAwaited = false,
    transfer = [],
  } = options;
  const { promise: freed, resolve: free } = createSignal();
  return {
    task: task.name,
    input,
    transfer,
    timeoutMs,
    key,
    shareKey,
    sinceMs: isAwaited ? arrivalOf(signal).atMs : performance.now(),
    priority,
    isAwaited,
    thread: undefined,
    waiters: new Set(),
    freed,
    free,
  };
}

/**
 * Waits for a job. A caller leaves when it aborts, or when it has no patience left and no thread works on the job yet:
 * it is then answered with decode_busy. `onAbandoned` is called when the last waiting caller has left.
 */
export function joinJob(job: Job, { signal, patienceMs, onAbandoned }: Caller): Joined<unknown> {
  let isLeftToOthers = false;
  const answer = new Promise((resolve, reject) => {
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const leave = (reason: unknown) => {
      stopWaiting();
      job.waiters.delete(waiter);
      isLeftToOthers = job.waiters.size > 0;
      reject(reason);
      if (!isLeftToOthers) onAbandoned();
    };
    const onAbort = () => leave(signal?.reason);
    const onImpatient = () => {
      if (job.thread === undefined)
        leave(new ViewerError('decode_busy', 'other work is waiting for a thread; try again in a moment'));
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(onImpatient, patienceMs).unref();
    const waiter: Waiter = {
      resolve: (output) => {
        stopWaiting();
        resolve(output);
      },
      reject: (error) => {
        stopWaiting();
        reject(error);
      },
    };
    job.waiters.add(waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const whenAnswered = () => (isLeftToOthers ? undefined : job.freed);
  return { answer, freed: answer.then(whenAnswered, whenAnswered) };
}

export function resolveJob(job: Job, output: unknown): void {
  for (const waiter of job.waiters) waiter.resolve(output);
  job.waiters.clear();
}

export function rejectJob(job: Job, error: unknown): void {
  for (const waiter of job.waiters) waiter.reject(error);
  job.waiters.clear();
}

function createSignal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let settle: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle?.() };
}
