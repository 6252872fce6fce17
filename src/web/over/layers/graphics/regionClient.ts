import type { LayerResponse } from '../../../../shared/contract/layerAnswers.ts';
import { fetchLayer } from '../../../kit/api/layers.ts';
import { FIRST_STYLE } from '../../../../shared/partStyle.ts';
import type { KnownLayer, LayerClient } from '../layerClient.ts';
import { readKnownLayer } from '../readSpaces.ts';
import { graphicsPainter } from './graphicsPainter.ts';

export type RegionDescription = KnownLayer & { readonly response: LayerResponse };

/** What the clients of objects have in common whose parts are regions or annotations. */
export const REGION_CLIENT: Pick<LayerClient<RegionDescription>, 'painter' | 'firstStyle' | 'describe'> = {
  painter: graphicsPainter,
  // What a region is drawn around must stay visible.
  firstStyle: { ...FIRST_STYLE, isOutline: true, opacity: 1 },
  async describe(fileIndex, signal) {
    const response = await fetchLayer(fileIndex, signal);
    return readKnownLayer(fileIndex, response, ({ part, label }) => label ?? `Part ${part}`);
  },
};
