import type { ContourPacket } from '../../../shared/contourPacket.ts';
import { fetchContours, fetchContoursInPlane } from '../../api/layers.ts';
import { isPlane, isSlideRegion } from '../../pictures/layerTarget.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { createContourDrawer } from './drawContours.ts';
import { findContoursAt } from './contoursAt.ts';

const ITEM_BYTES = 200;

export const contourPainter: LayerPainter<ContourPacket> = {
  noun: 'contour',
  load: async ({ layer }, target, options) => {
    if (isSlideRegion(target)) throw new Error('contours do not lie over slides');
    return isPlane(target) ? fetchContoursInPlane(layer, target, options) : fetchContours(layer, target, options);
  },
  bytesOf: ({ items }) => items.reduce((sum, { points }) => sum + points.byteLength + ITEM_BYTES, 0),
  listDamaged: () => [],
  partsAt: findContoursAt,
  createDrawer: createContourDrawer,
};
