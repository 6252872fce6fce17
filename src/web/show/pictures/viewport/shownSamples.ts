import { definePart, type Page } from '../../../kit/state/page.ts';
import type { GrayFrame } from '../loadedFrame.ts';

/** By cell. */
const sourcesOf = definePart(() => new Map<number, () => GrayFrame | undefined>());

/** The stored samples of the frame that a cell shows, if they are loaded and a rescale gives their values. */
export function findShownSamples(page: Page, cell: number): GrayFrame | undefined {
  return sourcesOf(page).get(cell)?.();
}

export function setSampleSource(page: Page, cell: number, find: (() => GrayFrame | undefined) | undefined): void {
  if (find === undefined) sourcesOf(page).delete(cell);
  else sourcesOf(page).set(cell, find);
}
