import { decodeField, type FieldPacket } from '../../../../shared/fieldPacket.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createFieldDrawer } from './drawFields.ts';
import { insideOfField } from './insideOfField.ts';

const PACKET_BYTES = 400;

export const fieldPainter: LayerPainter<FieldPacket> = {
  noun: 'value',
  onSlides: 'pieces',
  decode: decodeField,
  bytesOf: ({ item }) => PACKET_BYTES + (item === undefined ? 0 : item.samples.byteLength),
  listDamaged: () => [],
  partsAt: () => [],
  isOfOnePart: true,
  insideOf: insideOfField,
  createDrawer: createFieldDrawer,
};
