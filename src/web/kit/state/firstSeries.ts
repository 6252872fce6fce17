import { libraryOf } from './library.ts';
import type { Page } from './page.ts';
import { waitUntil } from './waitUntil.ts';

/** Maximum time that user input waits for the series. */
const LONGEST_MS = 2_000;

/** Resolves when the first response says which images follow the one on screen. */
export async function waitForFirstSeries(page: Page, signal: AbortSignal): Promise<void> {
  await waitUntil(() => isSeriesKnown(page), { stores: [libraryOf(page)], longestMs: LONGEST_MS, signal });
}

export function isSeriesKnown(page: Page): boolean {
  const { stacks, isSeriesComplete } = libraryOf(page).getState();
  return stacks.size > 0 || isSeriesComplete;
}
