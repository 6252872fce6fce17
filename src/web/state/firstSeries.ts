import { libraryStore } from './library.ts';
import { wait } from './wait.ts';

/** Keys wait no longer than this for what they are about. */
const LONGEST_MS = 2_000;

/** Until the first answer says which images follow the one on screen. */
export async function waitForFirstSeries(signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const look = () => {
    const { stacks, isSeriesComplete } = libraryStore.getState();
    if (stacks.size > 0 || isSeriesComplete) done.abort();
  };
  const stop = libraryStore.subscribe(look);
  look();
  await wait(LONGEST_MS, AbortSignal.any([signal, done.signal]));
  stop();
}
