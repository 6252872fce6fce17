import type { ValueGrain, WindowChoice } from '../../../shared/chooseVoi.ts';
import type { RawPresentation, RawSampleKind } from '../../../shared/contract/headers.ts';
import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { PixelPadding } from '../../../shared/padding.ts';
import type { Percentiles } from '../../../shared/percentile.ts';
import type { AppliedWindow } from '../../../shared/presentation.ts';
import type { VoiShape } from '../../../shared/voiWindow.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { DecodedFrame } from './codecs/codec.ts';
import type { ImageFile } from './imageFiles.ts';
import type { AppliedState } from './presentation/readStateLook.ts';

export type FrameRequest = {
  readonly file: ImageFile;
  /** Counted from 0. */
  readonly frame: number;
};

export type PictureRequest = FrameRequest & {
  /** A copy of the frame, owned by the worker, if it has been decoded before. */
  readonly decoded: DecodedFrame | undefined;
  readonly pixelAspectRatio: number | undefined;
};

export type DisplayRequest = PictureRequest & {
  readonly choice: WindowChoice;
  /** Whether a stored JPEG may be returned if a browser renders it identically. */
  readonly isSourceWanted: boolean;
  /** The presentation state that decides how it looks. */
  readonly state?: AppliedState | undefined;
};

export type DisplayFrame = {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg';
  /** Undefined for color. */
  readonly window: AppliedWindow | undefined;
  /** Undefined if the frame is complete. */
  readonly damage: FrameDamage | undefined;
  /** How many samples were outside the range of Bits Stored. */
  readonly outOfRange?: number | undefined;
};

export type ThumbnailRequest = PictureRequest & {
  readonly choice: WindowChoice;
  /** Maximum length of the longer edge, in pixels. */
  readonly size: number;
  /** The quality of a JPEG, from 1 to 100; undefined: PNG. */
  readonly jpegQuality?: number | undefined;
};

/** A decoded frame, and what a client needs to display it. */
export type StoredFrame = {
  readonly decoded: DecodedFrame;
  readonly rescaleSlope: number;
  readonly rescaleIntercept: number;
  readonly defaultWindow: { readonly center: number; readonly width: number } | undefined;
  readonly padding: PixelPadding | undefined;
  readonly sampleKind: RawSampleKind;
  /** Undefined if the file does not specify it. */
  readonly voiLutFunction: VoiShape | undefined;
  readonly presentation: RawPresentation;
};

/** A picture, and the decoded frame that it was drawn from. */
export type DecodedPicture = {
  /**
   * Undefined if it cannot be drawn. The frame is returned nevertheless, because others may wait for it, and drawing it
   * by itself gives the reason.
   */
  readonly picture: DisplayFrame | undefined;
  readonly stored: StoredFrame;
};

/** The stored values of a frame as bytes, and what a client needs to display them. */
export type RawFrame = Omit<DecodedFrame, 'samples' | 'planes'> &
  Omit<StoredFrame, 'decoded'> & {
    /** Little-endian, color-by-pixel, one-bit samples as bytes. */
    readonly bytes: Uint8Array;
  };

export type PackRequest = FrameRequest & {
  /** A copy of the frame, owned by the worker, if it has been decoded before. */
  readonly stored: StoredFrame | undefined;
};

/** A raw frame with gzip-compressed bytes. */
export type PackedFrame = RawFrame & {
  /** Whether the samples are stored as differences from the prediction by their neighbours. */
  readonly isPredicted: boolean;
};

export type PercentilesRequest = Omit<PictureRequest, 'pixelAspectRatio'>;

/** The distribution of the modality values of a frame, and what determines how a window is applied to them. */
export type FramePercentiles = Percentiles & {
  readonly hasOwnVoi: boolean;
  /** Undefined if the file does not specify it. */
  readonly voiLutFunction: VoiShape | undefined;
  readonly grain: ValueGrain;
};

/** One frame as it is stored, but uncompressed frames always in little-endian order, beginning with a whole byte. */
export type EncodedFrame = { readonly bytes: Uint8Array; readonly isCompressed: boolean };

/** What decoding one frame takes. */
export type DecodeCost = { readonly timeoutMs: number; readonly bytes: number };

/** The reservation also covers the copy that is passed to the worker. */
const FRAME = { timeoutMs: (_: unknown, { timeoutMs }: DecodeCost) => timeoutMs, bytes: 'reserved' } as const;

export const encodedFrameTask = defineTask<FrameRequest, EncodedFrame, DecodeCost>('pixels.encodedFrame', FRAME);
export const displayFrameTask = defineTask<DisplayRequest, DisplayFrame, DecodeCost>('pixels.displayFrame', FRAME);
/** The first picture of a compressed frame. Its samples are kept for other windows, without another visit of a thread. */
export const decodedPictureTask = defineTask<DisplayRequest, DecodedPicture, DecodeCost>(
  'pixels.decodedPicture',
  FRAME,
);
export const rawFrameTask = defineTask<FrameRequest, StoredFrame, DecodeCost>('pixels.rawFrame', FRAME);
export const packedFrameTask = defineTask<PackRequest, PackedFrame, DecodeCost>('pixels.packedFrame', FRAME);
export const percentilesTask = defineTask<PercentilesRequest, FramePercentiles, DecodeCost>(
  'pixels.percentiles',
  FRAME,
);
export const thumbnailTask = defineTask<ThumbnailRequest, DisplayFrame, DecodeCost>('pixels.thumbnail', FRAME);
