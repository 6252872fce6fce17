import { createImagePlanes, type ImagePlanes } from './imagePlanes.ts';
import { createLayerFiles, type LayerFiles } from './layerFiles.ts';
import type { LayersInput } from './layerProvider.ts';
import { createReach, type FindReached } from './reachedImages.ts';
import { createRegistrations, type Registrations } from './registrations.ts';
import { createSlidePlaces, type SlidePlaces } from './slidePlaces.ts';

/** What the providers of layers share. */
export type LayerContext = LayersInput & {
  readonly files: LayerFiles;
  readonly registrations: Registrations;
  readonly imagePlanes: ImagePlanes;
  readonly reach: FindReached;
  readonly slidePlaces: SlidePlaces;
};

export function createLayerContext(input: LayersInput): LayerContext {
  const files = createLayerFiles(input.catalog);
  const registrations = createRegistrations(input.catalog, input.tasks, input.clock);
  const imagePlanes = createImagePlanes(input);
  const reach = createReach({ tasks: input.tasks, files, registrations, imagePlanes });
  return { ...input, files, registrations, imagePlanes, reach, slidePlaces: createSlidePlaces(input.catalog) };
}
