import { lazy } from 'react';

// What the first image can do without; each is one request when it is first wanted.

export const CacheFigure = lazy(async () => ({ default: (await import('./CacheFigure.tsx')).CacheFigure }));
export const Explorer = lazy(async () => ({ default: (await import('../files/Explorer.tsx')).Explorer }));
export const Inspector = lazy(async () => ({ default: (await import('./Inspector.tsx')).Inspector }));
export const Overlay = lazy(async () => ({ default: (await import('./Overlay.tsx')).Overlay }));
export const MeasureLayer = lazy(async () => ({ default: (await import('../measure/MeasureLayer.tsx')).MeasureLayer }));
export const Scrubber = lazy(async () => ({ default: (await import('../cine/Scrubber.tsx')).Scrubber }));
export const Toolbar = lazy(async () => ({ default: (await import('./Toolbar.tsx')).Toolbar }));
export const RoiNotices = lazy(async () => ({ default: (await import('../annotations/RoiNotices.tsx')).RoiNotices }));
export const SlidePicture = lazy(async () => ({ default: (await import('../slide/SlidePicture.tsx')).SlidePicture }));
export const SegmentationLayer = lazy(async () => ({
  default: (await import('../segmentation/SegmentationLayer.tsx')).SegmentationLayer,
}));
export const SlideRoiLayer = lazy(async () => ({
  default: (await import('../annotations/SlideRoiLayer.tsx')).SlideRoiLayer,
}));
