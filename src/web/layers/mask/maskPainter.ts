import type { SourceMasks } from '../../../shared/maskLayers.ts';
import { fetchSourceMasks } from '../../api/segmentations.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createMaskDrawer } from './drawMasks.ts';

const LAYER_BYTES = 200;

export const maskPainter: LayerPainter<SourceMasks> = {
  noun: 'mask',
  load: fetchSourceMasks,
  bytesOf: ({ layers }) => layers.reduce((sum, { samples }) => sum + samples.byteLength + LAYER_BYTES, 0),
  listDamaged: ({ damaged }) => damaged.map(({ segment, damage }) => ({ part: segment, damage })),
  createDrawer: createMaskDrawer,
};
