import { type CostFactors, readingCost } from '../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { FrameValueRecord } from './frameValueRecord.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';

export type ValueMappingsInput = {
  readonly file: KnownSource;
  /** Without a frame (from 0), mappings for any frame are included. */
  readonly image: { readonly sopInstanceUid: string; readonly frame?: number };
  readonly mostLutValues: number;
};

const READING = readingCost(20_000);

export const readParametricMapTask = defineTask<KnownSource, ParametricMapRecord, CostFactors>(
  'semantics.readParametricMap',
  READING,
);
/** The mappings of a Real World Value Mapping object for one image. */
export const readValueMappingsTask = defineTask<ValueMappingsInput, readonly RealWorldMapping[], CostFactors>(
  'semantics.readValueMappings',
  READING,
);
/** What one frame declares about its own values. */
export const readFrameValuesTask = defineTask<
  { readonly file: KnownSource; readonly frame: number },
  FrameValueRecord,
  CostFactors
>('semantics.readFrameValues', READING);
export const readDoseTask = defineTask<KnownSource, DoseRecord, CostFactors>('semantics.readDose', READING);
