import { mappingUnavailable, type ViewerError } from '../../../../shared/contract/errors.ts';
import { LAYER_OBJECTS, type LayerName } from '../../../../shared/contract/layers.ts';
import type { CachePart } from '../../../machine/memory/memoryAccount.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { CostFactors } from '../../../standard/dicom/readCost.ts';
import { type KnownSource, stateOf } from '../../../bytes/origins/origins.ts';
import { checkFrame } from '../../../images/pixels/frames.ts';
import type { Task } from '../../../machine/workers/task.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import type { KnownPlace } from '../knownPlace.ts';
import type { LayerContext } from '../layerContext.ts';
import type {
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayerTarget,
  PlacedLayer,
  PlaneTarget,
  SlideTarget,
} from '../layerProvider.ts';
import { isSlide } from '../slidePlaces.ts';

/** An object whose parts have coordinates, such as contours. What differs between the sorts of them. */
export interface SpatialObject<Content> {
  readonly name: LayerName;
  /** Reads the whole content, which is kept while its file is the same. */
  readonly readTask: Task<ReadSpatialInput, Content, CostFactors>;
  readonly bytesOf: (content: Content) => number;
  /** Content that needs more is refused, because what is not kept would be read again for every image. */
  readonly mostBytes: number;
  readonly refuseLarge: (mostBytes: number) => ViewerError;
  /** Where it can be drawn beside slides. */
  readonly isOnSlidesOnly: boolean;
  describe(opened: Opened<Content>, options: LayerOptions): Promise<LayerDescription>;
  /** Draws what it has over a target; throws the reason if that can be nothing. */
  draw(opened: Opened<Content>, target: SpatialTarget, options: LayerOptions): Promise<PlacedLayer>;
  /** The slide that it lies on, for a request that names none. */
  findSlide(opened: Opened<Content>): Promise<DicomFile | undefined>;
  /** Why it cannot be drawn on a file that is no slide, or on none. */
  readonly refuseSlide: (file: DicomFile | undefined) => ViewerError;
}

export type ReadSpatialInput = {
  readonly source: KnownSource;
  /** Content that needs more is refused. */
  readonly mostBytes: number;
};

/** The content of a file in one state. */
export type Opened<Content> = {
  readonly file: DicomFile;
  readonly state: string;
  readonly content: Content;
  /** Whether it was read before. */
  readonly cached: boolean;
};

/** What an object is drawn over. `parts` are those that are wanted; all if undefined. */
export type SpatialTarget = { readonly parts: readonly number[] | undefined } & (
  | { readonly kind: 'frame'; readonly frame: LayerTarget; readonly place: KnownPlace | undefined }
  | { readonly kind: 'plane'; readonly plane: PlaneTarget }
  | { readonly kind: 'slide'; readonly slide: DicomFile; readonly part: SlideTarget }
);

/** Opens the file of a layer. Throws `bad_request` if it is no such object. */
export type OpenSpatial<Content> = (file: DicomFile, options: LayerOptions) => Promise<Opened<Content>>;

export function createOpenSpatial<Content>(
  { tasks }: Pick<LayerContext, 'tasks'>,
  cache: CachePart<Content>,
  object: Pick<SpatialObject<Content>, 'name' | 'readTask' | 'bytesOf' | 'mostBytes' | 'refuseLarge'>,
): OpenSpatial<Content> {
  const { name, readTask, bytesOf, mostBytes, refuseLarge } = object;
  return async (file, { signal }) => {
    checkLayerObject(file, [name]);
    const state = await stateOf(file.source);
    const known = cache.get(state);
    if (known !== undefined) return { file, state, content: known, cached: true };
    const content = await tasks.run(
      readTask,
      { source: file.source, mostBytes },
      { of: file, shareKey: `${name} ${state}`, signal },
    );
    const bytes = bytesOf(content);
    if (bytes > mostBytes) throw refuseLarge(mostBytes);
    cache.set(state, content, bytes);
    return { file, state, content, cached: false };
  };
}

/** The layers of objects whose parts have coordinates. */
export function createSpatialLayers<Content>(
  { imagePlanes }: Pick<LayerContext, 'imagePlanes'>,
  open: OpenSpatial<Content>,
  object: SpatialObject<Content>,
): LayerProvider {
  const { noun } = LAYER_OBJECTS[object.name];
  const requireBesideSlides = (what: string) => {
    if (object.isOnSlidesOnly) throw mappingUnavailable(`a ${noun} lies over whole slides, and not over ${what}`);
  };
  return {
    async describe(file, options) {
      return object.describe(await open(file, options), options);
    },
    async place(file, target, options) {
      requireBesideSlides('single frames');
      const opened = await open(file, options);
      checkFrame(target.file, target.frame);
      await stateOf(target.file.source);
      const place = await imagePlanes.findPlane(target, options);
      return object.draw(opened, { kind: 'frame', frame: target, place, parts: target.parts }, options);
    },
    async placeOnPlane(file, plane, options) {
      requireBesideSlides('planes');
      return object.draw(await open(file, options), { kind: 'plane', plane, parts: undefined }, options);
    },
    async placeOnSlide(file, part, options) {
      const opened = await open(file, options);
      const slide = part.file ?? (await object.findSlide(opened));
      if (slide === undefined || !isSlide(slide)) throw object.refuseSlide(slide);
      await stateOf(slide.source);
      return object.draw(opened, { kind: 'slide', slide, part, parts: part.parts }, options);
    },
  };
}
