import { mappingUnavailable, ViewerError } from '../../../shared/contract/errors.ts';
import { LAYER_OBJECTS, type LayerName, RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import { type LayerRef, numberOfLayer } from '../../../shared/layerRef.ts';
import { titleOfLayer } from '../../../shared/layerTitle.ts';
import { nameSpace } from '../../../shared/spaceName.ts';
import type { Attachment } from '../../images/attachments/attachments.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { checkFrame } from '../../images/pixels/frames.ts';
import type { Wanted } from '../../images/pixels/keptWork.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import { createTimeLimit, SYSTEM_CLOCK } from '../../machine/workers/timeLimit.ts';
import { createAttachmentLayers, nameAttachment } from './attachment/attachmentLayers.ts';
import { createDoseHistograms, type DoseHistograms } from './dvh/dvhs.ts';
import { createFieldLayers } from './field/fieldLayers.ts';
import { readFiducialsTask } from './fiducials/fiducialTasks.ts';
import { createRegionLayers } from './graphics/regionLayers.ts';
import { createLayerContext, type LayerContext } from './layerContext.ts';
import { findLayerName } from './layerFiles.ts';
import type {
  DescribeOptions,
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayersInput,
  LayerSpace,
  LayerTarget,
  OwnSlices,
  PlacedLayer,
  PlaneTarget,
  SlideTarget,
  WrittenPacket,
} from './layerProvider.ts';
import { isOriginFailure } from '../../machine/workers/passingFailure.ts';
import { createPlacement, isPlaced, type LayerPlacement, placeInFrameOfReference, unavailable } from './placement.ts';
import type { RegistrationGraph } from './registrationGraph.ts';
import type { Registrations } from './registrations.ts';
import { readReportTask } from './report/reportTasks.ts';
import { createSegmentationLayers } from './segmentation/segmentationLayers.ts';
import { createSlideAnnotationLayers } from './slideAnnotations/slideAnnotationLayers.ts';
import { readSpectroscopyTask } from './spectroscopy/spectroscopyTasks.ts';
import { createStructureSetLayers } from './structureSet/structureSetLayers.ts';

/** The objects whose layer is that of a DICOM file. */
type FileLayerName = Exclude<LayerName, 'attachment'>;

/** The registry: everything that lies over images, one provider for each sort of object. */
function createProviders(context: LayerContext) {
  const createRegions = createRegionLayers(context);
  return {
    segmentation: createSegmentationLayers(context),
    structureSet: createStructureSetLayers(context),
    field: createFieldLayers(context),
    report: createRegions('report', readReportTask),
    fiducials: createRegions('fiducials', readFiducialsTask),
    spectroscopy: createRegions('spectroscopy', readSpectroscopyTask),
    slideAnnotations: createSlideAnnotationLayers(context),
    attachment: createAttachmentLayers(context),
  } satisfies { readonly [Name in FileLayerName]: LayerProvider } & { readonly attachment: object };
}

export type Layers = ReturnType<typeof createProviders> & {
  readonly registrations: Registrations;
  describe(layer: LayerRef, options: LayerOptions): Promise<DescribedLayer>;
  /** The frame on which a layer has most; undefined if it is empty. Throws `layer_not_found`. */
  findFullest(layer: LayerRef, options: LayerOptions): Promise<LayerTarget | undefined>;
  /** The layers over the stack of a frame, and those of its study that cannot lie there. */
  list(target: LayerTarget, options: LayerListOptions): Promise<readonly LayerOverStack[]>;
  /** The packet of a layer over a target. Throws `layer_not_found`. */
  packet(layer: LayerRef, target: LayerTarget, wanted: Wanted): Promise<WrittenPacket>;
  /** The packet of a layer over a plane. Throws `layer_not_found`. */
  packetOnPlane(layer: LayerRef, target: PlaneTarget, wanted: Wanted): Promise<WrittenPacket>;
  /** The dose in the volumes that the layer of a file encloses. */
  readonly doseHistograms: DoseHistograms;
  /** The slices of a layer that has a grid of its own. Throws `layer_not_found`. */
  ownSlices(layer: LayerRef, options: LayerOptions): Promise<OwnSlices>;
  /** The packet of a layer on a part of a slide. Throws `layer_not_found`. */
  packetOnSlide(layer: LayerRef, target: SlideTarget, wanted: Wanted): Promise<WrittenPacket>;
};

export type LayerListOptions = LayerOptions & {
  /** Leaves out other volumes, of which each has to be described. */
  readonly withoutFields?: boolean;
};

/** What a layer comes from, and how it is called. */
export type IdentifiedLayer = {
  readonly layer: LayerRef;
  /** Undefined for an attachment. */
  readonly file: DicomFile | undefined;
  readonly name: LayerName;
  readonly title: string;
};

export type DescribedLayer = IdentifiedLayer & { readonly description: LayerDescription };

export type LayerOverStack = DescribedLayer & {
  /** Over this stack. */
  readonly placement: LayerPlacement;
  readonly touchesFrame: boolean;
  /** Number of frames of the stack that it touches. */
  readonly frameCount: number;
};

/** A layer with what its provider does for it: what the object is need not matter. */
type LayerSource = IdentifiedLayer & {
  readonly describe: (options: DescribeOptions) => Promise<LayerDescription>;
  readonly findFullest: ((options: LayerOptions) => Promise<LayerTarget | undefined>) | undefined;
  readonly place: (target: LayerTarget, options: LayerOptions) => Promise<PlacedLayer>;
  readonly placeOnPlane: (target: PlaneTarget, options: LayerOptions) => Promise<PlacedLayer>;
  readonly placeOnSlide: ((target: SlideTarget, options: LayerOptions) => Promise<PlacedLayer>) | undefined;
  readonly ownSlices: ((options: LayerOptions) => Promise<OwnSlices>) | undefined;
  readonly combinesDoses: boolean;
};

function bind<Source>(provider: LayerProvider<Source>, source: Source): Omit<LayerSource, keyof IdentifiedLayer> {
  return {
    describe: (options) => provider.describe(source, options),
    findFullest: provider.findFullest && ((options) => provider.findFullest!(source, options)),
    place: (target, options) => provider.place(source, target, options),
    placeOnPlane: (target, options) => provider.placeOnPlane(source, target, options),
    placeOnSlide: provider.placeOnSlide && ((target, options) => provider.placeOnSlide!(source, target, options)),
    ownSlices: provider.ownSlices && ((options) => provider.ownSlices!(source, options)),
    combinesDoses: provider.combinesDoses === true,
  };
}

export function createLayers(input: LayersInput): Layers {
  const { catalog, series, clock = SYSTEM_CLOCK } = input;
  const context = createLayerContext(input);
  const { files, registrations } = context;
  const providers = createProviders(context);

  /** The fields over stacks, by registrations: finding them takes as many looks at stacks as there are fields. */
  const knownFields = new WeakMap<RegistrationGraph, Map<string, readonly DicomFile[]>>();

  /** The first file of each other stack in the frame of reference of a target, or registered with it. */
  async function listFields(
    { file }: LayerTarget,
    { frames, key }: FoundFrames,
    graph: RegistrationGraph,
    options: LayerOptions,
  ): Promise<readonly DicomFile[]> {
    if (file.frameOfReferenceUid === undefined) return [];
    const ofGraph = knownFields.get(graph) ?? new Map<string, readonly DicomFile[]>();
    knownFields.set(graph, ofGraph);
    const place = `${series.version()} ${file.frameOfReferenceUid} ${key}`;
    const known = ofGraph.get(place);
    if (known !== undefined) return known;
    const fields = await findFields(file.frameOfReferenceUid, frames, graph, options);
    const [oldest] = ofGraph.keys();
    if (ofGraph.size >= MOST_KNOWN_STACKS && oldest !== undefined) ofGraph.delete(oldest);
    if (key !== undefined) ofGraph.set(place, fields);
    return fields;
  }

  async function findFields(
    own: string,
    frames: StackFrames,
    graph: RegistrationGraph,
    { signal }: LayerOptions,
  ): Promise<readonly DicomFile[]> {
    const left = new Map<number, DicomFile>();
    for (const space of [own, ...graph.listReachable(own)]) {
      await doInTurns(addOthers(await files.fieldsIn(space), frames, left), signal);
    }
    const fields: DicomFile[] = [];
    for (const image of left.values()) {
      if (fields.length === MOST_FIELDS) break;
      if (catalog.gone.files.has(image.index)) continue;
      const stack = await series.findStack(image.index);
      const ofStack = stack === undefined || !('fileIndices' in stack) ? [image.index] : [...stack.fileIndices];
      const first = catalog.files[ofStack[0] ?? image.index];
      for (const index of ofStack) left.delete(index);
      left.delete(image.index);
      if (first !== undefined) fields.push(first);
    }
    return fields;
  }

  const ofFile = (file: DicomFile, name: FileLayerName): LayerSource => ({
    layer: { file: file.index },
    file,
    name,
    title: titleOfLayer(file),
    ...bind(providers[name], file),
  });

  const ofAttachment = (attachment: Attachment): LayerSource => ({
    layer: { attachment: attachment.number },
    file: undefined,
    name: 'attachment',
    title: nameAttachment(attachment),
    ...bind(providers.attachment, attachment),
  });

  async function findSource(layer: LayerRef, options: LayerOptions): Promise<LayerSource> {
    if ('file' in layer) {
      const file = catalog.files[layer.file];
      const name = file && findLayerName(file);
      if (file !== undefined && name !== undefined) return ofFile(file, toFileName(name));
    } else {
      const attachment = (await providers.attachment.list(options))[layer.attachment];
      if (attachment !== undefined) return ofAttachment(attachment);
    }
    throw new ViewerError('layer_not_found', `there is no layer ${numberOfLayer(layer)}`);
  }

  async function describeSource(source: LayerSource, options: DescribeOptions): Promise<DescribedLayer> {
    const description = await source.describe(options);
    const problem = registrations.findProblem(description.frameOfReferenceUids);
    return { ...identify(source), description: addUnused(addSlides(description), problem) };
  }

  /** What may lie over a target, which need not have been read. */
  async function findSources(target: LayerTarget, options: LayerListOptions) {
    const found = await findStackFrames(series, target);
    const graph = await registrations.load(options);
    const sources = await listSources(target, graph, options);
    const others = options.withoutFields ? [] : await listFields(target, found, graph, options);
    const fields = others.map((file) => ofFile(file, 'field'));
    return { stack: found.frames, graph, sources, fields };
  }

  async function listSources(
    target: LayerTarget,
    graph: RegistrationGraph,
    options: LayerOptions,
  ): Promise<readonly LayerSource[]> {
    const found: LayerSource[] = [];
    for (const file of await files.withLayer()) {
      const name = findLayerName(file);
      if (name === undefined || file.index === target.file.index || catalog.gone.files.has(file.index)) continue;
      if (!mayConcern(file, target.file) && !mayBeRegistered(file, target.file, graph)) continue;
      found.push(ofFile(file, toFileName(name)));
    }
    for (const attachment of await providers.attachment.list(options)) {
      if (await providers.attachment.concerns(attachment, target, options)) found.push(ofAttachment(attachment));
    }
    return found;
  }

  return {
    ...providers,
    doseHistograms: createDoseHistograms({ ...context, ...providers }),
    registrations,
    async describe(layer, options) {
      return describeSource(await findSource(layer, options), options);
    },
    async findFullest(layer, options) {
      const source = await findSource(layer, options);
      const { fullest } = await source.describe(options);
      return fullest ?? (await source.findFullest?.(options));
    },
    async list(target, options) {
      checkFrame(target.file, target.frame);
      const beganMs = clock.nowMs();
      const found = await createTimeLimit(FINDING_MS, clock, options.signal).wait(() => findSources(target, options));
      if (found === undefined) {
        throw new ViewerError(
          'decode_busy',
          'the series and registrations are still being read; try again in a moment',
        );
      }
      const { stack, graph, sources, fields } = found;
      const leftMs = LISTING_MS - (clock.nowMs() - beganMs);
      const limit = createTimeLimit(Math.max(leftMs, LEAST_LISTING_MS), clock);
      /** Layers whose files could not be read, so that nothing is known about where they lie. */
      const unreached = new Set<LayerRef>();
      const judge = async (source: LayerSource, how: DescribeOptions): Promise<LayerOverStack> => {
        const layer = await limit.wait(() =>
          describeSource(source, how).catch((error: unknown) => {
            if (isOriginFailure(error)) unreached.add(source.layer);
            return failedLayer(source, error);
          }),
        );
        const { description, ...known } = layer ?? unusableLayer(source, UNREAD);
        return { ...known, description, ...judgeOver(description, target, stack, graph) };
      };
      const over = await mapInLanes([...sources, ...fields], (source, at) =>
        judge(source, at < sources.length ? options : { ...options, isBrief: true, within: stack }),
      );
      return over.filter(({ layer, placement, frameCount, file }, at) => {
        if (unreached.has(layer)) return true;
        if (at < sources.length) {
          // One of another study is worth a line only if a registration puts it here.
          return file === undefined || mayConcern(file, target.file) || frameCount > 0;
        }
        // Any stack may be asked for, so those that are no volumes are not worth a line; a dose or a map is.
        const isExpected = file?.objectKind === 'parametric_map' || file?.sopClassUid === RT_DOSE_STORAGE;
        return isPlaced(placement) || isExpected || placement.reason === UNREAD;
      });
    },
    async packet(layer, target, wanted) {
      const source = requireAddable(await findSource(layer, wanted), target);
      return (await source.place(target, wanted)).packet(wanted);
    },
    async packetOnPlane(layer, target, wanted) {
      const source = requireAddable(await findSource(layer, wanted), target);
      return (await source.placeOnPlane(target, wanted)).packet(wanted);
    },
    async ownSlices(layer, options) {
      const source = await findSource(layer, options);
      if (source.ownSlices === undefined) throw mappingUnavailable(`a ${nounOf(source)} has no grid of its own`);
      return source.ownSlices(options);
    },
    async packetOnSlide(layer, target, wanted) {
      const source = await findSource(layer, wanted);
      if (source.placeOnSlide === undefined) throw mappingUnavailable('such layers do not lie on slides');
      return (await source.placeOnSlide(target, wanted)).packet(wanted);
    },
  };
}

/** Stacks and registrations are read first; if that takes longer, the client has to ask again. */
const FINDING_MS = 6_000;
/**
 * After this, or two seconds for the layers themselves, those that have not been read are listed as such. What has been
 * read is kept for the next list.
 */
const LISTING_MS = 8_000;
const LEAST_LISTING_MS = 2_000;
const UNREAD = 'reading all layers of the study takes long, and this one has not been read yet; try again';

/** More stacks in one frame of reference are not offered. */
const MOST_FIELDS = 64;
/** Stacks whose fields are remembered: a few addresses each. */
const MOST_KNOWN_STACKS = 64;

function isFileName(name: LayerName): name is FileLayerName {
  const attachment: Exclude<LayerName, FileLayerName> = 'attachment';
  return name !== attachment;
}

function toFileName(name: LayerName): FileLayerName {
  if (!isFileName(name)) throw new Error('no file is an attachment');
  return name;
}

/** A slide is one picture, whose first frame stands for it. */
function addSlides(description: LayerDescription): LayerDescription {
  const { slides = [], targets, placement } = description;
  const known = new Set(targets.map(({ file }) => file.index));
  const others = slides.filter(({ index }) => !known.has(index));
  if (others.length === 0) return description;
  return {
    ...description,
    targets: [...targets, ...others.map((file) => ({ file, frames: [0] }))],
    placement: isPlaced(placement)
      ? placement
      : createPlacement('direct', 'the slide and the layer have the same frame of reference'),
  };
}

/** Says that registrations may put the layer over more images, if they were followed. */
function addUnused(description: LayerDescription, problem: string | undefined): LayerDescription {
  if (problem === undefined) return description;
  const warning = { code: 'registrations_unused', message: `registrations are not used: ${problem}` };
  return { ...description, warnings: [...description.warnings, warning] };
}

function identify({ layer, file, name, title }: LayerSource): IdentifiedLayer {
  return { layer, file, name, title };
}

function nounOf({ name }: Pick<LayerSource, 'name'>): string {
  return LAYER_OBJECTS[name].noun;
}

function requireAddable<Source extends LayerSource>(
  source: Source,
  { added = [] }: Pick<LayerTarget, 'added'>,
): Source {
  if (added.length === 0 || source.combinesDoses) return source;
  throw new ViewerError('bad_request', `only doses are combined, and this layer is a ${nounOf(source)}`);
}

/** The frames (from 0) of a stack, by file. */
type StackFrames = ReadonlyMap<number, ReadonlySet<number>>;

/** `key`: the same for the same stack; undefined if the frame is in none that is known whole. */
type FoundFrames = { readonly frames: StackFrames; readonly key: string | undefined };

async function findStackFrames(
  { findStack }: LayersInput['series'],
  { file, frame }: LayerTarget,
): Promise<FoundFrames> {
  const stack = await findStack(file.index, frame);
  const frames = new Map<number, Set<number>>([[file.index, new Set([frame])]]);
  if (stack === undefined || !('fileIndices' in stack)) return { frames, key: undefined };
  for (const [at, index] of stack.fileIndices.entries()) {
    const known = frames.get(index);
    if (known === undefined) frames.set(index, new Set([stack.frameIndices[at]!]));
    else known.add(stack.frameIndices[at]!);
  }
  return { frames, key: stack.isPending ? undefined : stack.key };
}

/** Adds the files that have no frame in a stack, by index. */
function* addOthers(
  files: readonly DicomFile[],
  stack: StackFrames,
  others: Map<number, DicomFile>,
): WorkInTurns<void> {
  for (const file of files) {
    yield;
    if (!stack.has(file.index)) others.set(file.index, file);
  }
}

/** Layers of the same study are listed even if they cannot lie there, with the reason. */
function mayConcern(layer: DicomFile, image: DicomFile): boolean {
  const hasSameSpace =
    layer.frameOfReferenceUid !== undefined && layer.frameOfReferenceUid === image.frameOfReferenceUid;
  return layer.studyInstanceUid === image.studyInstanceUid || hasSameSpace;
}

/** Objects of the same patient in different studies are often registered. */
function mayBeRegistered(layer: DicomFile, image: DicomFile, graph: RegistrationGraph): boolean {
  const { frameOfReferenceUid: uid } = image;
  return layer.patientId === image.patientId && uid !== undefined && graph.listReachable(uid).length > 0;
}

/** The frames of reference that a layer lies in. */
export function listSpaces({ spaces, frameOfReferenceUids }: LayerDescription): readonly LayerSpace[] {
  if (spaces !== undefined) return spaces;
  return frameOfReferenceUids.map((uid) => ({
    frameOfReferenceUid: uid,
    placement: placeInFrameOfReference(uid, uid),
  }));
}

function judgeOver(
  description: LayerDescription,
  { file, frame }: LayerTarget,
  stack: StackFrames,
  graph: RegistrationGraph,
): Omit<LayerOverStack, keyof DescribedLayer> {
  const { targets, placement, frameOfReferenceUids } = description;
  let frameCount = 0;
  let touchesFrame = false;
  for (const reached of targets) {
    const ofStack = stack.get(reached.file.index);
    if (ofStack !== undefined) frameCount += reached.frames.filter((one) => ofStack.has(one)).length;
    if (reached.file.index === file.index) touchesFrame ||= reached.frames.includes(frame);
  }
  const target = nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
  const space = listSpaces(description).find(({ frameOfReferenceUid: uid }) => uid === target);
  // How it gets over this stack, which need not be how it gets over others.
  if (frameCount > 0 && space?.placement.steps !== undefined) {
    return { placement: space.placement, touchesFrame, frameCount };
  }
  if (frameCount > 0) return { placement, touchesFrame, frameCount };
  const own = frameOfReferenceUids.find((uid) => uid === target) ?? frameOfReferenceUids[0];
  const inSpace = placeInFrameOfReference(own, target, graph);
  // Where it would lie is not known without the registrations, whatever else keeps it from other images.
  const isUnknown =
    own !== undefined && target !== undefined && own !== target && graph.findProblem(own, target) !== undefined;
  if (inSpace.status !== 'ambiguous' && !isUnknown && !isPlaced(placement)) {
    return { placement, touchesFrame, frameCount };
  }
  const nowhere = isPlaced(inSpace) ? unavailable('none of its parts reaches these images') : inSpace;
  return { placement: nowhere, touchesFrame, frameCount };
}

/** A layer that cannot be read is listed with the reason; it does not hide the others. */
function failedLayer(source: LayerSource, error: unknown): DescribedLayer {
  if (!(error instanceof ViewerError) || error.code === 'decode_busy') throw error;
  return unusableLayer(source, error.message);
}

function unusableLayer(source: LayerSource, reason: string): DescribedLayer {
  const placement = unavailable(reason);
  const nothing = { parts: [], targets: [], frameOfReferenceUids: [], unplaced: [], warnings: [] };
  return { ...identify(source), description: { ...nothing, placement } };
}
