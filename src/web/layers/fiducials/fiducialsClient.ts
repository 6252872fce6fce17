import { REGION_CLIENT, type RegionDescription } from '../graphics/regionClient.ts';
import type { LayerClient } from '../layerClient.ts';

export const fiducialsClient: LayerClient<RegionDescription> = {
  ...REGION_CLIENT,
  words: { layer: 'set of fiducials', part: 'fiducial', alone: 'set of fiducials' },
  replacesContext: true,
};
