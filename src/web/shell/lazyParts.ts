import { lazy } from 'react';
import { loadPart } from '../state/missingParts.ts';
import { definePart } from '../state/page.ts';

/** Parts that not every page needs; each is one request when it is first used. */
export const lazyPartsOf = definePart((page) => ({
  Overlay: lazy(async () => ({ default: (await loadPart(page, () => import('./Overlay.tsx'))).Overlay })),
  SlidePicture: lazy(async () => ({
    default: (await loadPart(page, () => import('../pictures/slide/SlidePicture.tsx'))).SlidePicture,
  })),
  LayerCanvas: lazy(async () => ({
    default: (await loadPart(page, () => import('../layers/LayerCanvas.tsx'))).LayerCanvas,
  })),
  LayerNotes: lazy(async () => ({
    default: (await loadPart(page, () => import('../layers/LayerCanvas.tsx'))).LayerNotes,
  })),
  SlideRoiLayer: lazy(async () => ({
    default: (await loadPart(page, () => import('../annotations/SlideRoiLayer.tsx'))).SlideRoiLayer,
  })),
}));
