import { ViewerError } from '../../shared/contract/errors.ts';
import {
  LAYER_NAMES,
  LAYER_OBJECTS,
  type LayerName,
  type PacketKind,
  RT_DOSE_STORAGE,
} from '../../shared/contract/layers.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { checkFrame } from '../pixels/frames.ts';
import type { Wanted } from '../pixels/keptWork.ts';
import { checkLayerObject } from './checkLayerObject.ts';
import { createFieldLayers } from './field/fieldLayers.ts';
import { createLayerFiles, findLayerName, type LayerFiles } from './layerFiles.ts';
import type {
  DescribeOptions,
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayersInput,
  LayerTarget,
  PlaneTarget,
  WrittenPacket,
} from './layerProvider.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference, unavailable } from './placement.ts';
import { createSegmentationLayers } from './segmentation/segmentationLayers.ts';
import { createStructureSetLayers } from './structureSet/structureSetLayers.ts';

/** The registry: everything that lies over images, one provider for each sort of object. */
function createProviders(input: LayersInput, files: LayerFiles) {
  return {
    segmentation: createSegmentationLayers(input),
    structureSet: createStructureSetLayers({ ...input, files }),
    field: createFieldLayers({ ...input, files }),
  } satisfies { readonly [Name in LayerName]: LayerProvider };
}

export type Layers = ReturnType<typeof createProviders> & {
  /** The file of the layer with this number. Throws `layer_not_found`. */
  fileOf(layer: number): DicomFile;
  describe(layer: number, options?: LayerOptions): Promise<DescribedLayer>;
  /** The layers over the stack of a frame, and those of its study that cannot lie there. */
  list(target: LayerTarget, options?: LayerOptions): Promise<readonly LayerOverStack[]>;
  /** The packet of a file's layer over a target. */
  packet(file: DicomFile, target: LayerTarget, wanted?: Wanted): Promise<WrittenPacket>;
  /** The same for a file that may have no layer of this kind, which throws `bad_request`. */
  packetOfKind(file: DicomFile, kind: PacketKind, target: LayerTarget, wanted?: Wanted): Promise<WrittenPacket>;
  /** The packet of a file's layer over a plane. Throws `bad_request` if it has no layer. */
  planePacket(file: DicomFile, target: PlaneTarget, wanted?: Wanted): Promise<WrittenPacket>;
};

export type DescribedLayer = {
  readonly file: DicomFile;
  readonly name: LayerName;
  readonly description: LayerDescription;
};

export type LayerOverStack = DescribedLayer & {
  /** Over this stack. */
  readonly placement: LayerPlacement;
  readonly touchesFrame: boolean;
  /** Number of frames of the stack that it touches. */
  readonly frameCount: number;
};

export function createLayers(input: LayersInput): Layers {
  const { catalog, series } = input;
  const files = createLayerFiles(catalog);
  const providers = createProviders(input, files);

  async function describeFile(file: DicomFile, name: LayerName, options: DescribeOptions): Promise<DescribedLayer> {
    return { file, name, description: await providers[name].describe(file, options) };
  }

  /** The first file of each other stack in the frame of reference of a target. */
  async function listFields({ file }: LayerTarget, own: StackFrames): Promise<readonly DicomFile[]> {
    if (file.frameOfReferenceUid === undefined) return [];
    const left = new Map<number, DicomFile>();
    for (const image of await files.imagesIn(file.frameOfReferenceUid)) {
      const name = findLayerName(image);
      const isField = name !== undefined && LAYER_OBJECTS[name].isImage;
      if (!own.has(image.index) && isField) left.set(image.index, image);
    }
    const fields: DicomFile[] = [];
    for (const image of left.values()) {
      if (fields.length === MOST_FIELDS) break;
      const stack = await series.findStack(image.index);
      const ofStack = stack === undefined || !('fileIndices' in stack) ? [image.index] : [...stack.fileIndices];
      const first = catalog.files[ofStack[0] ?? image.index];
      for (const index of ofStack) left.delete(index);
      left.delete(image.index);
      if (first !== undefined) fields.push(first);
    }
    return fields;
  }

  function fileOf(layer: number): DicomFile {
    const file = catalog.files[layer];
    if (file === undefined || findLayerName(file) === undefined) {
      throw new ViewerError('layer_not_found', `there is no layer ${layer}`);
    }
    return file;
  }

  async function packetOf(name: LayerName, file: DicomFile, target: LayerTarget, wanted: Wanted) {
    const placed = await providers[name].place(file, target, wanted);
    return placed.packet(wanted);
  }

  return {
    ...providers,
    fileOf,
    async describe(layer, options = {}) {
      const file = fileOf(layer);
      return describeFile(file, checkLayerObject(file, LAYER_NAMES), options);
    },
    async list(target, options = {}) {
      checkFrame(target.file, target.frame);
      const stack = await findStackFrames(series, target);
      const found: LayerOverStack[] = [];
      for (const file of await files.withLayer()) {
        const name = findLayerName(file);
        if (name === undefined || file.index === target.file.index || !mayConcern(file, target.file)) continue;
        const layer = await describeFile(file, name, options).catch((error: unknown) => failedLayer(file, name, error));
        found.push({ ...layer, ...judgeOver(layer.description, target, stack) });
      }
      for (const file of await listFields(target, stack)) {
        const layer = await describeFile(file, 'field', { ...options, isBrief: true }).catch((error: unknown) =>
          failedLayer(file, 'field', error),
        );
        const over = { ...layer, ...judgeOver(layer.description, target, stack) };
        // Any stack may be asked for, so those that are no volumes are not worth a line; a dose or a map is.
        if (isPlaced(over.placement) || file.objectKind === 'parametric_map' || file.sopClassUid === RT_DOSE_STORAGE) {
          found.push(over);
        }
      }
      return found;
    },
    async packet(file, target, wanted = {}) {
      return packetOf(checkLayerObject(file, LAYER_NAMES), file, target, wanted);
    },
    async packetOfKind(file, kind, target, wanted = {}) {
      const ofKind = LAYER_NAMES.filter((name) => LAYER_OBJECTS[name].kind === kind);
      return packetOf(checkLayerObject(file, ofKind), file, target, wanted);
    },
    async planePacket(file, target, wanted = {}) {
      const placed = await providers[checkLayerObject(file, LAYER_NAMES)].placeOnPlane(file, target, wanted);
      return placed.packet(wanted);
    },
  };
}

/** More stacks in one frame of reference are not offered. */
const MOST_FIELDS = 64;

/** The frames (from 0) of a stack, by file. */
type StackFrames = ReadonlyMap<number, ReadonlySet<number>>;

async function findStackFrames(
  { findStack }: LayersInput['series'],
  { file, frame }: LayerTarget,
): Promise<StackFrames> {
  const stack = await findStack(file.index, frame);
  const frames = new Map<number, Set<number>>([[file.index, new Set([frame])]]);
  if (stack === undefined || !('fileIndices' in stack)) return frames;
  for (const [at, index] of stack.fileIndices.entries()) {
    const known = frames.get(index);
    if (known === undefined) frames.set(index, new Set([stack.frameIndices[at]!]));
    else known.add(stack.frameIndices[at]!);
  }
  return frames;
}

/** Layers of the same study are listed even if they cannot lie there, with the reason. */
function mayConcern(layer: DicomFile, image: DicomFile): boolean {
  const hasSameSpace =
    layer.frameOfReferenceUid !== undefined && layer.frameOfReferenceUid === image.frameOfReferenceUid;
  return layer.studyInstanceUid === image.studyInstanceUid || hasSameSpace;
}

function judgeOver(
  { targets, placement, frameOfReferenceUids }: LayerDescription,
  { file, frame }: LayerTarget,
  stack: StackFrames,
): Omit<LayerOverStack, keyof DescribedLayer> {
  let frameCount = 0;
  let touchesFrame = false;
  for (const target of targets) {
    const ofStack = stack.get(target.file.index);
    if (ofStack !== undefined) frameCount += target.frames.filter((one) => ofStack.has(one)).length;
    if (target.file.index === file.index) touchesFrame ||= target.frames.includes(frame);
  }
  if (frameCount > 0 || !isPlaced(placement)) return { placement, touchesFrame, frameCount };
  const own = frameOfReferenceUids.find((uid) => uid === file.frameOfReferenceUid) ?? frameOfReferenceUids[0];
  const inSpace = placeInFrameOfReference(own, file.frameOfReferenceUid);
  const nowhere = isPlaced(inSpace) ? unavailable('none of its parts reaches these images') : inSpace;
  return { placement: nowhere, touchesFrame, frameCount };
}

/** A layer that cannot be read is listed with the reason; it does not hide the others. */
function failedLayer(file: DicomFile, name: LayerName, error: unknown): DescribedLayer {
  if (!(error instanceof ViewerError) || error.code === 'decode_busy') throw error;
  const placement = unavailable(error.message);
  const nothing = { parts: [], targets: [], frameOfReferenceUids: [], unplaced: [], warnings: [] };
  return { file, name, description: { ...nothing, placement } };
}
