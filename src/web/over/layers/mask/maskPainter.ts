import { decodeMasks, type SourceMasks } from '../../../../shared/maskLayers.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createMaskDrawer } from './drawMasks.ts';
import { maskOfPart } from '../../../../shared/maskOfPart.ts';
import { findMasksAt } from './masksAt.ts';

const LAYER_BYTES = 200;

export const maskPainter: LayerPainter<SourceMasks> = {
  noun: 'mask',
  onSlides: 'pieces',
  decode: decodeMasks,
  bytesOf: ({ layers }) => layers.reduce((sum, { samples }) => sum + samples.byteLength + LAYER_BYTES, 0),
  listDamaged: ({ damaged }) => damaged.map(({ segment, damage }) => ({ part: segment, damage })),
  partsAt: findMasksAt,
  maskOf: maskOfPart,
  insideOf: maskOfPart,
  createDrawer: createMaskDrawer,
};
