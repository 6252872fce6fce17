import { fetchLayer } from '../../../kit/api/layers.ts';
import { contourPainter } from '../contour/contourPainter.ts';
import type { LayerClient } from '../layerClient.ts';
import { readKnownLayer } from '../readSpaces.ts';
import { FIRST_STYLE } from '../../../../shared/partStyle.ts';
import { nameStructure, type StructureSetDescription } from './describeStructure.ts';

export const structureSetClient: LayerClient<StructureSetDescription> = {
  painter: contourPainter,
  words: { layer: 'structure set', part: 'structure', alone: 'structure set' },
  replacesContext: true,
  // Structures overlap, and the outline of the patient would cover the image.
  firstStyle: { ...FIRST_STYLE, isOutline: true },
  async describe(fileIndex, signal) {
    return readKnownLayer(fileIndex, await fetchLayer(fileIndex, signal), nameStructure);
  },
};
