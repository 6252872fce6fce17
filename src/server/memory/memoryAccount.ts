import { type ByteCache, createByteCache } from '../../shared/byteCache.ts';
import { type Admission, createAdmission } from './admission.ts';
import {
  type CacheUse,
  limitFrameCaches,
  MEMORY_SHARES,
  type MemoryPlan,
  type MemoryUse,
  planMemory,
} from './memoryPlan.ts';

/** What one use holds of its share. */
export type UseReport = { readonly use: MemoryUse; readonly budgetBytes: number; readonly heldBytes: number };

/**
 * The one account of the memory that the server holds for files. Every cache is made here and every task and answer
 * reserves here, so that all of them together stay within the budget.
 */
export interface MemoryAccount {
  readonly plan: MemoryPlan;
  /** For work while it runs. Tasks reserve by themselves, see `admitTasks`. */
  readonly tasks: Admission;
  /** For answers until their clients have taken them. */
  readonly answers: Admission;
  /** The one cache of this use. A second one would hold the same bytes twice, so it is a bug to ask for it. */
  cache<Value>(use: CacheUse): ByteCache<Value>;
  /** Worker threads tell what they keep while they are idle. */
  setThreadBytes(bytes: number): void;
  report(): UseReport[];
}

/** By `--memory` and `--cache-budget`. */
export function createMemoryAccount(memoryFlagBytes?: number, cacheFlagBytes?: number): MemoryAccount {
  const plan = limitFrameCaches(planMemory(memoryFlagBytes), cacheFlagBytes);
  const tasks = createAdmission(plan.tasks, { share: 'half of --memory' });
  const answers = createAdmission(plan.answers, { share: 'a tenth of --memory' });
  const caches = new Map<MemoryUse, Pick<ByteCache<unknown>, 'bytes'>>();
  let threadBytes = 0;

  const heldBy = (use: MemoryUse): number => {
    if (use === 'tasks') return tasks.heldBytes();
    if (use === 'answers') return answers.heldBytes();
    if (use === 'threads') return threadBytes;
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
      return cache;
    },
    setThreadBytes(bytes) {
      threadBytes = bytes;
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
