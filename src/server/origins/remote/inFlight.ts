/** How many requests one machine gets at the same time. */
export interface RequestsInFlight {
  /** Runs the work when its turn comes; what a reader waits for comes before what is only read ahead. */
  run<Result>(urgency: 'waited' | 'ahead', work: () => Promise<Result>): Promise<Result>;
  /** The machine has answered, or has too much to do. */
  report(how: 'clean' | 'overloaded'): void;
  readonly limit: number;
}

const FIRST = 16;
/** After the machine was overloaded once, it gets so many more requests at a time after so many answers. */
const STEP = 8;
const CLEAN_ANSWERS = 50;

export function createInFlight(most: number): RequestsInFlight {
  const queues: Record<'waited' | 'ahead', (() => void)[]> = { waited: [], ahead: [] };
  let limit = Math.min(FIRST, most);
  let running = 0;
  let clean = 0;
  let halvedMs = -Infinity;
  let wasOverloaded = false;

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
        // Until the machine has too much to do, each answer allows one request more, so that the limit doubles with each
        // round trip. As TCP does it.
        if (wasOverloaded && clean < CLEAN_ANSWERS) return;
        limit = Math.min(limit + (wasOverloaded ? STEP : 1), most);
      } else if (performance.now() - halvedMs > 1_000) {
        // Once for all requests that were in flight together.
        halvedMs = performance.now();
        wasOverloaded = true;
        limit = Math.max(1, Math.floor(limit / 2));
      }
      clean = 0;
    },
  };
}
