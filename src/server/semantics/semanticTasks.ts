import type { KnownSource } from '../origins/origins.ts';
import { defineTask } from '../workers/task.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { FrameValueRecord } from './frameValueRecord.ts';
import type { ParametricMapRecord, RealWorldMapping } from './parametricMapRecord.ts';

export type ValueMappingsInput = {
  readonly file: KnownSource;
  /** Without a frame (from 0), mappings for any frame are included. */
  readonly image: { readonly sopInstanceUid: string; readonly frame?: number };
  readonly mostLutValues: number;
};

export const readParametricMapTask = defineTask<KnownSource, ParametricMapRecord>('semantics.readParametricMap');
/** The mappings of a Real World Value Mapping object for one image. */
export const readValueMappingsTask = defineTask<ValueMappingsInput, readonly RealWorldMapping[]>(
  'semantics.readValueMappings',
);
/** What one frame declares about its own values. */
export const readFrameValuesTask = defineTask<{ readonly file: KnownSource; readonly frame: number }, FrameValueRecord>(
  'semantics.readFrameValues',
);
export const readDoseTask = defineTask<KnownSource, DoseRecord>('semantics.readDose');
