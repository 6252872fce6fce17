import type { KnownSource } from '../origins/origins.ts';
import type { Rgb } from '../../shared/cielab.ts';
import type { ImagePlane } from '../../shared/geometry.ts';
import type { FrameDamage } from '../../shared/frameDamage.ts';
import { defineTask } from '../workers/task.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import type { FrameValues } from './frameValues.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';
import type { SampleGrid } from './resample.ts';
import type { SegmentationRecord } from './segmentationRecord.ts';

export type SegmentationInput = { readonly file: KnownSource; readonly frameCount: number };

export type MappingInput = {
  readonly segmentation: Pick<SegmentationRecord, 'rows' | 'columns' | 'frames'>;
  /** The open files that the segmentation names. */
  readonly sources: readonly SourceFile[];
};

export type FractionProbe = SegmentationInput;

export type ValueMappingsInput = {
  readonly file: KnownSource;
  /** Without a frame (from 0): what is about any of them. */
  readonly image: { readonly sopInstanceUid: string; readonly frame?: number };
  readonly mostLutValues: number;
};

/** What the samples of a segmentation are. */
export type SampleMeaning =
  | { readonly kind: 'mask' }
  | { readonly kind: 'fractions'; readonly maximum: number }
  | {
      readonly kind: 'labels';
      /** Labels that are no segment: background, padding. */
      readonly hidden: readonly number[];
    };

/** How the samples of a segmentation frame become colors. */
export type OverlayPaint =
  | (Exclude<SampleMeaning, { kind: 'labels' }> & { readonly color: Rgb })
  | (Extract<SampleMeaning, { kind: 'labels' }> & {
      readonly colors: readonly (readonly [label: number, color: Rgb])[];
    });

export type OverlayInput = {
  /** The source frame. */
  readonly target: SampleGrid;
  /** The segmentation frame. */
  readonly mask: SampleGrid;
  readonly samples: Uint8Array | Uint16Array;
  readonly paint: OverlayPaint;
};

/** Some frames of a segmentation over one frame of their source. */
export type MasksInput = {
  readonly file: KnownSource;
  readonly meaning: SampleMeaning;
  /** Of the source frame. */
  readonly rows: number;
  readonly columns: number;
  readonly frames: readonly MaskFrame[];
  /** All layers together; more is refused. */
  readonly mostLayerBytes: number;
};

export type MaskFrame = {
  readonly frame: number;
  readonly segment: number | undefined;
  readonly plane: ImagePlane | undefined;
  readonly sourcePlane: ImagePlane | undefined;
};

/** Frames `from` up to, without, `to`. */
export type CountInput = {
  readonly file: KnownSource;
  readonly meaning: SampleMeaning;
  readonly from: number;
  readonly to: number;
};

/** How much of what there is in which frame, as columns; what does not occur in a frame is left out. */
export type SampleCounts = {
  readonly frames: Uint32Array;
  /** Of label maps; else 0. */
  readonly labels: Uint32Array;
  /** Samples, or the sum of their fractions. */
  readonly amounts: Float64Array;
  /** Those of the frames that are cut or damaged, so that not all of their samples count. */
  readonly damagedFrames: readonly number[];
};

/** All masks over one source frame. */
export type PackedMaskLayers = {
  /** As `encodeMasks` writes them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the segmentation frames that they were drawn from. */
  readonly damage: FrameDamage | undefined;
};

export type ProbedFractions = {
  /** Whether nothing but 0 and 1 is stored, as far as it was looked at. */
  readonly isMask: boolean;
  /** How many frames could not be judged as a whole, where these might have changed the answer. */
  readonly damagedFrames: number;
};

export const readSegmentationTask = defineTask<SegmentationInput, SegmentationRecord>('semantics.readSegmentation');
export const mapSegmentationTask = defineTask<MappingInput, FrameMappings>('semantics.mapSegmentation');
export const probeFractionsTask = defineTask<FractionProbe, ProbedFractions>('semantics.probeFractions');
export const paintOverlayTask = defineTask<OverlayInput, Uint8Array>('semantics.paintOverlay');
export const packMasksTask = defineTask<MasksInput, PackedMaskLayers>('semantics.packMasks');
export const countSamplesTask = defineTask<CountInput, SampleCounts>('semantics.countSamples');
export const readParametricMapTask = defineTask<KnownSource, ParametricMapRecord>('semantics.readParametricMap');
/** The mappings of a Real World Value Mapping object that are about one image. */
export const readValueMappingsTask = defineTask<ValueMappingsInput, readonly RealWorldMapping[]>(
  'semantics.readValueMappings',
);
/** What one frame says of its own values. */
export const readFrameValuesTask = defineTask<{ readonly file: KnownSource; readonly frame: number }, FrameValues>(
  'semantics.readFrameValues',
);
export const readDoseTask = defineTask<KnownSource, DoseRecord>('semantics.readDose');
