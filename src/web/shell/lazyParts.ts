import { lazy } from 'react';
import { loadPart } from '../state/missingParts.ts';
import { definePart } from '../state/page.ts';

/** Parts that not every page needs; each is one request when it is first used. */
export const lazyPartsOf = definePart((page) => ({
  Overlay: lazy(async () => ({ default: (await loadPart(page, () => import('./Overlay.tsx'))).Overlay })),
  SlidePicture: lazy(async () => ({
    default: (await loadPart(page, () => import('../pictures/slide/SlidePicture.tsx'))).SlidePicture,
  })),
  SegmentationLayer: lazy(async () => ({
    default: (await loadPart(page, () => import('../layers/segmentation/SegmentationLayer.tsx'))).SegmentationLayer,
  })),
  SegmentationNotes: lazy(async () => ({
    default: (await loadPart(page, () => import('../layers/segmentation/SegmentationLayer.tsx'))).SegmentationNotes,
  })),
  SlideRoiLayer: lazy(async () => ({
    default: (await loadPart(page, () => import('../annotations/SlideRoiLayer.tsx'))).SlideRoiLayer,
  })),
}));
