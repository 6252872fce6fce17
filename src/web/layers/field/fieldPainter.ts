import type { FieldPacket } from '../../../shared/fieldPacket.ts';
import { fetchField, fetchFieldInPlane } from '../../api/layers.ts';
import { isPlane, isSlideRegion } from '../../pictures/layerTarget.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createFieldDrawer } from './drawFields.ts';

const PACKET_BYTES = 400;

export const fieldPainter: LayerPainter<FieldPacket> = {
  noun: 'value',
  load: async (wanted, target, options) => {
    if (isSlideRegion(target)) throw new Error('volumes do not lie over slides');
    return isPlane(target) ? fetchFieldInPlane(wanted, target, options) : fetchField(wanted, target, options);
  },
  bytesOf: ({ item }) => PACKET_BYTES + (item === undefined ? 0 : item.samples.byteLength),
  listDamaged: () => [],
  partsAt: () => [],
  createDrawer: createFieldDrawer,
};
