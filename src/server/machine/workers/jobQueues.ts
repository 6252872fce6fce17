import type { Job } from './job.ts';

type Urgency = 'interactive' | 'awaited' | 'prefetch';

function urgencyOf({ priority, isAwaited }: Job): Urgency {
  return priority === 'prefetch' && isAwaited ? 'awaited' : priority;
}

/** Jobs that wait for a thread, the more urgent ones first. */
export interface JobQueues {
  add(job: Job): void;
  /** False if it does not wait. */
  remove(job: Job): boolean;
  /** Removes all of them. */
  clear(): readonly Job[];
  /** Prefetch becomes interactive work when an interactive caller joins it. */
  promote(job: Job): void;
  /** The job whose turn it is. Beside `mostPrefetch` prefetching ones, only jobs for which somebody waits are. */
  next(running: Iterable<Job>): Job | undefined;
  /** Its turn has come: it waits no more. */
  start(job: Job): void;
  counts(): { readonly interactive: number; readonly prefetch: number };
}

/** Prefetch that has waited longer than `overdueMs` takes turns with interactive work. */
export function createJobQueues(mostPrefetch: number, overdueMs: number): JobQueues {
  /** In order of urgency. */
  const queues: Record<Urgency, Set<Job>> = { interactive: new Set(), awaited: new Set(), prefetch: new Set() };
  /** The job that is next in each queue that has one. */
  const listFirsts = () => Object.values(queues).flatMap(([job]) => job ?? []);
  let wasOverdue = false;
  return {
    add: (job) => void queues[urgencyOf(job)].add(job),
    remove: (job) => queues[urgencyOf(job)].delete(job),
    clear() {
      const all = Object.values(queues).flatMap((queue) => [...queue]);
      for (const queue of Object.values(queues)) queue.clear();
      return all;
    },
    promote(job) {
      if (job.priority === 'interactive') return;
      if (queues[urgencyOf(job)].delete(job)) queues.interactive.add(job);
      job.priority = 'interactive';
    },
    next(running) {
      const [first, ...later] = listFirsts();
      if (first === undefined) return undefined;
      const overdue = wasOverdue ? undefined : later.find(({ sinceMs }) => performance.now() - sinceMs > overdueMs);
      if (overdue !== undefined || urgencyOf(first) !== 'prefetch') return overdue ?? first;
      const prefetching = [...running].filter((job) => job.priority === 'prefetch').length;
      return prefetching >= mostPrefetch ? undefined : first;
    },
    start(job) {
      const queue = queues[urgencyOf(job)];
      const [first] = listFirsts();
      // Its turn came although something more urgent waits.
      wasOverdue = first !== undefined && !queue.has(first);
      queue.delete(job);
    },
    counts: () => ({
      interactive: queues.interactive.size,
      prefetch: queues.awaited.size + queues.prefetch.size,
    }),
  };
}
