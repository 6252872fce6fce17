import { lazy } from 'react';
import { loadPart } from '../state/missingParts.ts';

// Parts that not every page needs; each is one request when it is first used.

export const Overlay = lazy(async () => ({ default: (await loadPart(() => import('./Overlay.tsx'))).Overlay }));
export const SlidePicture = lazy(async () => ({
  default: (await loadPart(() => import('../pictures/slide/SlidePicture.tsx'))).SlidePicture,
}));
export const SegmentationLayer = lazy(async () => ({
  default: (await loadPart(() => import('../layers/segmentation/SegmentationLayer.tsx'))).SegmentationLayer,
}));
export const SegmentationNotes = lazy(async () => ({
  default: (await loadPart(() => import('../layers/segmentation/SegmentationLayer.tsx'))).SegmentationNotes,
}));
export const SlideRoiLayer = lazy(async () => ({
  default: (await loadPart(() => import('../annotations/SlideRoiLayer.tsx'))).SlideRoiLayer,
}));
