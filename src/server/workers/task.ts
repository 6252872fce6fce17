/**
 * Work that runs in a worker thread, known on both sides by its name. The side that asks imports only this token;
 * the code behind it is loaded in the worker.
 */
export type Task<Input, Output> = {
  readonly name: string;
  /** Never set: it carries the types. */
  readonly signature?: (input: Input) => Output;
};

export function defineTask<Input, Output>(name: string): Task<Input, Output> {
  return { name };
}

/** Memory that a task takes at its peak: its input, its working memory and its answer. */
export type TaskMemory = {
  readonly bytes: number;
  /**
   * Most files of this kind take far less. Where the bound is more than all that tasks may use, the task runs alone
   * instead of being refused.
   */
  readonly isUpperBound?: boolean;
};

export type TaskOptions = PoolTaskOptions & {
  /** `reserved` where the caller holds a reservation that covers the task. */
  readonly memory: TaskMemory | 'reserved';
};

/** What the pool needs to know; memory is reserved before a task comes to it. */
export type PoolTaskOptions = {
  /** Being aborted rejects with the signal's reason; a queued task is dropped, a running one is told to stop. */
  readonly signal?: AbortSignal;
  /** Prefetch waits for interactive work, but not for ever, and never takes the last free worker. Default: interactive. */
  readonly priority?: TaskPriority;
  /** After this the worker is terminated and the task fails with TaskTimeout. Time spent in the queue does not count. */
  readonly timeoutMs: number;
  /**
   * What the task works on, such as one frame of one file in one state. A key that killed its worker twice is refused
   * from then on, with TaskQuarantined.
   */
  readonly key?: string;
  /**
   * Tasks in flight with an equal shareKey run once and all get the one answer, so nobody may change it. The work
   * stops when the last of them is aborted. It must name everything that the answer depends on.
   */
  readonly shareKey?: string;
  /** Buffers of the input that move to the worker instead of being copied: nobody may use them any more. */
  readonly transfer?: readonly ArrayBuffer[];
};

export type TaskPriority = 'interactive' | 'prefetch';

/** Prefetch that has waited longer takes turns with interactive work, so that it ends however much of that there is. */
export const OVERDUE_MS = 1_000;

/** Runs tasks somewhere else than on the event loop. */
export interface TaskRunner {
  run<Input, Output>(task: Task<Input, Output>, input: Input, options: TaskOptions): Promise<Output>;
}

/** Runs tasks without asking for memory. Only what puts the server together has it. */
export interface UnadmittedTasks {
  run<Input, Output>(task: Task<Input, Output>, input: Input, options: PoolTaskOptions): Promise<Output>;
}
