import { type Static, Type, nullable } from './schema.ts';

export const PercentilesResponse = Type.Object({
  file_index: Type.Integer(),
  frame_index: Type.Integer(),
  /** Number of samples, without padding and values that are not finite. */
  count: Type.Integer(),
  /**
   * The 0th to the 100th percentile of their modality values; empty for color, and if there are no samples to count.
   */
  percentiles: Type.Array(Type.Number()),
  /** Whether the frame declares a window or a VOI LUT. */
  has_own_voi: Type.Boolean(),
  /** VOI LUT Function, if the frame declares one. */
  voi_lut_function: nullable(Type.Enum(['LINEAR', 'LINEAR_EXACT', 'SIGMOID'])),
  /** The step between values: integers, integers rescaled to fractions, or floats. */
  grain: Type.Enum(['whole', 'rescaled', 'float']),
});

export type PercentilesResponse = Static<typeof PercentilesResponse>;
