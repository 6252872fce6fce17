import type { LayerResponse, WireLayerPart } from '../../../../shared/contract/layerAnswers.ts';
import type { KnownLayer } from '../layerClient.ts';

export type StructureSetDescription = KnownLayer & { readonly response: LayerResponse };

export function nameStructure({ part, label }: Pick<WireLayerPart, 'part' | 'label'>): string {
  return label === null || label.trim() === '' ? `ROI ${part}` : label;
}

/** Example: `ORGAN · 24 contours`. */
export function describeStructure({ interpreted_type, contour_count, geometry, description }: WireLayerPart): string {
  // Parts without contours, such as regions, say what they are.
  if (contour_count === null) return description ?? geometry.join(', ').toLowerCase();
  const count = contour_count ?? 0;
  const isPoints = geometry.length === 1 && geometry[0] === 'POINT';
  const noun = isPoints ? 'point' : 'contour';
  const counted = count === 0 ? '' : `${count} ${count === 1 ? noun : `${noun}s`}`;
  return [interpreted_type ?? '', counted].filter((text) => text !== '').join(' · ');
}
