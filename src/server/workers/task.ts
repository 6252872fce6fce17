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

export type TaskOptions = {
  /** Being aborted rejects with the signal's reason; a queued task is dropped, a running one is told to stop. */
  readonly signal?: AbortSignal;
  /** Prefetch waits for interactive work and never takes the last free worker. Default: interactive. */
  readonly priority?: 'interactive' | 'prefetch';
  /** After this the worker is terminated and the task fails with TaskTimeout. */
  readonly timeoutMs: number;
};

/** Runs tasks somewhere else than on the event loop. */
export interface TaskRunner {
  run<Input, Output>(task: Task<Input, Output>, input: Input, options: TaskOptions): Promise<Output>;
}
