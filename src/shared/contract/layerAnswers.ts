import { type Static, Type, nullable } from './schema.ts';
import { LAYER_KINDS, PLACEMENT_STATUSES } from './layers.ts';
import { Code } from './semantics.ts';

const Index = Type.Integer({ minimum: 0 });

export const LayersQuery = Type.Object({ file: Index, frame: Index });

/** Numbers of parts; without them, all parts. Of a field, the volume that is wanted; without it, the first one. */
export const LayerParts = Type.Optional(Type.Array(Index, { minItems: 1, maxItems: 256 }));

/** Files of doses in the frame of reference of a dose, in Gray: the values of the one are combined with theirs. */
const Doses = Type.Optional(Type.Array(Index, { minItems: 1, maxItems: 31 }));
export const COMBINED_DOSES = { plus: Doses, minus: Doses };

export const LayerFrameQuery = Type.Object({ file: Index, frame: Index, parts: LayerParts, ...COMBINED_DOSES });

/** A part of a slide in pixels of the total pixel matrix of `file`. */
export const LayerRegionQuery = Type.Object({
  /** The slide image; without it, the one that the layer names. */
  file: Type.Optional(Index),
  x: Type.Number({ minimum: -1e7, maximum: 1e7 }),
  y: Type.Number({ minimum: -1e7, maximum: 1e7 }),
  width: Type.Number({ exclusiveMinimum: 0, maximum: 1e7 }),
  height: Type.Number({ exclusiveMinimum: 0, maximum: 1e7 }),
  /** Pixels of the slide for one pixel of the screen. Masks have at most 4,194,304 samples. */
  pixel: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1e6, default: 1 })),
  parts: LayerParts,
});

export const WirePlacement = Type.Object({
  status: Type.Enum([...PLACEMENT_STATUSES]),
  /** Why it lies there, or why it cannot be placed, in words. */
  reason: Type.String(),
  /** The registrations that it went through. */
  via_file_indices: Type.Array(Type.Integer()),
  /** From millimetres of the layer to millimetres of the image, row by row; null if they are the same. */
  matrix: nullable(Type.Array(Type.Number(), { minItems: 16, maxItems: 16 })),
  residual_mm: nullable(Type.Number()),
});
export type WirePlacement = Static<typeof WirePlacement>;

const LayerWarning = Type.Object({ code: Type.String(), message: Type.String() });

const SUMMARY = {
  /**
   * The number of the layer, never given to another one in a run: that of the file that it comes from, and for an
   * attachment 1,000,000 more than its own number.
   */
  layer: Type.Integer(),
  kind: Type.Enum([...LAYER_KINDS]),
  source_file_index: nullable(Type.Integer()),
  attachment_index: nullable(Type.Integer()),
  object_kind: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  part_count: Type.Integer(),
  placement: WirePlacement,
  warnings: Type.Array(LayerWarning),
};

/** A layer over the stack of one frame. */
export const LayerSummary = Type.Object({
  ...SUMMARY,
  touches_frame: Type.Boolean(),
  /** Number of frames of the stack that it touches. */
  frame_count: Type.Integer(),
});
export type LayerSummary = Static<typeof LayerSummary>;

export const LayersResponse = Type.Object({
  target: Type.Object({
    file_index: Type.Integer(),
    frame_index: Type.Integer(),
    frame_of_reference_uid: nullable(Type.String()),
  }),
  /** Those that lie over the stack of the frame, and those of its study that do not, with the reason. */
  layers: Type.Array(LayerSummary),
  revision: Type.Integer(),
  scan_complete: Type.Boolean(),
});
export type LayersResponse = Static<typeof LayersResponse>;

const TargetFrame = Type.Object({ file_index: Type.Integer(), frame_index: Type.Integer() });

export const WireLayerPart = Type.Object({
  part: Type.Integer(),
  label: nullable(Type.String()),
  description: nullable(Type.String()),
  type: nullable(Code),
  /** Structure sets: RT ROI Interpreted Type, such as PTV or ORGAN. */
  interpreted_type: nullable(Type.String()),
  color: Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]),
  color_source: Type.Enum(['declared', 'recommended_cielab', 'recommended_grayscale', 'palette']),
  /** The types of its contours. */
  geometry: Type.Array(Type.String()),
  /** Reports: the content item that describes it, as in `/file/:index/report`. */
  item: nullable(Type.String()),
  /** Annotations of slides: what was measured of each, in the order of the values in packets. */
  measurements: Type.Array(
    Type.Object({
      name: Type.String(),
      unit: Type.String(),
      /** Number of annotations that have a value. */
      count: Type.Integer(),
      /** The lowest and highest value; null if there are none. */
      range: nullable(Type.Tuple([Type.Number(), Type.Number()])),
      /** Number of values in equal parts of the range; empty if there are none. */
      bins: Type.Array(Type.Integer()),
    }),
  ),
  contour_count: nullable(Type.Integer()),
  /** Contours: whether closed ones lie inside others and are drawn as holes although the object does not say so. */
  nested: nullable(Type.Boolean()),
  volume_mm3: nullable(Type.Number()),
  /** Contours: the first and last frame along the normal of the images, for each series that the part lies over. */
  ends: Type.Array(Type.Object({ first: TargetFrame, last: TargetFrame })),
  /** Why nothing of it is drawn; null if something is. */
  reason: nullable(Type.String()),
});
export type WireLayerPart = Static<typeof WireLayerPart>;

export const FIELD_UNIT_KINDS = ['gy', 'relative', 'modality', 'real_world', 'probability', 'stored'] as const;
export type FieldUnitKind = (typeof FIELD_UNIT_KINDS)[number];

const ReferenceValue = Type.Object({
  value: Type.Number(),
  unit: Type.String(),
  source: Type.Enum(['target_prescription', 'maximum']),
  source_file_index: nullable(Type.Integer()),
  label: Type.String(),
});

export const LayerResponse = Type.Object({
  ...SUMMARY,
  parts: Type.Array(WireLayerPart),
  /** The frames that it lies over, by file. */
  targets: Type.Array(Type.Object({ file_index: Type.Integer(), frame_indices: Type.Array(Type.Integer()) })),
  /**
   * The frame of an image on which it has most: the largest contour, the most voxels of labels, the highest dose. Null
   * if that is not known; of a segmentation, `/file/:index/segment-statistics` counts it.
   */
  fullest: nullable(TargetFrame),
  /** The frames of reference whose planes it lies over. */
  spaces: Type.Array(Type.Object({ frame_of_reference_uid: Type.String(), placement: WirePlacement })),
  /** What lies over no image, one entry per reason and part. */
  unplaced: Type.Array(Type.Object({ reason: Type.String(), part: nullable(Type.Integer()), count: Type.Integer() })),
  /** Fields: the unit of the values in packets; the label is empty if it is unknown. */
  units: nullable(Type.Object({ label: Type.String(), kind: Type.Enum([...FIELD_UNIT_KINDS]) })),
  /** Fields: the lowest and highest value, where known. */
  value_range: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  /** Doses: what 100 % may be, the best first. */
  reference_values: Type.Array(ReferenceValue),
  /** Doses: the open plan that it was computed for. */
  plan: nullable(Type.Object({ file_index: Type.Integer(), label: nullable(Type.String()) })),
  /** Doses and probabilities: values of the lines that are drawn at first. */
  default_levels: Type.Array(Type.Number()),
  /** Fields: the volumes, such as times or channels, of which a packet has one; a single empty label if there is one. */
  volumes: Type.Array(Type.Object({ part: Type.Integer(), label: Type.String() })),
  /** Fields: the volume that is shown at first. */
  first_volume: nullable(Type.Integer()),
});
export type LayerResponse = Static<typeof LayerResponse>;
