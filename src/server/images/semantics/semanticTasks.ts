import { readingTask } from '../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { FrameValueRecord } from './frameValueRecord.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';

export type ValueMappingsInput = {
  readonly file: KnownSource;
  /** Without a frame (from 0), mappings for any frame are included. */
  readonly image: { readonly sopInstanceUid: string; readonly frame?: number };
  readonly mostLutValues: number;
};

export const readParametricMapTask = readingTask<KnownSource, ParametricMapRecord>(
  'semantics.readParametricMap',
  20_000,
);
/** The mappings of a Real World Value Mapping object for one image. */
export const readValueMappingsTask = readingTask<ValueMappingsInput, readonly RealWorldMapping[]>(
  'semantics.readValueMappings',
  20_000,
);
/** What one frame declares about its own values. */
export const readFrameValuesTask = readingTask<
  { readonly file: KnownSource; readonly frame: number },
  FrameValueRecord
>('semantics.readFrameValues', 20_000);
export const readDoseTask = readingTask<KnownSource, DoseRecord>('semantics.readDose', 20_000);
