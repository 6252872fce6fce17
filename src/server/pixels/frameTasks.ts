import type { WindowChoice } from '../../shared/chooseVoi.ts';
import type { PixelPadding } from '../../shared/padding.ts';
import type { AppliedWindow } from '../../shared/presentation.ts';
import { defineTask } from '../workers/task.ts';
import type { ImageFile } from './imageFiles.ts';

export type FrameRequest = {
  readonly file: ImageFile;
  /** Counts from 0. */
  readonly frame: number;
};

export type DisplayRequest = FrameRequest & {
  readonly choice: WindowChoice;
  readonly pixelAspectRatio: number | undefined;
};

export type DisplayFrame = {
  readonly png: Uint8Array;
  /** Undefined for color. */
  readonly window: AppliedWindow | undefined;
};

export type ThumbnailRequest = FrameRequest & {
  /** Pixels of the longer edge, at most. */
  readonly size: number;
  readonly pixelAspectRatio: number | undefined;
};

/** The samples of a frame as they are stored, and what it takes to show them elsewhere. */
export type RawFrame = {
  /** Little endian, color-by-pixel, one-bit samples as bytes. */
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly pixelRepresentation: 0 | 1;
  /** What the samples are, which decoding may have changed. */
  readonly photometricInterpretation: string;
  readonly rescaleSlope: number;
  readonly rescaleIntercept: number;
  readonly defaultWindow: { readonly center: number; readonly width: number } | undefined;
  readonly padding: PixelPadding | undefined;
};

export const displayFrameTask = defineTask<DisplayRequest, DisplayFrame>('pixels.displayFrame');
export const rawFrameTask = defineTask<FrameRequest, RawFrame>('pixels.rawFrame');
export const thumbnailTask = defineTask<ThumbnailRequest, Uint8Array>('pixels.thumbnail');
