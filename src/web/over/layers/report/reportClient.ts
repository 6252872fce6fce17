import { REGION_CLIENT, type RegionDescription } from '../graphics/regionClient.ts';
import type { LayerClient } from '../layerClient.ts';

export const reportClient: LayerClient<RegionDescription> = {
  ...REGION_CLIENT,
  words: { layer: 'report', part: 'region', alone: 'report' },
  // A report says more than its regions.
  replacesContext: false,
};
