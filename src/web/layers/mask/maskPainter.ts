import type { SourceMasks } from '../../../shared/maskLayers.ts';
import { fetchMasks, fetchMasksInPlane, fetchMasksOnSlide } from '../../api/segmentations.ts';
import { isPlane, isSlideRegion } from '../../pictures/layerTarget.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createMaskDrawer } from './drawMasks.ts';
import { findMasksAt } from './masksAt.ts';

const LAYER_BYTES = 200;

export const maskPainter: LayerPainter<SourceMasks> = {
  noun: 'mask',
  onSlides: 'pieces',
  load: ({ layer }, target, options) => {
    if (isSlideRegion(target)) return fetchMasksOnSlide(layer, target, options);
    return isPlane(target) ? fetchMasksInPlane(layer, target, options) : fetchMasks(layer, target, options);
  },
  bytesOf: ({ layers }) => layers.reduce((sum, { samples }) => sum + samples.byteLength + LAYER_BYTES, 0),
  listDamaged: ({ damaged }) => damaged.map(({ segment, damage }) => ({ part: segment, damage })),
  partsAt: findMasksAt,
  createDrawer: createMaskDrawer,
};
