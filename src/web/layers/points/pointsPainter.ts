import { isClusters, type PointsPacket } from '../../../shared/pointsPacket.ts';
import { fetchPoints } from '../../api/layers.ts';
import { isSlideRegion } from '../../pictures/layerTarget.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createPointsDrawer } from './drawPoints.ts';

const PACKET_BYTES = 1_000;

export const pointsPainter: LayerPainter<PointsPacket> = {
  noun: 'annotation',
  onSlides: 'pieces',
  load: async ({ layer }, target, options) => {
    if (!isSlideRegion(target)) throw new Error('annotations of slides do not lie over other pictures');
    return fetchPoints(layer, target, options);
  },
  bytesOf: ({ content }) => {
    if (isClusters(content)) return PACKET_BYTES + 16 * content.counts.length + content.values.byteLength;
    return PACKET_BYTES + content.points.byteLength + content.values.byteLength + 13 * content.types.length;
  },
  listDamaged: () => [],
  // A million annotations have no names of their own.
  partsAt: () => [],
  createDrawer: createPointsDrawer,
};
