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

type Waiter = { readonly resolve: (output: unknown) => void; readonly reject: (error: unknown) => void };

export function createJob<Input, Of>(task: Task<Input, unknown, Of>, input: Input, options: PoolTaskOptions<Of>): Job {
  const {
    timeoutMs = limitsOf(task, input, options).timeoutMs,
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
    sinceMs: performance.now(),
    priority,
    isAwaited,
    thread: undefined,
    waiters: new Set(),
    freed,
    free,
  };
}

/** Waits for a job. `onAbandoned` is called when the last waiting caller has aborted. */
export function joinJob(job: Job, signal: AbortSignal | undefined, onAbandoned: () => void): Joined<unknown> {
  let isLeftToOthers = false;
  const answer = new Promise((resolve, reject) => {
    const leave = () => {
      job.waiters.delete(waiter);
      isLeftToOthers = job.waiters.size > 0;
      reject(signal?.reason);
      if (!isLeftToOthers) onAbandoned();
    };
    const waiter: Waiter = {
      resolve: (output) => {
        signal?.removeEventListener('abort', leave);
        resolve(output);
      },
      reject: (error) => {
        signal?.removeEventListener('abort', leave);
        reject(error);
      },
    };
    job.waiters.add(waiter);
    signal?.addEventListener('abort', leave, { once: true });
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

/** A promise and what resolves it. */
function createSignal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let settle: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle?.() };
}
