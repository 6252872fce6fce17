import { fetchLayer } from '../../../kit/api/layers.ts';
import { contourPainter } from '../contour/contourPainter.ts';
import type { LayerClient } from '../layerClient.ts';
import { readSpaces } from '../readSpaces.ts';
import { FIRST_STYLE } from '../firstStyle.ts';
import { nameStructure, type StructureSetDescription } from './describeStructure.ts';

export const structureSetClient: LayerClient<StructureSetDescription> = {
  painter: contourPainter,
  words: { layer: 'structure set', part: 'structure', alone: 'structure set' },
  replacesContext: true,
  // Structures overlap, and the outline of the patient would cover the image.
  firstStyle: { ...FIRST_STYLE, isOutline: true },
  async describe(fileIndex, signal) {
    const response = await fetchLayer(fileIndex, signal);
    const { placement, targets, parts } = response;
    return {
      fileIndex,
      isPlaced: targets.length > 0,
      reason: placement.reason,
      targets: new Map(targets.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)])),
      ...readSpaces(response),
      parts: parts.map((part) => ({ number: part.part, name: nameStructure(part), color: part.color })),
      response,
    };
  },
};
