import { libraryStore } from './library.ts';
import { waitUntil } from './waitUntil.ts';

/** Maximum time that user input waits for the series. */
const LONGEST_MS = 2_000;

/** Resolves when the first response says which images follow the one on screen. */
export async function waitForFirstSeries(signal: AbortSignal): Promise<void> {
  await waitUntil(isSeriesKnown, { stores: [libraryStore], longestMs: LONGEST_MS, signal });
}

export function isSeriesKnown(): boolean {
  const { stacks, isSeriesComplete } = libraryStore.getState();
  return stacks.size > 0 || isSeriesComplete;
}
