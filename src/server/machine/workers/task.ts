/**
 * Work that runs in a worker thread and is identified by its name on both sides. The calling side imports only this
 * token; the implementation is loaded in the worker.
 */
export type Task<Input, Output, Of = undefined> = {
  readonly name: string;
  readonly cost: TaskCost<Input, Of>;
  /** Never set; it only carries the types. */
  readonly signature?: (input: Input) => Output;
};

export function defineTask<Input, Output, Of = undefined>(
  name: string,
  cost: TaskCost<Input, Of>,
): Task<Input, Output, Of> {
  return { name, cost };
}

/** What a task takes at most. It may depend on the input, and on what the caller says that the task works on. */
export type TaskCost<Input, Of = undefined> = {
  /**
   * Limit after which the worker is terminated and the task fails with TaskTimeout. Time in the queue does not count.
   */
  readonly timeoutMs: Amount<Input, Of>;
} & (
  | {
      /** Peak memory: its input, its working memory and its output. `reserved`: its callers hold a reservation for it. */
      readonly bytes: Amount<Input, Of> | 'reserved';
    }
  | {
      /** A bound that most inputs stay far below. */
      readonly mostBytes: Amount<Input, Of>;
    }
);

type Amount<Input, Of> = number | ((input: Input, of: Of) => number);

/** The limits of one run of a task. */
export function limitsOf<Input, Of>(
  { cost }: Task<Input, unknown, Of>,
  input: Input,
  options: CostOptions<Of>,
): { readonly timeoutMs: number; readonly memory: TaskMemory | 'reserved' } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only left out if the cost does not need it
  const of = options.of as Of;
  const count = (amount: Amount<Input, Of>) => (typeof amount === 'number' ? amount : amount(input, of));
  const timeoutMs = count(cost.timeoutMs);
  if ('mostBytes' in cost) return { timeoutMs, memory: { bytes: count(cost.mostBytes), isUpperBound: true } };
  return { timeoutMs, memory: cost.bytes === 'reserved' ? cost.bytes : { bytes: count(cost.bytes) } };
}

/** Peak memory of some work. */
export type TaskMemory = {
  readonly bytes: number;
  /**
   * Most work of this kind needs far less. If the bound exceeds the budget for all tasks, the work is done beside small
   * tasks only, instead of being refused.
   */
  readonly isUpperBound?: boolean;
};

export type TaskOptions<Of = undefined> = Omit<PoolOptions, 'signal' | 'timeoutMs'> &
  CostOptions<Of> & {
    /**
     * Of the request that needs the result. Undefined only for work that no request waits for alone: it must be
     * required, because a task without it goes on after its client has gone.
     */
    readonly signal: AbortSignal | undefined;
    /** Whether the caller holds a reservation that covers this run of the task. */
    readonly isReserved?: boolean;
  };

/** What decides the cost of a task, if that is not its input. */
export type CostOptions<Of> = [Of] extends [undefined] ? { readonly of?: undefined } : { readonly of: Of };

/** Options of the pool. Memory is reserved before a task reaches it. */
export type PoolTaskOptions<Of = undefined> = PoolOptions & CostOptions<Of>;

type PoolOptions = {
  /** Aborting rejects with the signal's reason; a queued task is dropped, a running one is told to stop. */
  readonly signal?: AbortSignal | undefined;
  /** Default: interactive. Prefetch waits for that until it is overdue, and leaves one of several workers free. */
  readonly priority?: TaskPriority | undefined;
  /**
   * Of prefetch: a user waits for it, so it comes before other prefetch, uses all workers, and is overdue by the age of
   * the request: the steps of one request do not each wait until they are overdue.
   */
  readonly isAwaited?: boolean | undefined;
  /** Instead of the limit of the task. */
  readonly timeoutMs?: number | undefined;
  /**
   * What the task works on, for example one frame of one file in one state. A key that has killed its worker twice is
   * refused from then on, with TaskQuarantined.
   */
  readonly key?: string | undefined;
  /**
   * Concurrent tasks with the same shareKey run once and share one result, which callers must not modify. The work
   * stops when the last caller aborts. The key must include everything that the result depends on.
   */
  readonly shareKey?: string | undefined;
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
  run<Input, Output, Of = undefined>(
    task: Task<Input, Output, Of>,
    input: Input,
    options: TaskOptions<Of>,
  ): Promise<Output>;
}

/** Runs tasks without reserving memory. Used only by the task pool, which makes the reservations. */
export interface UnadmittedTasks {
  run<Input, Output, Of = undefined>(
    task: Task<Input, Output, Of>,
    input: Input,
    options: PoolTaskOptions<Of>,
  ): Promise<Output>;
}
