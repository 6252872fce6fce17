import { LAYER_NAMES, LAYER_OBJECTS, type LayerName, type PacketKind } from '../../shared/contract/layers.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { Wanted } from '../pixels/keptWork.ts';
import { checkLayerObject } from './checkLayerObject.ts';
import type { WrittenPacket, LayerProvider, LayersInput, LayerTarget, PlaneTarget } from './layerProvider.ts';
import { createSegmentationLayers } from './segmentation/segmentationLayers.ts';

/** The registry: everything that lies over images, one provider for each sort of object. */
function createProviders(input: LayersInput) {
  return {
    segmentation: createSegmentationLayers(input),
  } satisfies { readonly [Name in LayerName]: LayerProvider };
}

export type Layers = ReturnType<typeof createProviders> & {
  /** The packet of a file's layer of this kind over a target. Throws `bad_request` if it has no such layer. */
  packet(file: DicomFile, kind: PacketKind, target: LayerTarget, wanted?: Wanted): Promise<WrittenPacket>;
  /** The packet of a file's layer over a plane. Throws `bad_request` if it has no layer. */
  planePacket(file: DicomFile, target: PlaneTarget, wanted?: Wanted): Promise<WrittenPacket>;
};

export function createLayers(input: LayersInput): Layers {
  const providers = createProviders(input);
  return {
    ...providers,
    async packet(file, kind, target, wanted = {}) {
      const ofKind = LAYER_NAMES.filter((name) => LAYER_OBJECTS[name].kind === kind);
      const name = checkLayerObject(file, ofKind);
      const placed = await providers[name].place(file, target, wanted);
      return placed.packet(wanted);
    },
    async planePacket(file, target, wanted = {}) {
      const placed = await providers[checkLayerObject(file, LAYER_NAMES)].placeOnPlane(file, target, wanted);
      return placed.packet(wanted);
    },
  };
}
