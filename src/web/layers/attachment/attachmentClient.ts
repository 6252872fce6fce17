import type { LayerResponse } from '../../../shared/contract/layerAnswers.ts';
import { fetchLayer } from '../../api/layers.ts';
import type { KnownLayer, LayerClient } from '../layerClient.ts';

export type AttachmentDescription = KnownLayer & { readonly response: LayerResponse };

export const attachmentClient: LayerClient<AttachmentDescription> = {
  words: { layer: 'attachment', part: 'label', alone: '' },
  replacesContext: false,
  async describe(layer, signal) {
    const response = await fetchLayer(layer, signal);
    const { placement, targets, spaces, parts } = response;
    return {
      fileIndex: layer,
      isPlaced: targets.length > 0,
      reason: placement.reason,
      targets: new Map(targets.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)])),
      spaces: new Set(spaces.map(({ frame_of_reference_uid }) => frame_of_reference_uid)),
      parts: parts.map(({ part, label, color }) => ({ number: part, name: label ?? `Label ${part}`, color })),
      response,
    };
  },
};
