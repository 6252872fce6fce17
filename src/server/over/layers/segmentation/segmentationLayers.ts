import { LAYER_OBJECTS } from '../../../../shared/contract/layers.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { checkFrame } from '../../../images/pixels/frames.ts';
import { createKeptWork } from '../../../images/pixels/keptWork.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerOptions, LayerProvider, LayerTarget, PlaneTarget } from '../layerProvider.ts';
import { placeInFrameOfReference } from '../placement.ts';
import { createMaskCutter, type LoadedMasks } from './maskCutter.ts';
import { createMaskPacker } from './maskPacker.ts';
import { createMaskPlacer } from './maskPlacer.ts';
import type { SegmentationContext } from './segmentationContext.ts';
import { createSegmentations, type OverlayPicture } from './segmentations.ts';
import { type SegmentationSummary, summarizeSegmentation } from './segmentationSummary.ts';
import type { PackedMaskLayers } from './segmentationTasks.ts';
import { createSlideMasks } from './slideMasks.ts';
import { createSegmentCounter, type SegmentationStatistics } from './segmentStatistics.ts';

/** Segmentations over the images that they were made from, and what the specification asks about them. */
export interface SegmentationLayers extends LayerProvider<DicomFile, SegmentationSummary> {
  describe(file: DicomFile, options: LayerOptions): Promise<SegmentationSummary>;
  /** Every frame with its source; undefined if the file is not a segmentation. */
  context(file: DicomFile, options: LayerOptions): Promise<SegmentationContext | NoContext | undefined>;
  /** One frame (from 0) as a picture over its source frame. */
  overlay(file: DicomFile, frame: number, options: LayerOptions): Promise<OverlayPicture>;
  statistics(file: DicomFile, options: LayerOptions): Promise<SegmentationStatistics>;
  /** All masks, for measurements in other objects. */
  masks(file: DicomFile, options: LayerOptions): Promise<LoadedMasks>;
}

type NoContext = { readonly kind: 'not_applicable'; readonly reason: string };

export function createSegmentationLayers(input: LayerContext): SegmentationLayers {
  const { registrations, imagePlanes, reach } = input;
  const segmentations = createSegmentations(input);
  const packets = createKeptWork<PackedMaskLayers>({
    cache: input.memory.cache('masks'),
    bytesOf: ({ bytes }) => bytes.length,
  });
  const pack = createMaskPacker({ tasks: input.tasks, packets });
  const placeMasks = createMaskPlacer({ ...input, segmentations, pack });
  const cutter = createMaskCutter({ ...input, segmentations, packets });
  const findSlideMasks = createSlideMasks({ ...input, segmentations, pack });
  const countSegments = createSegmentCounter({ ...input, segmentations });

  /** Adds the images of other frames of reference that registrations connect with it. */
  async function describeElsewhere(
    file: DicomFile,
    summary: SegmentationSummary,
    options: LayerOptions,
  ): Promise<SegmentationSummary> {
    const { frameOfReferenceUid: own } = file;
    if (own === undefined || (await registrations.load(options)).listReachable(own).length === 0) return summary;
    const tables = await cutter.tablesOf(file, options);
    const near = new Set(summary.targets.map((one) => one.file.index));
    const isLeftOut = (index: number) => near.has(index);
    const { targets, spaces, warnings } = await reach({ own, tables }, { ...options, isElsewhere: true, isLeftOut });
    return {
      ...summary,
      targets: [...summary.targets, ...targets],
      spaces: [
        ...summary.frameOfReferenceUids.map((uid) => ({
          frameOfReferenceUid: uid,
          placement: placeInFrameOfReference(uid, uid),
        })),
        ...spaces,
      ],
      warnings: [...summary.warnings, ...warnings],
    };
  }

  /** The plane of an image of another frame of reference; undefined for the images that it was made from. */
  async function findElsewhere(
    { frameOfReferenceUid: own }: DicomFile,
    target: LayerTarget,
    options: LayerOptions,
  ): Promise<PlaneTarget | undefined> {
    const { frameOfReferenceUid, rows, columns } = target.file;
    if (own === undefined || frameOfReferenceUid === undefined || own === frameOfReferenceUid) return undefined;
    const graph = await registrations.load(options);
    if (!graph.listReachable(own).includes(frameOfReferenceUid)) return undefined;
    const under = await imagePlanes.findPlane(target, options);
    return under && { frameOfReferenceUid, grid: { ...under.plane, rows, columns }, slabMm: 0 };
  }

  return {
    async describe(file, options) {
      check(file);
      const summary = summarizeSegmentation(await segmentations.map(file, options));
      return describeElsewhere(file, summary, options);
    },
    async findFullest(file, options) {
      check(file);
      const { fullest } = await countSegments(file, options);
      return fullest && { file: fullest.file, frame: fullest.frame };
    },
    async place(file, target, options) {
      check(file);
      checkFrame(target.file, target.frame);
      const elsewhere = await findElsewhere(file, target, options);
      return elsewhere === undefined ? placeMasks(file, target, options) : cutter.cut(file, elsewhere, options);
    },
    async placeOnPlane(file, target, options) {
      check(file);
      return cutter.cut(file, target, options);
    },
    async ownSlices(file, options) {
      check(file);
      return cutter.ownSlices(file, options);
    },
    async masks(file, options) {
      check(file);
      return cutter.load(file, options);
    },
    async placeOnSlide(file, target, options) {
      check(file);
      return findSlideMasks(file, target, options);
    },
    async context(file, options) {
      if (!LAYER_OBJECTS.segmentation.matches(file)) return undefined;
      if (!file.hasPixels) return { kind: 'not_applicable', reason: 'the segmentation has no pixels' };
      if (file.frameCount === 0) return { kind: 'not_applicable', reason: 'the segmentation has no complete frame' };
      return segmentations.read(file, options);
    },
    async overlay(file, frame, options) {
      check(file);
      return segmentations.overlay(file, frame, options);
    },
    async statistics(file, options) {
      check(file);
      return countSegments(file, options);
    },
  };
}

function check(file: DicomFile): void {
  checkLayerObject(file, ['segmentation']);
}
