import { REGION_CLIENT, type RegionDescription } from '../graphics/regionClient.ts';
import type { LayerClient } from '../layerClient.ts';

export const fiducialsClient: LayerClient<RegionDescription> = {
  ...REGION_CLIENT,
  words: { layer: 'fiducial set', part: 'fiducial', alone: 'fiducial set' },
  replacesContext: true,
};
