import { type Static, Type } from 'typebox';
import { PLANE_SPACES } from '../geometry.ts';
import { SPACING_SOURCES } from './fileTerms.ts';
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

/** The planes of frames that follow each other in a stack and have orientation and spacing in common. */
export const PlaneRun = Type.Object({
  /** Virtual index of the first frame of the run. */
  first: Type.Integer(),
  count: Type.Integer(),
  /** The coordinates: of the patient (LPS), of the slide, or of an ultrasound volume. */
  space: Type.Enum([...PLANE_SPACES]),
  /** Unit vectors along a row, then down a column. */
  orientation: nullable(Type.Array(Type.Number(), { minItems: 6, maxItems: 6 })),
  /**
   * Centres of the first samples, three numbers each: of the first frame alone where there is a step, else of every frame.
   * Null where it is not known where the frames lie, and for the tiles of a slide, which `/wsi-context` places.
   */
  origins_mm: nullable(Type.Array(Type.Number())),
  /** How the origin moves for each millimetre of `position_along_normal_mm`. */
  origin_step: nullable(Type.Tuple([Type.Number(), Type.Number(), Type.Number()])),
  /** Between rows, between columns. */
  pixel_spacing_mm: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  pixel_spacing_source: nullable(Type.Enum([...SPACING_SOURCES])),
});
export type PlaneRun = Static<typeof PlaneRun>;

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
  /** Where the frames lie, in the order of the stack; frames of which nothing is known are in none. */
  planes: Type.Array(PlaneRun),
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
