import type { DecodeCost } from '../../../images/pixels/frameTasks.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { readingTask } from '../../../standard/dicom/readCost.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { BridgeStep } from '../registrationTasks.ts';
import type { CroppedMasks } from './croppedMasks.ts';
import type { MaskTable, MaskTables } from './maskTables.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import type { SpatialGrid } from './resample.ts';
import type { SegmentationRecord } from './segmentationRecord.ts';

export type SegmentationInput = { readonly file: KnownSource; readonly frameCount: number };

export type MappingInput = {
  readonly segmentation: Pick<SegmentationRecord, 'rows' | 'columns' | 'frames'>;
  /** The open files that the segmentation references. */
  readonly sources: readonly SourceFile[];
};

export type FractionProbe = SegmentationInput;

/** The meaning of a segmentation's samples. */
export type SampleMeaning =
  | { readonly kind: 'mask' }
  | { readonly kind: 'fractions'; readonly maximum: number }
  | {
      readonly kind: 'labels';
      /** Labels that are not segments: background, padding. */
      readonly hidden: readonly number[];
    };

/** How the samples of a segmentation frame are turned into colors. */
export type OverlayPaint =
  | (Exclude<SampleMeaning, { kind: 'labels' }> & { readonly color: Rgb })
  | (Extract<SampleMeaning, { kind: 'labels' }> & {
      readonly colors: readonly (readonly [label: number, color: Rgb])[];
    });

export type OverlayInput = {
  /** The source frame. */
  readonly target: SpatialGrid;
  /** The segmentation frame. */
  readonly mask: SpatialGrid;
  readonly samples: Uint8Array | Uint16Array;
  readonly paint: OverlayPaint;
};

/** Frames of a segmentation that lie over one source frame. */
export type MasksInput = {
  readonly file: KnownSource;
  readonly meaning: SampleMeaning;
  /** Size of the source frame. */
  readonly rows: number;
  readonly columns: number;
  readonly frames: readonly MaskFrame[];
  /** Limit for all layers together; more is refused. */
  readonly mostLayerBytes: number;
};

export type MaskFrame = {
  readonly frame: number;
  readonly segment: number | undefined;
  readonly plane: ImagePlane | undefined;
  readonly sourcePlane: ImagePlane | undefined;
};

/** Frames to crop. */
export type CropInput = {
  readonly file: KnownSource;
  readonly meaning: SampleMeaning;
  readonly isWide: boolean;
  readonly frames: Uint32Array;
  /** Bytes that are left for them; more is refused. */
  readonly leftBytes: number;
  /** Bytes for all frames of the segmentation, for the message. */
  readonly mostBytes: number;
};

/** All frames of a segmentation. */
export type PlacedMasks = {
  readonly tables: readonly MaskTable[];
  readonly cropped: CroppedMasks;
  /** The segment of each frame; -1 for none. */
  readonly segments: Int32Array;
  readonly meaning: SampleMeaning;
  /** Of fractions: the value that means the whole sample. */
  readonly maximum: number | undefined;
};

/** A plane through them. */
export type CutMasksInput = PlacedMasks & {
  readonly grid: PlaneGrid;
  /** The way of the points of the plane into the segmentation, if registrations bend it; undefined if it is a plane there. */
  readonly steps?: readonly BridgeStep[] | undefined;
  readonly slabMm: number;
  /** Limit for all layers together; more is refused. */
  readonly mostLayerBytes: number;
};

/** Frames from `from` up to but not including `to`. */
export type CountInput = {
  readonly file: KnownSource;
  readonly meaning: SampleMeaning;
  readonly from: number;
  readonly to: number;
};

/** Amount of each label per frame, as columns; labels that do not occur in a frame are left out. */
export type SampleCounts = {
  readonly frames: Uint32Array;
  /** For label maps; otherwise 0. */
  readonly labels: Uint32Array;
  /** Number of samples, or the sum of their fractions. */
  readonly amounts: Float64Array;
  /** Frames that are truncated or damaged, so that not all of their samples are counted. */
  readonly damagedFrames: readonly number[];
};

/** All masks over one source frame. */
export type PackedMaskLayers = {
  /** In the format of `encodeMasks`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Damage of the segmentation frames from which they were drawn. */
  readonly damage: FrameDamage | undefined;
};

export type ProbedFractions = {
  /** Whether only 0 and 1 are stored, in the part that was examined. */
  readonly isMask: boolean;
  /** Number of frames that could not be examined completely, if they might have changed the result. */
  readonly damagedFrames: number;
};

const PER_FRAME_MS = 200;
/** What decoding frames takes, with what is made of them. */
const framesCost = (frames: number, { timeoutMs }: DecodeCost) => timeoutMs + frames * PER_FRAME_MS;
const allBytes = (_: unknown, { bytes }: DecodeCost) => bytes;

export const readSegmentationTask = readingTask<SegmentationInput, SegmentationRecord>('segmentation.read', 30_000);
/** Mapping opens every source file once, and reads those with several frames. */
export const mapSegmentationTask = defineTask<MappingInput, FrameMappings>('segmentation.map', {
  timeoutMs: 30_000,
  // Planes, their fits, and the lists in both directions.
  mostBytes: ({ segmentation, sources }) =>
    8 * MIB + 512 * sources.reduce((sum, { frameCount }) => sum + frameCount, segmentation.frames.length),
});
export const probeFractionsTask = defineTask<FractionProbe, ProbedFractions, DecodeCost>(
  'segmentation.probeFractions',
  {
    timeoutMs: 20_000,
    bytes: allBytes,
  },
);
export const paintOverlayTask = defineTask<OverlayInput, Uint8Array>('segmentation.paintOverlay', {
  timeoutMs: 20_000,
  bytes: 'reserved',
});
export const packMasksTask = defineTask<MasksInput, PackedMaskLayers, DecodeCost>('segmentation.packMasks', {
  timeoutMs: ({ frames }, of) => Math.min(120_000, framesCost(frames.length, of)),
  bytes: allBytes,
});
/** Frames of one task: few enough that other tasks get a turn in between. */
export const FRAMES_PER_TASK = 128;
export const countSamplesTask = defineTask<CountInput, SampleCounts, DecodeCost>('segmentation.countSamples', {
  timeoutMs: (_, of) => framesCost(FRAMES_PER_TASK, of),
  bytes: allBytes,
});
export const placeMasksTask = defineTask<MappingInput['segmentation'], MaskTables>('segmentation.placeMasks', {
  timeoutMs: 30_000,
  // Places, their points, and the lists of frames.
  mostBytes: ({ frames }) => 4 * MIB + 512 * frames.length,
});
export const cropMasksTask = defineTask<CropInput, CroppedMasks, DecodeCost>('segmentation.cropMasks', {
  timeoutMs: ({ frames }, of) => framesCost(frames.length, of),
  mostBytes: allBytes,
});
export const cutMasksTask = defineTask<CutMasksInput, PackedMaskLayers, { readonly bytes: number }>(
  'segmentation.cutMasks',
  { timeoutMs: 30_000, bytes: (_, { bytes }) => bytes },
);
