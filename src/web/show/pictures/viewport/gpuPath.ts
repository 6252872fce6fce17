import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GrayFrame } from '../loadedFrame.ts';

export type StoredSamples = Pick<GrayFrame, 'rows' | 'columns' | 'samples'>;

/** Applies gray tables on the graphics card. What the card cannot do exactly is left to the processor. */
export interface GpuPainter {
  /**
   * Paints one pixel for each sample. The result is valid until the next call, because all cells share this canvas.
   * Undefined where the card cannot do it. The table has the gray level of every possible sample, indexed by its bits
   * read as an unsigned number; `colors` has the RGBA pixel of every level.
   */
  paint(frame: StoredSamples, table: Uint8Array, colors: Uint32Array): HTMLCanvasElement | undefined;
}

/**
 * Has a painter from when the first image is on the screen and the card has passed its test, until the card is lost.
 */
export type GpuPath = StoreApi<{ readonly painter: GpuPainter | undefined }>;

export function createGpuPath(): GpuPath {
  return createStore(() => ({ painter: undefined }));
}
