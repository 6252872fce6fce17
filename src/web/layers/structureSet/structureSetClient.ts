import { fetchLayer } from '../../api/layers.ts';
import type { LayerClient } from '../layerClient.ts';
import { FIRST_STYLE } from '../firstStyle.ts';
import { nameStructure, type StructureSetDescription } from './describeStructure.ts';

export const structureSetClient: LayerClient<StructureSetDescription> = {
  words: { layer: 'structure set', part: 'structure', alone: 'structure set' },
  replacesContext: true,
  // Structures overlap, and the outline of the patient would cover the image.
  firstStyle: { ...FIRST_STYLE, isOutline: true },
  async describe(fileIndex, signal) {
    const response = await fetchLayer(fileIndex, signal);
    const { placement, targets, spaces, parts } = response;
    return {
      fileIndex,
      isPlaced: targets.length > 0,
      reason: placement.reason,
      targets: new Map(targets.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)])),
      spaces: new Set(spaces.map(({ frame_of_reference_uid }) => frame_of_reference_uid)),
      registered: new Map(
        spaces.flatMap(({ frame_of_reference_uid: uid, placement: { via_file_indices, reason } }) =>
          via_file_indices.length === 0 ? [] : [[uid, reason] as const],
        ),
      ),
      parts: parts.map((part) => ({ number: part.part, name: nameStructure(part), color: part.color })),
      response,
    };
  },
};
