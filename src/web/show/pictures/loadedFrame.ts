import type { DeclaredVoi } from '../../../shared/chooseVoi.ts';
import type { RawPresentation } from '../../../shared/contract/headers.ts';
import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { ModalityTransform } from '../../../shared/modality.ts';
import type { PixelPadding } from '../../../shared/padding.ts';
import type { AppliedWindow } from '../../../shared/presentation.ts';
import type { NumberSamples } from '../../../shared/sampleArray.ts';

type AnyFrame = {
  readonly rows: number;
  readonly columns: number;
  /** Undefined where nothing is missing. */
  readonly damage?: FrameDamage | undefined;
  /** How many samples are outside the range of Bits Stored; absent: none. */
  readonly outOfRange?: number | undefined;
};

/** A gray frame with its stored samples: windows are applied in the browser, without a request. */
export type GrayFrame = AnyFrame & {
  readonly kind: 'gray';
  readonly samples: NumberSamples;
  readonly isMonochrome1: boolean;
  readonly modality: ModalityTransform;
  readonly voi: DeclaredVoi;
  readonly padding: PixelPadding | undefined;
  readonly presentation: RawPresentation;
  /** Pixels of the picture along each side that a sample stands for; absent: 1. */
  readonly coarseness?: number | undefined;
  /**
   * Set if the picture may be made of a part of the slices: how many it needs, and how many were there. Its values are
   * not those of the image.
   */
  readonly places?: UsedPlaces | undefined;
  /** How the samples were made, if they are not stored ones. */
  readonly origin?: SampleOrigin | undefined;
};

export type UsedPlaces = { readonly used: number; readonly needed: number };

/** `projected`: each is that of a slab. `interpolated`: each is computed from stored samples around it. */
export type SampleOrigin = 'interpolated' | 'projected';

/** A frame drawn by the server. */
export type PictureFrame = AnyFrame & {
  readonly kind: 'picture';
  readonly bitmap: ImageBitmap;
  /** Undefined for color. */
  readonly window: AppliedWindow | undefined;
  /** Smaller than the frame; the whole frame is still loading. */
  readonly isPreview: boolean;
};

export type LoadedFrame = GrayFrame | PictureFrame;

export function bytesOf(frame: LoadedFrame): number {
  return frame.kind === 'gray' ? frame.samples.byteLength : frame.bitmap.width * frame.bitmap.height * 4;
}

export function closeFrame(frame: LoadedFrame): void {
  if (frame.kind === 'picture') frame.bitmap.close();
}
