import type { KnownFile } from '../dicom/openSameFile.ts';
import type { Rgb } from '../../shared/cielab.ts';
import { defineTask } from '../workers/task.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';
import type { SampleGrid } from './resample.ts';
import type { SegmentationRecord } from './segmentationRecord.ts';

export type SegmentationInput = { readonly file: KnownFile; readonly frameCount: number };

export type MappingInput = {
  readonly segmentation: Pick<SegmentationRecord, 'rows' | 'columns' | 'frameOfReferenceUid' | 'frames'>;
  /** The open files that the segmentation names. */
  readonly sources: readonly SourceFile[];
};

export type FractionProbe = SegmentationInput;

/** How the samples of a segmentation frame become colors. */
export type OverlayPaint =
  | { readonly kind: 'mask'; readonly color: Rgb }
  | { readonly kind: 'fractions'; readonly color: Rgb; readonly maximum: number }
  | {
      readonly kind: 'labels';
      readonly colors: readonly (readonly [label: number, color: Rgb])[];
      /** Labels that are no segment: background, padding. */
      readonly hidden: readonly number[];
    };

export type OverlayInput = {
  /** The source frame. */
  readonly target: SampleGrid;
  /** The segmentation frame. */
  readonly mask: SampleGrid;
  readonly samples: Uint8Array | Uint16Array;
  readonly paint: OverlayPaint;
};

export const readSegmentationTask = defineTask<SegmentationInput, SegmentationRecord>('semantics.readSegmentation');
export const mapSegmentationTask = defineTask<MappingInput, FrameMappings>('semantics.mapSegmentation');
/** Whether an object stores nothing but 0 and 1. */
export const probeFractionsTask = defineTask<FractionProbe, boolean>('semantics.probeFractions');
export const paintOverlayTask = defineTask<OverlayInput, Uint8Array>('semantics.paintOverlay');
export const readParametricMapTask = defineTask<KnownFile, ParametricMapRecord>('semantics.readParametricMap');
/** The mappings of a Real World Value Mapping object that are about one instance. */
export const readValueMappingsTask = defineTask<
  { readonly file: KnownFile; readonly sopInstanceUid: string },
  readonly RealWorldMapping[]
>('semantics.readValueMappings');
export const readDoseTask = defineTask<KnownFile, DoseRecord>('semantics.readDose');
