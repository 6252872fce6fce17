import { type Static, Type, nullable } from './schema.ts';
import { MOST_LUT_VALUES } from './lutLimit.ts';
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
  /**
   * What it is in the other images of the stack: `same` function of modality values; `own` of each image;
   * `ignores_rescale`: the rescale differs from image to image, and the mapping does not follow it; or `missing`: the images
   * are a volume, and one of them lacks it. Of very many images only some are looked at. Null for an image that is in no stack.
   */
  in_stack: nullable(Type.Enum(['same', 'own', 'ignores_rescale', 'missing'])),
});
export type RealWorldValues = Static<typeof RealWorldValues>;

/** Standardized uptake value by body weight, in g/ml: `factor` times the modality value; or why there is none. */
export const Suv = Type.Union([
  Type.Object({
    factor: Type.Number(),
    formula: Type.String(),
    inputs: Type.Array(Type.Object({ tag: Type.String(), keyword: Type.String(), value: Type.String() })),
  }),
  Type.Object({
    missing: Type.Array(Type.Object({ tag: Type.String(), keyword: Type.String(), why: Type.String() })),
  }),
]);
export type Suv = Static<typeof Suv>;

export const ValueMappingResponse = Type.Object({
  file_index: Type.Integer(),
  frame_index: Type.Integer(),
  stored_value_type: Type.Enum(['integer', 'float32', 'float64']),
  modality: ModalityMapping,
  real_world: Type.Array(RealWorldValues),
  voi_lut: nullable(
    Type.Object({ first_value_mapped: Type.Integer(), values: LutValues, explanation: nullable(Type.String()) }),
  ),
  /** Of a PET image: Units (0054,1001), and what makes them uptake values. */
  pet: nullable(Type.Object({ units: nullable(Type.String()), suv: Suv })),
  /** How the values are read unless somebody chooses otherwise: the same in all images of a stack. */
  default_reading: Type.Object({
    kind: Type.Enum(['real_world', 'suv', 'modality', 'stored']),
    /** Of a real-world mapping: its place in `real_world`. */
    index: nullable(Type.Integer()),
    unit: Type.String(),
  }),
  /** What somebody who uses the values must know. */
  caveats: Type.Array(Type.String()),
});
export type ValueMappingResponse = Static<typeof ValueMappingResponse>;
