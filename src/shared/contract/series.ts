import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

export const STACK_KINDS = ['ordinary', 'concatenation', 'wsi_pyramid_level', 'wsi_companion'] as const;
export type StackKind = (typeof STACK_KINDS)[number];

export const STACK_WARNING_CODES = [
  'missing_positions',
  'duplicate_positions',
  'nonuniform_spacing',
  'inconsistent_orientation',
  'gantry_tilt',
  'incomplete_concatenation',
  'missing_frames',
] as const;
export type StackWarningCode = (typeof STACK_WARNING_CODES)[number];

export const FrameRef = Type.Object({
  virtual_index: Type.Integer(),
  file_index: Type.Integer(),
  frame_index: Type.Integer(),
  sop_instance_uid: Type.String(),
  instance_number: nullable(Type.Integer()),
  position_along_normal_mm: nullable(Type.Number()),
});
export type FrameRef = Static<typeof FrameRef>;

export const StackWarning = Type.Object({
  code: Type.Enum([...STACK_WARNING_CODES]),
  message: Type.String(),
  file_indices: Type.Array(Type.Integer()),
});
export type StackWarning = Static<typeof StackWarning>;

/** What can tell the stacks of one series apart, the most telling first. */
export const STACK_TRAITS = [
  'image_type',
  'orientation',
  'echo',
  'b_value',
  'phase',
  'sop_class',
  'frame_of_reference',
  'matrix',
  'instance_number',
  'transfer_syntax',
  'file_name',
] as const;
export type StackTraitName = (typeof STACK_TRAITS)[number];

export const StackTrait = Type.Object({ name: Type.Enum([...STACK_TRAITS]), value: Type.String() });
export type StackTrait = Static<typeof StackTrait>;

export const Stack = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...STACK_KINDS]),
  concatenation_uid: nullable(Type.String()),
  pyramid_uid: nullable(Type.String()),
  image_type_role: nullable(Type.String()),
  total_pixel_matrix_rows: nullable(Type.Integer()),
  total_pixel_matrix_columns: nullable(Type.Integer()),
  /** What tells it from the other stacks of its series; empty where it is the only one. */
  distinction: Type.Array(StackTrait),
  frames: Type.Array(FrameRef),
  warnings: Type.Array(StackWarning),
});
export type Stack = Static<typeof Stack>;

export const Series = Type.Object({
  id: Type.String(),
  study_instance_uid: Type.String(),
  series_instance_uid: Type.String(),
  frame_of_reference_uids: Type.Array(Type.String()),
  stacks: Type.Array(Stack),
});
export type Series = Static<typeof Series>;

export const SeriesResponse = Type.Object({
  series: Type.Array(Series),
  scan_complete: Type.Boolean(),
  /** False while the places of frames are still being read: ask again, those files come as they are stored. */
  geometry_complete: Type.Boolean(),
});
export type SeriesResponse = Static<typeof SeriesResponse>;
