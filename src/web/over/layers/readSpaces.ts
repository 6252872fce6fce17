import type { LayerResponse } from '../../../shared/contract/layerAnswers.ts';
import type { KnownLayer } from './layerClient.ts';

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
