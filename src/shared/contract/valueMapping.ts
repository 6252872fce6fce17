import { type Static, Type } from './schema.ts';
import { MOST_LUT_VALUES } from './lutLimit.ts';
import { nullable } from './nullable.ts';
import { Code } from './semantics.ts';

const LutValues = Type.Array(Type.Number(), { maxItems: MOST_LUT_VALUES });

export const ModalityMapping = Type.Object({
  rescale_slope: Type.Number(),
  rescale_intercept: Type.Number(),
  rescale_type: nullable(Type.String()),
  lut: nullable(Type.Object({ first_value_mapped: Type.Integer(), values: LutValues })),
});
export type ModalityMapping = Static<typeof ModalityMapping>;

export const RealWorldTransform = Type.Union([
  Type.Object({ kind: Type.Literal('linear'), slope: Type.Number(), intercept: Type.Number() }),
  Type.Object({ kind: Type.Literal('lut'), values: LutValues }),
]);
export type RealWorldTransform = Static<typeof RealWorldTransform>;

/** Maps stored values to real-world values. First and last value mapped are null if every value is mapped. */
export const RealWorldValues = Type.Object({
  source: Type.Enum(['real_world_value_mapping', 'dose_grid_scaling', 'rwvm_instance']),
  source_file_index: nullable(Type.Integer()),
  label: nullable(Type.String()),
  first_value_mapped: nullable(Type.Number()),
  last_value_mapped: nullable(Type.Number()),
  transform: RealWorldTransform,
  unit_label: Type.String(),
  units: nullable(Code),
  quantity: nullable(Code),
});
export type RealWorldValues = Static<typeof RealWorldValues>;

export const ValueMappingResponse = Type.Object({
  file_index: Type.Integer(),
  frame_index: Type.Integer(),
  stored_value_type: Type.Enum(['integer', 'float32', 'float64']),
  modality: ModalityMapping,
  real_world: Type.Array(RealWorldValues),
  voi_lut: nullable(
    Type.Object({ first_value_mapped: Type.Integer(), values: LutValues, explanation: nullable(Type.String()) }),
  ),
});
export type ValueMappingResponse = Static<typeof ValueMappingResponse>;
