import { ViewerError } from '../../../shared/contract/errors.ts';
import { LAYER_OBJECTS, type LayerName } from '../../../shared/contract/layers.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';

/** The name among these that a file has a layer of. Throws if it has none, or no pixels although they are needed. */
export function checkLayerObject<Name extends LayerName>(file: DicomFile, names: readonly Name[]): Name {
  const name = names.find((one) => LAYER_OBJECTS[one].matches(file));
  if (name === undefined) {
    const nouns = names.map((one) => LAYER_OBJECTS[one].noun).join(' or ');
    throw new ViewerError('bad_request', `only a ${nouns} can be drawn over its source images`);
  }
  if (LAYER_OBJECTS[name].needsPixels && !file.hasPixels) {
    throw new ViewerError('no_pixel_data', `the ${LAYER_OBJECTS[name].noun} has no pixels`);
  }
  return name;
}
