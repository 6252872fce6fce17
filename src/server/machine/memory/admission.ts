import { ViewerError } from '../../../shared/contract/errors.ts';
import { arrivalOf, leftOf, PATIENCE_MS } from '../workers/arrival.ts';
import { OVERDUE_MS, type TaskMemory, type TaskPriority } from '../workers/task.ts';

const MIB = 2 ** 20;

export type Reservation = TaskMemory & {
  readonly priority?: TaskPriority | undefined;
  /** Of prefetch: a user waits for it, so it is overdue by the age of the request and not of this step. */
  readonly isAwaited?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The work only holds memory, and ends when `reclaim` asks for it: it gives way to other work that cannot fit beside
   * it.
   */
  readonly isLent?: boolean;
  /** The work is one task, which waits for no further memory while it holds this. */
  readonly isTask?: boolean;
};

/** Admits work while its memory fits into the budget. */
export type Admission = {
  /**
   * Runs `work` once its bytes fit. Work is admitted in the order in which its requests arrived, interactive work
   * first, and before it the further steps of requests that hold memory: they would wait for each other; overdue prefetch takes turns with interactive work. Interactive work that fits overtakes work that does not,
   * until that is overdue; after that, only small work does, within a part of the budget that large work leaves to it.
   * Throws decode_memory_exceeded if the bytes can never fit, and decode_busy if too many requests are waiting already,
   * or if interactive work has waited for long: its client learns that, instead of waiting without a limit.
   */
  readonly reserve: <Output>(reservation: Reservation, work: () => Promise<Output>) => Promise<Output>;
  readonly budgetBytes: number;
  readonly heldBytes: () => number;
  /** The most bytes ever held at the same time. */
  readonly mostHeldBytes: () => number;
  readonly waiting: () => number;
  /** Adds what ends lent work: it is told how many bytes are missing, each time that work waits for them. */
  readonly reclaimWith: (reclaim: (bytes: number) => void) => void;
};

type Waiting = {
  readonly bytes: number;
  /** From when it counts as waiting, and when its request arrived. */
  readonly sinceMs: number;
  readonly arrivedMs: number;
  readonly admit: () => void;
};

export type AdmissionOptions = {
  /** Maximum number of waiting requests per priority; further ones are refused with decode_busy. Default 256. */
  readonly maxWaiting?: number;
  /** Work that has waited longer than this is overdue. Default `OVERDUE_MS`. */
  readonly overdueMs?: number;
  /** A request whose interactive work has waited longer than this, all steps before its answer together, is refused with decode_busy. Default `PATIENCE_MS`. */
  readonly patienceMs?: number;
  readonly process?: ProcessMemory;
  /**
   * The part of the budget that an upper bound reserves at most. Little needs what its bound says, and the rest is for
   * small work, which would otherwise wait. Default 0.9.
   */
  readonly boundShare?: number;
};

/** The memory of the whole process. */
export type ProcessMemory = {
  readonly residentBytes: () => number;
  /** Beyond this, only one large work runs at a time: reservations are estimates, and freed memory is not returned at once. */
  readonly aimBytes: number;
};

/** Work that reserves more than this, or more than upper bounds leave free, is large. */
const LARGE_BYTES = 8 * MIB;

export function createAdmission(
  budgetBytes: number,
  {
    maxWaiting = 256,
    overdueMs = OVERDUE_MS,
    patienceMs = PATIENCE_MS,
    process,
    boundShare = 0.9,
  }: AdmissionOptions = {},
): Admission {
  const queues: Record<TaskPriority, Set<Waiting>> = { interactive: new Set(), prefetch: new Set() };
  const held: Record<TaskPriority, number> = { interactive: 0, prefetch: 0 };
  const mostOfBounds = Math.floor(boundShare * budgetBytes);
  const leftByBounds = budgetBytes - mostOfBounds;
  const isLarge = (bytes: number) => bytes > Math.min(LARGE_BYTES, leftByBounds);
  let lent = 0;
  /** Without what is lent. */
  let heldByLarge = 0;
  /** Requests that hold memory, by their arrival: the number of their steps that do, and what the large ones hold. */
  const holders = new Map<number, { steps: number; largeBytes: number }>();
  const reclaims: ((bytes: number) => void)[] = [];
  let mostHeld = 0;
  let wasOverdue = false;
  const heldBytes = () => held.interactive + held.prefetch;
  const hold = (bytes: number, priority: TaskPriority, isLent = false) => {
    held[priority] += bytes;
    if (isLent) lent += bytes;
    else if (isLarge(bytes)) heldByLarge += bytes;
    mostHeld = Math.max(mostHeld, heldBytes());
  };

  const noteHolder = (arrivedMs: number, steps: number, largeBytes: number) => {
    const before = holders.get(arrivedMs) ?? { steps: 0, largeBytes: 0 };
    const now = { steps: before.steps + steps, largeBytes: before.largeBytes + largeBytes };
    if (now.steps === 0) holders.delete(arrivedMs);
    else holders.set(arrivedMs, now);
  };

  const inTurn = (a: Waiting, b: Waiting) =>
    Number(holders.has(b.arrivedMs)) - Number(holders.has(a.arrivedMs)) || a.arrivedMs - b.arrivedMs;

  const findFirst = (queue: ReadonlySet<Waiting>): Waiting | undefined => {
    let first: Waiting | undefined;
    for (const one of queue) if (first === undefined || inTurn(one, first) < 0) first = one;
    return first;
  };

  /** Reads a system file, so it is asked last. */
  const isScarce = (bytes: number) => process !== undefined && process.residentBytes() + bytes > process.aimBytes;

  const fits = (bytes: number, priority: TaskPriority, arrivedMs: number): boolean => {
    if (lent > 0 && lent + bytes > budgetBytes) for (const reclaim of reclaims) reclaim(lent + bytes - budgetBytes);
    if (heldBytes() + bytes > budgetBytes) return false;
    // A frame that needs more than the limit for prefetch is still prefetched when nothing else is running.
    if (heldBytes() === lent) return true;
    const byOthers = heldByLarge - (holders.get(arrivedMs)?.largeBytes ?? 0);
    if (isLarge(bytes) && byOthers > 0 && isScarce(bytes)) return false;
    return priority === 'interactive' || held.prefetch + bytes <= budgetBytes / 2;
  };

  /** Whether a request of this priority would not overtake a waiting one. */
  const isFree = (priority: TaskPriority): boolean =>
    queues.interactive.size === 0 && (priority === 'interactive' || queues.prefetch.size === 0);

  const nextWaiting = ():
    | { readonly next: Waiting; readonly priority: TaskPriority; readonly isOverdue: boolean }
    | undefined => {
    const urgent = findFirst(queues.interactive);
    const later = findFirst(queues.prefetch);
    const isOverdue = later !== undefined && performance.now() - later.sinceMs > overdueMs;
    // Without a turn of its own, prefetch would wait as long as interactive requests keep arriving.
    if (urgent !== undefined && !(isOverdue && !wasOverdue))
      return { next: urgent, priority: 'interactive', isOverdue: false };
    return later && { next: later, priority: 'prefetch', isOverdue };
  };

  const admitWaiting = () => {
    for (let found = nextWaiting(); found !== undefined; found = nextWaiting()) {
      const { next, priority, isOverdue } = found;
      // Overdue prefetch is not subject to the limit for prefetch, because interactive work is waiting behind it.
      if (!fits(next.bytes, isOverdue ? 'interactive' : priority, next.arrivedMs)) {
        if (priority === 'interactive') admitOvertaking(next);
        return;
      }
      wasOverdue = isOverdue;
      admit(next, priority);
    }
  };

  const admit = (next: Waiting, priority: TaskPriority) => {
    queues[priority].delete(next);
    next.admit();
  };

  const admitOvertaking = (first: Waiting) => {
    const isOverdue = performance.now() - first.sinceMs > overdueMs;
    // Small work within this part does not delay the first any further.
    const part = first.bytes <= mostOfBounds ? leftByBounds : 0;
    for (const next of [...queues.interactive].toSorted(inTurn)) {
      const isBeside = !isLarge(next.bytes) && heldBytes() - lent - heldByLarge + next.bytes <= part;
      const mayPass = !isOverdue || isBeside || holders.has(next.arrivedMs);
      if (mayPass && fits(next.bytes, 'interactive', next.arrivedMs)) admit(next, 'interactive');
    }
  };

  const wait = (
    {
      bytes,
      priority,
      isAwaited,
      isLent,
    }: Required<Pick<Reservation, 'bytes' | 'isLent'>> & {
      readonly priority: TaskPriority;
      readonly isAwaited: boolean;
    },
    signal: AbortSignal | undefined,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        stopWaiting();
        queues[priority].delete(entry);
        reject(reason);
        // This entry may have been at the head of the queue and too large to fit.
        admitWaiting();
      };
      const onAbort = () => leave(signal?.reason);
      const tooLong = () => leave(new ViewerError('decode_busy', 'other work needs the memory; try again in a moment'));
      const arrival = arrivalOf(signal);
      const arrivedMs = arrival.atMs;
      const sinceMs = isAwaited ? arrivedMs : performance.now();
      const leftMs = leftOf(arrival, patienceMs);
      const timer = priority === 'interactive' && !isLent ? setTimeout(tooLong, leftMs).unref() : undefined;
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const entry: Waiting = {
        bytes,
        sinceMs,
        arrivedMs,
        admit: () => {
          stopWaiting();
          hold(bytes, priority, isLent);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queues[priority].add(entry);
      admitWaiting();
    });

  return {
    async reserve(reservation, work) {
      const { bytes: wanted, isUpperBound = false, priority = 'interactive', isAwaited = false } = reservation;
      const { signal, isLent = false, isTask = false } = reservation;
      // Estimates are products and may have fractions; the health report shows whole bytes.
      const bytes = Math.ceil(isUpperBound ? Math.min(wanted, mostOfBounds) : wanted);
      // NaN would be held for ever, and everything after it would wait.
      if (!(bytes >= 0)) throw new RangeError(`${bytes} bytes cannot be reserved`);
      if (bytes > budgetBytes) throw tooLarge(bytes, budgetBytes);
      if (queues[priority].size >= maxWaiting) {
        throw new ViewerError(
          'decode_busy',
          `${maxWaiting} requests are already waiting for memory; try again in a moment`,
        );
      }
      signal?.throwIfAborted();
      const arrivedMs = arrivalOf(signal).atMs;
      if ((isFree(priority) || holders.has(arrivedMs)) && fits(bytes, priority, arrivedMs))
        hold(bytes, priority, isLent);
      else await wait({ bytes, priority, isAwaited, isLent }, signal);
      const isHolder = !isLent && !isTask;
      if (isHolder) noteHolder(arrivedMs, 1, isLarge(bytes) ? bytes : 0);
      try {
        return await work();
      } finally {
        if (isHolder) noteHolder(arrivedMs, -1, isLarge(bytes) ? -bytes : 0);
        held[priority] -= bytes;
        if (isLent) lent -= bytes;
        else if (isLarge(bytes)) heldByLarge -= bytes;
        admitWaiting();
      }
    },
    budgetBytes,
    heldBytes,
    mostHeldBytes: () => mostHeld,
    waiting: () => queues.interactive.size + queues.prefetch.size,
    reclaimWith(how) {
      reclaims.push(how);
    },
  };
}

function tooLarge(bytes: number, budgetBytes: number): ViewerError {
  const needed = `${Math.ceil(bytes / MIB)} MiB`;
  const allowed = `${Math.floor(budgetBytes / MIB)} MiB`;
  return new ViewerError(
    'decode_memory_exceeded',
    `this needs about ${needed} of memory, but may use only ${allowed}, a part of --memory; start with a larger --memory`,
  );
}
