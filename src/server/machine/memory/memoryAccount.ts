import { type ByteCache, createByteCache } from '../../../shared/byteCache.ts';
import { type Admission, createAdmission } from './admission.ts';
import {
  type CacheUse,
  limitFrameCaches,
  MEMORY_SHARES,
  planForRemote,
  type MemoryPlan,
  type MemoryUse,
  planMemory,
} from './memoryPlan.ts';

export type UseReport = { readonly use: MemoryUse; readonly budgetBytes: number; readonly heldBytes: number };

/**
 * The single account of the memory that the server holds for files. Every cache is created here and every task and
 * response reserves here, so that together they stay within the budget.
 */
export interface MemoryAccount {
  readonly plan: MemoryPlan;
  /** For work while it runs. Tasks reserve their memory through `createTaskPool`. */
  readonly tasks: Admission;
  /** For responses until the clients have received them. */
  readonly answers: Admission;
  /** Creates the only cache for this use. A second one would hold the same bytes twice, so asking for it throws. */
  cache<Value>(use: CacheUse): UseCache<Value>;
  /** Sets the bytes that idle worker threads keep. */
  setThreadBytes(bytes: number): void;
  setMarkBytes(bytes: number): void;
  /** Sets the bytes that the thread with the table holds for its columns. */
  setColumnBytes(bytes: number): void;
  report(): UseReport[];
}

/** The cache of one use, for values of one type, or for parts that each have values of their own type. */
export type UseCache<Value> = ByteCache<Value> & {
  /** Parts share the budget, and a key of one is none of another. */
  readonly part: <Own>(name: string) => CachePart<Own>;
};
export type CachePart<Value> = Pick<ByteCache<Value>, 'get' | 'set'>;

/** Two tasks of which only an upper bound is known run beside small ones. */
const BOUND_SHARE = 0.45;

export type AccountOptions = {
  /** Whether there are files on other machines. */
  readonly hasRemote?: boolean;
};

/** Creates the account from the values of `--memory` and `--cache-budget`. */
export function createMemoryAccount(
  memoryFlagBytes?: number,
  cacheFlagBytes?: number,
  { hasRemote = false }: AccountOptions = {},
): MemoryAccount {
  const limited = limitFrameCaches(planMemory(memoryFlagBytes), cacheFlagBytes);
  const plan = hasRemote ? planForRemote(limited) : limited;
  const tasks = createAdmission(plan.tasks, {
    boundShare: BOUND_SHARE,
    process: { residentBytes: () => process.memoryUsage.rss(), aimBytes: plan.totalBytes },
  });
  const answers = createAdmission(plan.answers);
  const caches = new Map<MemoryUse, Pick<ByteCache<unknown>, 'bytes'>>();
  let threadBytes = 0;
  let markBytes = 0;
  let columnBytes = 0;

  const heldBy = (use: MemoryUse): number => {
    if (use === 'tasks') return tasks.heldBytes();
    if (use === 'answers') return answers.heldBytes();
    if (use === 'threads') return threadBytes;
    // The thread with the connections keeps within it.
    if (use === 'remoteRanges') return plan.remoteRanges;
    if (use === 'marks') return markBytes;
    if (use === 'columns') return columnBytes;
    return caches.get(use)?.bytes() ?? 0;
  };

  return {
    plan,
    tasks,
    answers,
    cache<Value>(use: CacheUse) {
      if (caches.has(use)) throw new Error(`the cache of ${use} exists already`);
      const cache = createByteCache<Value>(plan[use]);
      caches.set(use, cache);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a part sets keys with its name
      const part = <Own>(name: string) => createPart(cache as ByteCache<unknown> as ByteCache<Own>, name);
      return { ...cache, part };
    },
    setThreadBytes(bytes) {
      threadBytes = bytes;
    },
    setMarkBytes(bytes) {
      markBytes = bytes;
    },
    setColumnBytes(bytes) {
      columnBytes = bytes;
    },
    report: () =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
      (Object.keys(MEMORY_SHARES) as MemoryUse[]).map((use) => ({
        use,
        budgetBytes: plan[use],
        heldBytes: heldBy(use),
      })),
  };
}

function createPart<Value>(cache: CachePart<Value>, name: string): CachePart<Value> {
  return {
    get: (key) => cache.get(`${name}\0${key}`),
    set: (key, value, bytes) => cache.set(`${name}\0${key}`, value, bytes),
  };
}
