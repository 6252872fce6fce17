import { decodePoints, isClusters, type PointsPacket } from '../../../../shared/pointsPacket.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createPointsDrawer } from './drawPoints.ts';

const PACKET_BYTES = 1_000;

export const pointsPainter: LayerPainter<PointsPacket> = {
  noun: 'annotation',
  onSlides: 'pieces',
  decode: decodePoints,
  bytesOf: ({ content }) => {
    if (isClusters(content)) return PACKET_BYTES + 16 * content.counts.length + content.values.byteLength;
    return PACKET_BYTES + content.points.byteLength + content.values.byteLength + 13 * content.types.length;
  },
  listDamaged: () => [],
  // A million annotations have no names of their own.
  partsAt: () => [],
  createDrawer: createPointsDrawer,
};
