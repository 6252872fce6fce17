import type { GrayPipeline } from '../../shared/grayTable.ts';
import type { GrayFrame } from './loadedFrame.ts';

export type PaintRequest = {
  readonly id: number;
  readonly cell: string;
  /** Undefined: the same as in the cell's request before. */
  readonly frame: GrayFrame | undefined;
  readonly pipeline: GrayPipeline;
};

export type PaintAnswer = { readonly id: number; readonly cell: string; readonly bitmap: ImageBitmap };
