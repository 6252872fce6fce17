/**
 * Work that runs in a worker thread and is identified by its name on both sides. The calling side imports only this
 * token; the implementation is loaded in the worker.
 */
export type Task<Input, Output> = {
  readonly name: string;
  /** Never set; it only carries the types. */
  readonly signature?: (input: Input) => Output;
};

export function defineTask<Input, Output>(name: string): Task<Input, Output> {
  return { name };
}

/** Peak memory of a task: its input, its working memory and its output. */
export type TaskMemory = {
  readonly bytes: number;
  /**
   * Most files of this kind need far less. If the bound exceeds the budget for all tasks, the task runs beside small
   * ones only, instead of being refused.
   */
  readonly isUpperBound?: boolean;
};

export type TaskOptions = Omit<PoolTaskOptions, 'signal'> & {
  /**
   * Of the request that needs the result. Undefined only for work that no request waits for alone: it must be required,
   * because a task without it goes on after its client has gone.
   */
  readonly signal: AbortSignal | undefined;
  /** `reserved` if the caller holds a reservation that covers the task. */
  readonly memory: TaskMemory | 'reserved';
};

/** Options of the pool. Memory is reserved before a task reaches it. */
export type PoolTaskOptions = {
  /** Aborting rejects with the signal's reason; a queued task is dropped, a running one is told to stop. */
  readonly signal?: AbortSignal | undefined;
  /** Default: interactive. Prefetch waits for that until it is overdue, and leaves one of several workers free. */
  readonly priority?: TaskPriority;
  /** Of prefetch: a user waits for it, so it comes before other prefetch and uses all workers. */
  readonly isAwaited?: boolean;
  /**
   * Limit after which the worker is terminated and the task fails with TaskTimeout. Time in the queue does not count.
   */
  readonly timeoutMs: number;
  /**
   * What the task works on, for example one frame of one file in one state. A key that has killed its worker twice is
   * refused from then on, with TaskQuarantined.
   */
  readonly key?: string;
  /**
   * Concurrent tasks with the same shareKey run once and share one result, which callers must not modify. The work
   * stops when the last caller aborts. The key must include everything that the result depends on.
   */
  readonly shareKey?: string;
  /**
   * Buffers of the input that are transferred to the worker instead of copied. The caller must not use them afterwards.
   */
  readonly transfer?: readonly ArrayBuffer[];
};

export type TaskPriority = 'interactive' | 'prefetch';

/** Prefetch that has waited longer takes turns with interactive work, so that it completes even under constant load. */
export const OVERDUE_MS = 1_000;

/** Runs tasks outside the event loop. */
export interface TaskRunner {
  run<Input, Output>(task: Task<Input, Output>, input: Input, options: TaskOptions): Promise<Output>;
}

/** Runs tasks without reserving memory. Used only by the task pool, which makes the reservations. */
export interface UnadmittedTasks {
  run<Input, Output>(task: Task<Input, Output>, input: Input, options: PoolTaskOptions): Promise<Output>;
}
