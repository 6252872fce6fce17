import { libraryOf } from './library.ts';
import type { Page } from './page.ts';
import { viewportsStore } from './viewports.ts';
import { waitUntil } from './waitUntil.ts';

/** Maximum time that other requests wait for the first image. */
const LONGEST_MS = 3_000;

/**
 * Resolves when the first image is on screen, so that it does not share the connection with other requests. Resolves at
 * once if there is no image to wait for.
 */
export async function waitForFirstImage(page: Page, signal: AbortSignal): Promise<void> {
  await waitUntil(() => isThereOrHopeless(page), {
    stores: [libraryOf(page), viewportsStore],
    longestMs: LONGEST_MS,
    signal,
  });
}

function isThereOrHopeless(page: Page): boolean {
  const { files, summary, connection } = libraryOf(page).getState();
  const isHopeless = summary !== undefined && !files.some(({ support_state }) => support_state === 'renderable');
  const reports = [...viewportsStore.getState().reports.values()];
  // A preview counts as an image too, and the page must be able to label it as a preview.
  const isThere = reports.some(({ status, screen }) => status === 'failed' || screen !== undefined);
  return isThere || isHopeless || connection === 'needs_token';
}
