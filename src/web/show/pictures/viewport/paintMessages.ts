import type { GrayFrame } from '../loadedFrame.ts';
import type { GrayLook, PaintPipeline } from '../paintGray.ts';

/** A gray frame to be windowed, or a gray picture from the server to be colored. */
export type PaintRequest = FrameRequest | PictureRequest;

type FrameRequest = {
  readonly kind: 'frame';
  readonly id: number;
  readonly cell: string;
  /** Undefined if it is the same as in the previous request of the cell. */
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
  /** Undefined if it could not be painted. */
  readonly bitmap: ImageBitmap | undefined;
};
