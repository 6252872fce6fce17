import { createStore } from 'zustand/vanilla';
import { cellOf, cellsOf, stackOfCell } from './cells.ts';
import { findFile, findStack, libraryOf } from './library.ts';
import { definePart, type Page } from './page.ts';
import { isWindowAwaited } from './stackWindows.ts';
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
  const stores = [libraryOf(page), imageOnScreenOf(page), cellsOf(page)];
  await waitUntil(() => isThereOrHopeless(page), { stores, longestMs: LONGEST_MS, signal });
}

/**
 * Like `waitForFirstImage`, for what finds the window of a stack: if the first image is to have it, both are requested
 * in parallel. A list of many series would delay the image on a thin link.
 */
export async function waitForFirstImageOrItsWindow(page: Page, signal: AbortSignal): Promise<void> {
  const stores = [libraryOf(page), imageOnScreenOf(page), cellsOf(page)];
  const mayStart = () => isThereOrHopeless(page) || isFirstWindowAwaited(page);
  await waitUntil(mayStart, { stores, longestMs: LONGEST_MS, signal });
}

const FEW_FILES = 1_000;

function isFirstWindowAwaited(page: Page): boolean {
  const { activeCell } = cellsOf(page).getState();
  const stack = stackOfCell(page, activeCell);
  if (stack === undefined || libraryOf(page).getState().files.length > FEW_FILES) return false;
  const { window, position } = cellOf(page, activeCell);
  const file = findFile(page, stack.frames[position]?.fileIndex);
  return isWindowAwaited(page, window, { file, stack });
}

function isThereOrHopeless(page: Page): boolean {
  const { files, summary, connection } = libraryOf(page).getState();
  const isHopeless = summary !== undefined && !files.some(({ support_state }) => support_state === 'renderable');
  const isThere = imageOnScreenOf(page).getState().isThere || showsNoImages(page);
  return isThere || isHopeless || connection === 'needs_token';
}

/** Whether all open cells show files without an image, such as the report that the address names. */
function showsNoImages(page: Page): boolean {
  const open = cellsOf(page)
    .getState()
    .cells.filter(({ pictureId }) => pictureId !== undefined);
  return open.length > 0 && open.every(({ pictureId }) => findStack(page, pictureId)?.frames.length === 0);
}
