import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

export const PercentilesResponse = Type.Object({
  file_index: Type.Integer(),
  frame_index: Type.Integer(),
  /** Samples that are neither padding nor anything but finite numbers. */
  count: Type.Integer(),
  /** The 0th to the 100th percentile of their modality values; empty for color, and where nothing counts. */
  percentiles: Type.Array(Type.Number()),
  /** Whether the frame declares a window or a VOI LUT. */
  has_own_voi: Type.Boolean(),
  /** VOI LUT Function, where the frame declares one. */
  voi_lut_function: nullable(Type.Enum(['LINEAR', 'LINEAR_EXACT', 'SIGMOID'])),
  /** How close values can lie to each other: whole numbers apart, whole numbers rescaled to fractions, or floats. */
  grain: Type.Enum(['whole', 'rescaled', 'float']),
});

export type PercentilesResponse = Static<typeof PercentilesResponse>;
