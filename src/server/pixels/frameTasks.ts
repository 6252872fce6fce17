import type { ValueGrain, WindowChoice } from '../../shared/chooseVoi.ts';
import type { RawPresentation, RawSampleKind } from '../../shared/contract/headers.ts';
import type { FrameDamage } from '../../shared/frameDamage.ts';
import type { PixelPadding } from '../../shared/padding.ts';
import type { Percentiles } from '../../shared/percentile.ts';
import type { AppliedWindow } from '../../shared/presentation.ts';
import type { VoiShape } from '../../shared/voiWindow.ts';
import { defineTask } from '../workers/task.ts';
import type { DecodedFrame } from './codecs/codec.ts';
import type { ImageFile } from './imageFiles.ts';

export type FrameRequest = {
  readonly file: ImageFile;
  /** Counts from 0. */
  readonly frame: number;
};

/** What is to be made into a picture. */
export type PictureRequest = FrameRequest & {
  /** The frame where it has been decoded before: a copy, which is the worker's. */
  readonly decoded: DecodedFrame | undefined;
  readonly pixelAspectRatio: number | undefined;
};

export type DisplayRequest = PictureRequest & {
  readonly choice: WindowChoice;
  /** A stored JPEG will do where a browser makes the same picture of it. */
  readonly isSourceWanted: boolean;
};

export type DisplayFrame = {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg';
  /** Undefined for color. */
  readonly window: AppliedWindow | undefined;
  /** Undefined where nothing is missing. */
  readonly damage: FrameDamage | undefined;
};

export type ThumbnailRequest = PictureRequest & {
  readonly choice: WindowChoice;
  /** Pixels of the longer edge, at most. */
  readonly size: number;
};

/** A decoded frame, and what it takes to show it elsewhere. */
export type StoredFrame = {
  readonly decoded: DecodedFrame;
  readonly rescaleSlope: number;
  readonly rescaleIntercept: number;
  readonly defaultWindow: { readonly center: number; readonly width: number } | undefined;
  readonly padding: PixelPadding | undefined;
  readonly sampleKind: RawSampleKind;
  /** Undefined where the file does not say. */
  readonly voiLutFunction: VoiShape | undefined;
  readonly presentation: RawPresentation;
};

/** The stored values of a frame as bytes, and what it takes to show them elsewhere. */
export type RawFrame = Omit<DecodedFrame, 'samples' | 'planes'> &
  Omit<StoredFrame, 'decoded'> & {
    /** Little endian, color-by-pixel, one-bit samples as bytes. */
    readonly bytes: Uint8Array;
  };

export type PackRequest = FrameRequest & {
  /** The frame where it has been decoded before: a copy, which is the worker's. */
  readonly stored: StoredFrame | undefined;
};

/** A raw frame whose bytes are compressed with gzip. */
export type PackedFrame = RawFrame & {
  /** Whether the samples are differences from what their neighbours predict. */
  readonly isPredicted: boolean;
};

export type PercentilesRequest = Omit<PictureRequest, 'pixelAspectRatio'>;

/** How the modality values of a frame are spread, and what decides how a window over them is drawn. */
export type FramePercentiles = Percentiles & {
  readonly hasOwnVoi: boolean;
  /** Undefined where the file does not say. */
  readonly voiLutFunction: VoiShape | undefined;
  readonly grain: ValueGrain;
};

export const displayFrameTask = defineTask<DisplayRequest, DisplayFrame>('pixels.displayFrame');
export const rawFrameTask = defineTask<FrameRequest, StoredFrame>('pixels.rawFrame');
export const packedFrameTask = defineTask<PackRequest, PackedFrame>('pixels.packedFrame');
export const percentilesTask = defineTask<PercentilesRequest, FramePercentiles>('pixels.percentiles');
export const thumbnailTask = defineTask<ThumbnailRequest, DisplayFrame>('pixels.thumbnail');
