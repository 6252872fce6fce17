import { LAYER_NAMES, LAYER_OBJECTS, type PacketKind } from '../../../shared/contract/layers.ts';
import { LAYER_CLIENTS } from './layerClients.ts';
import type { LayerPainter } from './layerPainter.ts';

/** By kind. They draw in the order of `LAYER_KINDS`. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kinds of packets are those of the objects
export const LAYER_PAINTERS = Object.fromEntries(
  LAYER_NAMES.map((name) => [LAYER_OBJECTS[name].kind, LAYER_CLIENTS[name].painter]),
) as { readonly [Kind in PacketKind]: LayerPainter };
