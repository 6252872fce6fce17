import { createStore } from 'zustand/vanilla';
import { libraryOf } from './library.ts';
import { definePart, type Page } from './page.ts';
import { waitUntil } from './waitUntil.ts';

/** Maximum time that other requests wait for the first image. */
const LONGEST_MS = 3_000;

/** Whether an image is on screen, or the reason why there is none. Set with the reports of the cells. */
const imageOnScreenOf = definePart(() => createStore<{ readonly isThere: boolean }>(() => ({ isThere: false })));

export function setImageOnScreen(page: Page, isThere: boolean): void {
  const store = imageOnScreenOf(page);
  if (store.getState().isThere !== isThere) store.setState({ isThere });
}

/**
 * Resolves when the first image is on screen, so that it does not share the connection with other requests. Resolves at
 * once if there is no image to wait for.
 */
export async function waitForFirstImage(page: Page, signal: AbortSignal): Promise<void> {
  const stores = [libraryOf(page), imageOnScreenOf(page)];
  await waitUntil(() => isThereOrHopeless(page), { stores, longestMs: LONGEST_MS, signal });
}

function isThereOrHopeless(page: Page): boolean {
  const { files, summary, connection } = libraryOf(page).getState();
  const isHopeless = summary !== undefined && !files.some(({ support_state }) => support_state === 'renderable');
  return imageOnScreenOf(page).getState().isThere || isHopeless || connection === 'needs_token';
}
