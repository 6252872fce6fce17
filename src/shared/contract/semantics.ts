import { type Static, Type, nullable } from './schema.ts';
import { Reference } from './references.ts';

export const Code = Type.Object({ value: Type.String(), scheme: Type.String(), meaning: Type.String() });
export type Code = Static<typeof Code>;

const Triple = Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]);

export const Overlay = Type.Object({
  eligible: Type.Boolean(),
  reason: Type.String(),
  source_file_index: nullable(Type.Integer()),
  mapped_source_count: Type.Integer(),
});
export type Overlay = Static<typeof Overlay>;

export const Segment = Type.Object({
  number: Type.Integer(),
  label: nullable(Type.String()),
  description: nullable(Type.String()),
  property_category: nullable(Code),
  property_type: nullable(Code),
  algorithm_type: nullable(Type.String()),
  algorithm_name: nullable(Type.String()),
  recommended_display_cielab: nullable(Triple),
  recommended_display_grayscale: nullable(Type.Integer()),
  display_color: Triple,
  display_color_source: Type.Enum(['recommended_cielab', 'recommended_grayscale', 'palette']),
});
export type Segment = Static<typeof Segment>;

export const SegmentationFrameMapping = Type.Object({
  frame_index: Type.Integer(),
  segment_number: nullable(Type.Integer()),
  source_sop_instance_uid: nullable(Type.String()),
  source_frame_numbers: Type.Array(Type.Integer()),
  source_file_indices: Type.Array(Type.Integer()),
  source_frames: Type.Array(
    Type.Object({ file_index: Type.Integer(), frame_index: Type.Integer(), sop_instance_uid: Type.String() }),
  ),
  mapping_method: nullable(Type.Enum(['explicit_derivation', 'declared_source_geometry'])),
  mapping_status: Type.Enum(['resolved', 'missing', 'ambiguous']),
  mapping_reason: Type.String(),
});
export type SegmentationFrameMapping = Static<typeof SegmentationFrameMapping>;

export const WireSegmentationContext = Type.Object({
  kind: Type.Literal('segmentation'),
  segmentation_type: nullable(Type.String()),
  segmentation_fractional_type: nullable(Type.String()),
  maximum_fractional_value: nullable(Type.Integer()),
  segments: Type.Array(Segment),
  frame_mappings: Type.Array(SegmentationFrameMapping),
  references: Type.Array(Reference),
  overlay: Overlay,
  warnings: Type.Array(Type.String()),
});
export type WireSegmentationContext = Static<typeof WireSegmentationContext>;

export const WireRealWorldMapping = Type.Object({
  source: Type.Enum(['embedded', 'referenced']),
  source_sop_instance_uid: nullable(Type.String()),
  label: nullable(Type.String()),
  first_value_mapped: nullable(Type.Number()),
  last_value_mapped: nullable(Type.Number()),
  slope: nullable(Type.Number()),
  intercept: nullable(Type.Number()),
  lut_data: Type.Array(Type.Number(), { maxItems: 4096 }),
  lut_data_truncated: Type.Boolean(),
  units: nullable(Code),
  quantity: nullable(Code),
  derivation: nullable(Code),
});
export type WireRealWorldMapping = Static<typeof WireRealWorldMapping>;

export const WireParametricMapContext = Type.Object({
  kind: Type.Literal('parametric_map'),
  stored_value_type: Type.Enum(['float32', 'float64', 'integer']),
  displayed_value_kind: Type.String(),
  mappings: Type.Array(WireRealWorldMapping),
  mapping_status: Type.Enum(['unmapped', 'mapping_available', 'incompatible_mapping']),
  source_references: Type.Array(Reference),
  warnings: Type.Array(Type.String()),
  overlay: Overlay,
});
export type WireParametricMapContext = Static<typeof WireParametricMapContext>;

export const RtDoseContext = Type.Object({
  kind: Type.Literal('rt_dose'),
  dose_grid_scaling: nullable(Type.Number()),
  scaling_status: Type.Enum(['available', 'missing_or_malformed']),
  displayed_value_kind: Type.String(),
  dose_units: nullable(Type.String()),
  dose_type: nullable(Type.String()),
  dose_summation_type: nullable(Type.String()),
  geometry: Type.Object({
    frame_of_reference_uid: nullable(Type.String()),
    image_position_patient: nullable(Type.Array(Type.Number())),
    image_orientation_patient: nullable(Type.Array(Type.Number())),
    pixel_spacing: nullable(Type.Array(Type.Number())),
    grid_frame_offsets: Type.Array(Type.Number()),
  }),
  references: Type.Array(Reference),
  overlay: Overlay,
  clinical_use_warning: Type.String(),
});
export type RtDoseContext = Static<typeof RtDoseContext>;

export const NotApplicableContext = Type.Object({ kind: Type.Literal('not_applicable'), reason: Type.String() });

export const SemanticContextResponse = Type.Object({
  source_file_index: Type.Integer(),
  default_mode: Type.Literal('pixel_preview'),
  pixel_preview_preserves_stored_values: Type.Literal(true),
  context: Type.Union([WireSegmentationContext, WireParametricMapContext, RtDoseContext, NotApplicableContext]),
});
export type SemanticContextResponse = Static<typeof SemanticContextResponse>;
