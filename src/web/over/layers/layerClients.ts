import type { LayerName } from '../../../shared/contract/layers.ts';
import { attachmentClient } from './attachment/attachmentClient.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { layerNameOf } from '../../kit/state/layers.ts';
import type { LayerClient } from './layerClient.ts';
import { fieldClient } from './field/fieldClient.ts';
import { fiducialsClient } from './fiducials/fiducialsClient.ts';
import { reportClient } from './report/reportClient.ts';
import { segmentationClient } from './segmentation/segmentationClient.ts';
import { slideAnnotationsClient } from './slideAnnotations/slideAnnotationsClient.ts';
import { spectroscopyClient } from './spectroscopy/spectroscopyClient.ts';
import { structureSetClient } from './structureSet/structureSetClient.ts';

/** The registry of clients. */
export const LAYER_CLIENTS: { readonly [Name in LayerName]: LayerClient } = {
  segmentation: segmentationClient,
  structureSet: structureSetClient,
  field: fieldClient,
  report: reportClient,
  fiducials: fiducialsClient,
  spectroscopy: spectroscopyClient,
  slideAnnotations: slideAnnotationsClient,
  attachment: attachmentClient,
};

/** All clients. */
export const CLIENTS: readonly LayerClient[] = Object.values(LAYER_CLIENTS);

/** The client of a file's layer; undefined if the file has none. */
export function findClient(file: LayerRecord): LayerClient | undefined {
  const name = layerNameOf(file);
  return name && LAYER_CLIENTS[name];
}
