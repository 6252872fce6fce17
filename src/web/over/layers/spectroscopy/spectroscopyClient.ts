import { REGION_CLIENT, type RegionDescription } from '../graphics/regionClient.ts';
import type { LayerClient } from '../layerClient.ts';

export const spectroscopyClient: LayerClient<RegionDescription> = {
  ...REGION_CLIENT,
  words: { layer: 'spectroscopy', part: 'volume', alone: 'spectroscopy' },
  // The spectra say more than where they come from.
  replacesContext: false,
};
