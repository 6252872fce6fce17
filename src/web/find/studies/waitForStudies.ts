import { libraryOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { waitUntil } from '../../kit/state/waitUntil.ts';

/** Maximum time that the user waits for files that are still being found. */
const LONGEST_MS = 3_000;

/** Resolves when all series are known, or a moment later with those that are there. */
export async function waitForStudies(page: Page): Promise<void> {
  const isKnown = () => {
    const { summary, isSeriesComplete } = libraryOf(page).getState();
    return summary?.scan_complete === true && !summary.more && isSeriesComplete;
  };
  await waitUntil(isKnown, {
    stores: [libraryOf(page)],
    longestMs: LONGEST_MS,
    signal: new AbortController().signal,
  });
}
