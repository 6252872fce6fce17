import type { FileRecord } from '../../shared/contract/files.ts';
import type { LayerName } from '../../shared/contract/layers.ts';
import { layerNameOf } from '../state/layers.ts';
import type { LayerProvider } from './layerProvider.ts';
import { segmentationProvider } from './segmentation/segmentationProvider.ts';

/** The registry of providers. */
const LAYER_PROVIDERS: { readonly [Name in LayerName]: LayerProvider } = {
  segmentation: segmentationProvider,
};

/** The provider of a file's layer; undefined if the file has none. */
export function findProvider(file: FileRecord): LayerProvider | undefined {
  const name = layerNameOf(file);
  return name && LAYER_PROVIDERS[name];
}
