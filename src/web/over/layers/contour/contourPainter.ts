import { type ContourPacket, decodeContours } from '../../../../shared/contourPacket.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createContourDrawer } from './drawContours.ts';
import { findContoursAt } from './contoursAt.ts';
import { insideOfContours } from '../../../../shared/insideOfContours.ts';

const ITEM_BYTES = 200;

export const contourPainter: LayerPainter<ContourPacket> = {
  noun: 'contour',
  onSlides: 'whole',
  decode: decodeContours,
  bytesOf: ({ items }) => items.reduce((sum, { points }) => sum + points.byteLength + ITEM_BYTES, 0),
  listDamaged: () => [],
  partsAt: findContoursAt,
  insideOf: insideOfContours,
  createDrawer: createContourDrawer,
};
