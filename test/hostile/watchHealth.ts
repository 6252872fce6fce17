import { readFast } from '../support/readFast.ts';

export type HealthWatch = {
  /** The longest response time so far in milliseconds, and the number of responses. */
  readonly worstMs: () => number;
  readonly count: () => number;
  readonly stop: () => Promise<void>;
};

const EVERY_MS = 25;

/** Requests the health of a server repeatedly. `stop` rejects if any of the requests failed. */
export function watchHealth(baseUrl: string): HealthWatch {
  let worst = 0;
  let answers = 0;
  const stopping = new AbortController();
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const start = performance.now();
      const { status } = await readFast(`${baseUrl}/api/health`);
      if (status !== 200) throw new Error(`health answered ${status}`);
      worst = Math.max(worst, performance.now() - start);
      answers += 1;
      await new Promise((next) => setTimeout(next, EVERY_MS));
    }
  };
  const watching = watch();
  watching.catch(() => undefined);
  return {
    worstMs: () => worst,
    count: () => answers,
    stop() {
      stopping.abort();
      return watching;
    },
  };
}
