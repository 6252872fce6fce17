import type { LayerResponse, WireLayerPart } from '../../../shared/contract/layerAnswers.ts';
import type { KnownLayer } from './layerClient.ts';
import { separateColors } from '../../../shared/separateColors.ts';

/** The frames of reference that a layer lies in, and how it gets there over registrations. */
export function readSpaces({ spaces }: LayerResponse): Required<Pick<KnownLayer, 'spaces' | 'registered'>> {
  return {
    spaces: new Set(spaces.map(({ frame_of_reference_uid }) => frame_of_reference_uid)),
    registered: new Map(
      spaces.flatMap(({ frame_of_reference_uid: uid, placement: { via_file_indices, reason } }) =>
        via_file_indices.length === 0 ? [] : [[uid, reason] as const],
      ),
    ),
  };
}

/** What the answer about a layer says of a layer of any sort. */
export function readKnownLayer(
  fileIndex: number,
  response: LayerResponse,
  namePart: (part: WireLayerPart) => string,
): KnownLayer & { readonly response: LayerResponse } {
  const { placement, targets, fullest, parts } = response;
  const undrawn = new Set(parts.flatMap(({ part, reason }) => (reason === null ? [] : [part])));
  return {
    fileIndex,
    isPlaced: targets.length > 0,
    reason: placement.reason,
    targets: new Map(targets.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)])),
    fullest: fullest === null ? undefined : { fileIndex: fullest.file_index, frame: fullest.frame_index },
    ...readSpaces(response),
    parts: separateColors(
      parts.map((part) => ({ number: part.part, name: namePart(part), color: part.color })),
      ({ number }) => !undrawn.has(number),
    ),
    response,
  };
}
