import { type Static, Type, nullable } from './schema.ts';
import { PLANE_SPACES } from '../geometry.ts';
import { SPACING_SOURCES } from './fileTerms.ts';

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

export const WireStackWarning = Type.Object({
  code: Type.Enum([...STACK_WARNING_CODES]),
  message: Type.String(),
  file_indices: Type.Array(Type.Integer()),
});
export type WireStackWarning = Static<typeof WireStackWarning>;

/** The traits that can distinguish the stacks of a series, the most significant first. */
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

/** The planes of consecutive frames in a stack that share orientation and spacing. */
export const PlaneRun = Type.Object({
  /** Virtual index of the first frame of the run. */
  first: Type.Integer(),
  count: Type.Integer(),
  /** The coordinate system: the patient (LPS), the slide, or an ultrasound volume. */
  space: Type.Enum([...PLANE_SPACES]),
  /** Unit vector along a row, then unit vector down a column. */
  orientation: nullable(Type.Array(Type.Number(), { minItems: 6, maxItems: 6 })),
  /**
   * Centres of the first samples, three numbers each: of the first frame only if there is a step, else of every frame.
   * Null if the positions of the frames are unknown, and for the tiles of a slide, which `/wsi-context` locates.
   */
  origins_mm: nullable(Type.Array(Type.Number())),
  /** Change of the origin per millimetre of `position_along_normal_mm`. */
  origin_step: nullable(Type.Tuple([Type.Number(), Type.Number(), Type.Number()])),
  /** Between rows, then between columns. */
  pixel_spacing_mm: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  pixel_spacing_source: nullable(Type.Enum([...SPACING_SOURCES])),
});
export type PlaneRun = Static<typeof PlaneRun>;

export const WireStack = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...STACK_KINDS]),
  concatenation_uid: nullable(Type.String()),
  pyramid_uid: nullable(Type.String()),
  image_type_role: nullable(Type.String()),
  total_pixel_matrix_rows: nullable(Type.Integer()),
  total_pixel_matrix_columns: nullable(Type.Integer()),
  /** What distinguishes it from the other stacks of its series; empty if it is the only one. */
  distinction: Type.Array(StackTrait),
  frames: Type.Array(FrameRef),
  /** Positions of the frames, in stack order; frames without a known plane are in no run. */
  planes: Type.Array(PlaneRun),
  warnings: Type.Array(WireStackWarning),
});
export type WireStack = Static<typeof WireStack>;

export const WireSeries = Type.Object({
  id: Type.String(),
  study_instance_uid: Type.String(),
  series_instance_uid: Type.String(),
  frame_of_reference_uids: Type.Array(Type.String()),
  stacks: Type.Array(WireStack),
});
export type WireSeries = Static<typeof WireSeries>;

export const SeriesResponse = Type.Object({
  series: Type.Array(WireSeries),
  scan_complete: Type.Boolean(),
  /**
   * False while frame positions are still being read: the client should ask again. Until then, those files are in
   * stored order.
   */
  geometry_complete: Type.Boolean(),
});
export type SeriesResponse = Static<typeof SeriesResponse>;
