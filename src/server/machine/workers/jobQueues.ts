import type { Job } from './job.ts';

type Urgency = 'interactive' | 'awaited' | 'prefetch';

function urgencyOf({ priority, isAwaited }: Job): Urgency {
  return priority === 'prefetch' && isAwaited ? 'awaited' : priority;
}

export type JobQueues = ReturnType<typeof createJobQueues>;

/**
 * Jobs that wait for a thread, the more urgent ones first. Prefetch that has waited longer than `overdueMs` takes turns
 * with interactive work.
 */
export function createJobQueues(mostPrefetch: number, overdueMs: number) {
  /** In order of urgency. */
  const queues: Record<Urgency, Set<Job>> = { interactive: new Set(), awaited: new Set(), prefetch: new Set() };
  /** The job that is next in each queue that has one. */
  const listFirsts = () => Object.values(queues).flatMap(([job]) => job ?? []);
  let wasOverdue = false;
  return {
    add: (job: Job) => void queues[urgencyOf(job)].add(job),
    /** False if it does not wait. */
    remove: (job: Job) => queues[urgencyOf(job)].delete(job),
    /** Removes all of them. */
    clear(): readonly Job[] {
      const all = Object.values(queues).flatMap((queue) => [...queue]);
      for (const queue of Object.values(queues)) queue.clear();
      return all;
    },
    /** Prefetch becomes interactive work when an interactive caller joins it. */
    promote(job: Job) {
      if (job.priority === 'interactive') return;
      if (queues[urgencyOf(job)].delete(job)) queues.interactive.add(job);
      job.priority = 'interactive';
    },
    /** The job whose turn it is. Beside `mostPrefetch` prefetching ones, only jobs for which somebody waits are. */
    next(running: Iterable<Job>): Job | undefined {
      const [first, ...later] = listFirsts();
      if (first === undefined) return undefined;
      const overdue = wasOverdue ? undefined : later.find(({ sinceMs }) => performance.now() - sinceMs > overdueMs);
      if (overdue !== undefined || urgencyOf(first) !== 'prefetch') return overdue ?? first;
      const prefetching = [...running].filter((job) => job.priority === 'prefetch').length;
      return prefetching >= mostPrefetch ? undefined : first;
    },
    /** Its turn has come: it waits no more. */
    start(job: Job) {
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
