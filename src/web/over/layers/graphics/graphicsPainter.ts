import type { GraphicsPacket } from '../../../../shared/contract/graphics.ts';
import { decodeGraphics } from '../../../../shared/graphicsPacket.ts';
import type { LayerPainter } from '../layerPainter.ts';
import { scaleMatrix } from '../../../show/pictures/viewTransform.ts';
import { createGraphicsSvg } from './drawGraphics.ts';
import { findGraphicsAt } from './graphicsAt.ts';

const ITEM_BYTES = 400;
const POINT_BYTES = 8;

export const graphicsPainter: LayerPainter<GraphicsPacket> = {
  noun: 'graphic',
  // A shape is one element however large it is, so that it is not requested in pieces.
  onSlides: 'whole',
  decode: decodeGraphics,
  bytesOf: ({ items }) => items.reduce((sum, { points }) => sum + points.length * POINT_BYTES + ITEM_BYTES, 0),
  listDamaged: () => [],
  partsAt: findGraphicsAt,
  createDrawer: ({ svg }) => {
    const graphics = createGraphicsSvg(svg);
    return {
      draw: (_, drawn, imageToCanvas) => graphics.draw(drawn, scaleMatrix(imageToCanvas, 1 / devicePixelRatio)),
    };
  },
};
