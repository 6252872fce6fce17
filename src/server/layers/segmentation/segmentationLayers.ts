import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { createKeptWork } from '../../pixels/keptWork.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import type { LayerFiles } from '../layerFiles.ts';
import { findSlidePlane, isSlide } from '../slidePlaces.ts';
import type { LayerOptions, LayerProvider, LayersInput } from '../layerProvider.ts';
import { createMaskCutter, type LoadedMasks } from './maskCutter.ts';
import { createMaskPlacer } from './maskPlacer.ts';
import type { SegmentationContext } from './segmentationContext.ts';
import { createSegmentations, type OverlayPicture } from './segmentations.ts';
import { type SegmentationSummary, summarizeSegmentation } from './segmentationSummary.ts';
import type { PackedMaskLayers } from './segmentationTasks.ts';
import { createSlideMasks } from './slideMasks.ts';
import { createSegmentCounter, type SegmentationStatistics } from './segmentStatistics.ts';

/** Segmentations over the images that they were made from, and what the specification asks about them. */
export interface SegmentationLayers extends LayerProvider<SegmentationSummary> {
  describe(file: DicomFile, options?: LayerOptions): Promise<SegmentationSummary>;
  /** Every frame with its source; undefined if the file is not a segmentation. */
  context(file: DicomFile, options?: LayerOptions): Promise<SegmentationContext | NoContext | undefined>;
  /** One frame (from 0) as a picture over its source frame. */
  overlay(file: DicomFile, frame: number, options?: LayerOptions): Promise<OverlayPicture>;
  statistics(file: DicomFile, options?: LayerOptions): Promise<SegmentationStatistics>;
  /** All masks, for measurements in other objects. */
  masks(file: DicomFile, options: LayerOptions): Promise<LoadedMasks>;
}

type NoContext = { readonly kind: 'not_applicable'; readonly reason: string };

export function createSegmentationLayers(input: LayersInput & { readonly files: LayerFiles }): SegmentationLayers {
  const segmentations = createSegmentations(input);
  const packets = createKeptWork<PackedMaskLayers>({
    cache: input.memory.cache('masks'),
    bytesOf: ({ bytes }) => bytes.length,
  });
  const placeMasks = createMaskPlacer({ ...input, segmentations, packets });
  const cutter = createMaskCutter({ ...input, segmentations, packets });
  const findSlideMasks = createSlideMasks({ ...input, segmentations, packets });
  const countSegments = createSegmentCounter({ ...input, segmentations });

  return {
    async describe(file, options = {}) {
      check(file);
      const segmentation = await segmentations.map(file, options);
      const { space, frameOfReferenceUid } = segmentation.record.frames.geometry;
      const isOnSlide = space === 'slide' && frameOfReferenceUid !== undefined;
      const images = isOnSlide ? await input.files.imagesIn(frameOfReferenceUid) : [];
      const slides = images.filter((image) => isSlide(image) && findSlidePlane(image) !== undefined);
      return { ...summarizeSegmentation(file, segmentation), slides };
    },
    async place(file, target, options) {
      check(file);
      return placeMasks(file, target, options);
    },
    async placeOnPlane(file, target, options) {
      check(file);
      return cutter.cut(file, target, options);
    },
    async masks(file, options) {
      check(file);
      return cutter.load(file, options);
    },
    async placeOnSlide(file, target, options) {
      check(file);
      return findSlideMasks(file, target, options);
    },
    async context(file, options = {}) {
      if (!LAYER_OBJECTS.segmentation.matches(file)) return undefined;
      if (!file.hasPixels) return { kind: 'not_applicable', reason: 'the segmentation has no pixels' };
      if (file.frameCount === 0) return { kind: 'not_applicable', reason: 'the segmentation has no complete frame' };
      return segmentations.read(file, options);
    },
    async overlay(file, frame, options = {}) {
      check(file);
      return segmentations.overlay(file, frame, options);
    },
    async statistics(file, options = {}) {
      check(file);
      return countSegments(file, options);
    },
  };
}

function check(file: DicomFile): void {
  checkLayerObject(file, ['segmentation']);
}
