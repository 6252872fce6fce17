/** How many requests one machine gets at the same time. */
export interface RequestsInFlight {
  /** Runs the work when its turn comes; what a reader waits for comes before what is only read ahead. */
  run<Result>(urgency: 'waited' | 'ahead', work: () => Promise<Result>): Promise<Result>;
  /** The machine has answered, or has too much to do. */
  report(how: 'clean' | 'overloaded'): void;
  readonly limit: number;
}

const FIRST = 16;
const STEP = 8;
/** Answers after which the machine gets more requests at the same time. */
const CLEAN_ANSWERS = 50;

export function createInFlight(most: number): RequestsInFlight {
  const queues: Record<'waited' | 'ahead', (() => void)[]> = { waited: [], ahead: [] };
  let limit = Math.min(FIRST, most);
  let running = 0;
  let clean = 0;
  let halvedMs = -Infinity;

  const pump = (): void => {
    while (running < limit) {
      const start = queues.waited.shift() ?? queues.ahead.shift();
      if (start === undefined) return;
      running += 1;
      start();
    }
  };

  return {
    get limit() {
      return limit;
    },
    async run(urgency, work) {
      await new Promise<void>((resolve) => {
        queues[urgency].push(resolve);
        pump();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        pump();
      }
    },
    report(how) {
      if (how === 'clean') {
        clean += 1;
        if (clean < CLEAN_ANSWERS) return;
        limit = Math.min(limit + STEP, most);
      } else if (performance.now() - halvedMs > 1_000) {
        // Once for all requests that were in flight together.
        halvedMs = performance.now();
        limit = Math.max(1, Math.floor(limit / 2));
      }
      clean = 0;
    },
  };
}
