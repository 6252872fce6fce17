import { type Static, Type, nullable } from './schema.ts';
import { DefaultWindow } from './files.ts';
import { OBJECT_KINDS, SUPPORT_STATES } from './fileTerms.ts';

export const InfoResponse = Type.Object({
  frame_count: Type.Integer(),
  rows: Type.Integer(),
  columns: Type.Integer(),
  transfer_syntax_uid: Type.String(),
  has_pixels: Type.Boolean(),
  sop_class_uid: Type.String(),
  object_kind: Type.Enum([...OBJECT_KINDS]),
  support_state: Type.Enum([...SUPPORT_STATES]),
  support_reason: nullable(Type.String()),
  default_window: nullable(DefaultWindow),
  samples_per_pixel: Type.Integer(),
  bits_allocated: Type.Integer(),
  bits_stored: Type.Integer(),
  high_bit: Type.Integer(),
  pixel_representation: Type.Integer(),
  photometric_interpretation: Type.String(),
  planar_configuration: nullable(Type.Integer()),
  pixel_aspect_ratio: nullable(Type.Number()),
  pixel_spacing_mm: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  rescale: Type.Object({ slope: Type.Number(), intercept: Type.Number(), type: nullable(Type.String()) }),
  windows: Type.Array(
    Type.Object({ center: Type.Number(), width: Type.Number(), explanation: nullable(Type.String()) }),
  ),
  voi_lut_function: Type.String(),
  frame_time_ms: nullable(Type.Number()),
  lossy: Type.Boolean(),
  /** Irregularities of the file and how they were interpreted; its images are shown nevertheless. */
  warnings: Type.Array(Type.String()),
});
export type InfoResponse = Static<typeof InfoResponse>;
