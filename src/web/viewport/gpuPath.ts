import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GrayFrame } from './loadedFrame.ts';

export type StoredSamples = Pick<GrayFrame, 'rows' | 'columns' | 'samples'>;

/** Applies gray tables on the graphics card. Whatever it cannot do exactly it leaves to the processor. */
export interface GpuPainter {
  /**
   * One pixel for each sample, until the next call: all cells share this canvas. Undefined where the card cannot do it.
   * The table has the gray level of every possible sample, by its bits read as an unsigned number; colors has the pixel of
   * every level, as R, G, B and A.
   */
  paint(frame: StoredSamples, table: Uint8Array, colors: Uint32Array): HTMLCanvasElement | undefined;
}

/** Has a painter once the first image is on the screen and the card has proved itself, until the card is lost. */
export type GpuPath = StoreApi<{ readonly painter: GpuPainter | undefined }>;

export function createGpuPath(): GpuPath {
  return createStore(() => ({ painter: undefined }));
}
