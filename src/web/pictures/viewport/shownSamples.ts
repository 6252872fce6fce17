import type { GrayFrame } from '../loadedFrame.ts';

const sources = new Map<number, () => GrayFrame | undefined>();

/** The stored samples of the frame that a cell shows, if they are loaded and a rescale gives their values. */
export function findShownSamples(cell: number): GrayFrame | undefined {
  return sources.get(cell)?.();
}

export function setSampleSource(cell: number, find: (() => GrayFrame | undefined) | undefined): void {
  if (find === undefined) sources.delete(cell);
  else sources.set(cell, find);
}
