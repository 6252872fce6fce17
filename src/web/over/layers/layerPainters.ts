import type { PacketKind } from '../../../shared/contract/layers.ts';
import { contourPainter } from './contour/contourPainter.ts';
import { fieldPainter } from './field/fieldPainter.ts';
import { graphicsPainter } from './graphics/graphicsPainter.ts';
import type { LayerPainter } from './layerPainter.ts';
import { maskPainter } from './mask/maskPainter.ts';
import { pointsPainter } from './points/pointsPainter.ts';

/** The registry of painters. They draw in the order of `LAYER_KINDS`. */
export const LAYER_PAINTERS: { readonly [Kind in PacketKind]: LayerPainter } = {
  mask: maskPainter,
  contour: contourPainter,
  field: fieldPainter,
  graphics: graphicsPainter,
  points: pointsPainter,
};
