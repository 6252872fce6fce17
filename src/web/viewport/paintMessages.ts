import type { GrayFrame } from './loadedFrame.ts';
import type { GrayLook, PaintPipeline } from './paintGray.ts';

/** A gray frame through a window, or a gray picture of the server in other colors. */
export type PaintRequest = FrameRequest | PictureRequest;

type FrameRequest = {
  readonly kind: 'frame';
  readonly id: number;
  readonly cell: string;
  /** Undefined: the same as in the cell's request before. */
  readonly frame: GrayFrame | undefined;
  readonly pipeline: PaintPipeline;
};

type PictureRequest = {
  readonly kind: 'picture';
  readonly id: number;
  readonly cell: string;
  readonly bitmap: ImageBitmap;
  readonly look: GrayLook;
};

export type PaintAnswer = {
  readonly id: number;
  readonly cell: string;
  /** Undefined where it could not be painted. */
  readonly bitmap: ImageBitmap | undefined;
};
