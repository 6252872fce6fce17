/** For whom something is read: a request of a user, a scan or a listing, or nobody yet. */
export type ReadUrgency = 'asked' | 'waited' | 'ahead';

/** How many requests one machine gets at the same time. */
export interface RequestsInFlight {
  /**
   * Runs the work when its turn comes: what a user has asked for first, then what a scan waits for, then what is only read
   * ahead. Some requests are kept for users, because a scan may have all others in flight to a machine that stalls.
   */
  run<Result>(urgency: ReadUrgency, work: () => Promise<Result>): Promise<Result>;
  /** The machine has answered, or has too much to do. */
  report(how: 'clean' | 'overloaded'): void;
  readonly limit: number;
}

const FIRST = 16;
/** Most requests that are kept for users: a quarter of few, and two of many. */
const MOST_KEPT = 2;
/** After the machine was overloaded once, it gets so many more requests at a time after so many answers. */
const STEP = 8;
const CLEAN_ANSWERS = 50;

export function createInFlight(most: number): RequestsInFlight {
  const queues: Record<ReadUrgency, (() => void)[]> = { asked: [], waited: [], ahead: [] };
  let limit = Math.min(FIRST, most);
  let running = 0;
  let clean = 0;
  let halvedMs = -Infinity;
  let wasOverloaded = false;

  const nextTurn = (): (() => void) | undefined => {
    if (running >= limit) return undefined;
    const asked = queues.asked.shift();
    if (asked !== undefined) return asked;
    const kept = Math.min(MOST_KEPT, Math.floor(limit / 4));
    return running < limit - kept ? (queues.waited.shift() ?? queues.ahead.shift()) : undefined;
  };
  const pump = (): void => {
    for (let start = nextTurn(); start !== undefined; start = nextTurn()) {
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
