import type { AnnotationPayload, RoiBox } from '../../../../shared/contract/annotations.ts';

/** One rectangle on one file, as the server knows it. */
export type RoiMark = {
  readonly box: RoiBox;
  /** Frame indices, ascending; empty for all frames. */
  readonly frames: readonly number[];
};

export type Roi = RoiMark & {
  /** Stays the same across edits while the page is open. The server identifies ROIs only by their order. */
  readonly id: number;
};

/** Assigns consecutive ids from `firstId`. */
export function toRois({ roi_coords, roi_frames }: AnnotationPayload, firstId: number): readonly Roi[] {
  return roi_coords.map((box, i) => ({ id: firstId + i, box, frames: roi_frames[i] ?? [] }));
}

/** In canonical form: no frame list at all when every ROI is on all frames. */
export function toPayload(rois: readonly RoiMark[]): AnnotationPayload {
  const isOnAll = rois.every(({ frames }) => frames.length === 0);
  return {
    num_roi: rois.length,
    roi_coords: rois.map(({ box }) => box),
    roi_frames: isOnAll ? [] : rois.map(({ frames }) => [...frames]),
  };
}

export function isSamePayload(a: AnnotationPayload, b: AnnotationPayload): boolean {
  return JSON.stringify(toRois(a, 0)) === JSON.stringify(toRois(b, 0));
}

export function coversFrame({ frames }: RoiMark, frame: number): boolean {
  return frames.length === 0 || frames.includes(frame);
}
