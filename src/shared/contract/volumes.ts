import { type Static, Type, nullable } from './schema.ts';
import { PLANE_SPACES } from '../geometry.ts';
import { COMBINED_DOSES } from './layerAnswers.ts';
import { MarkSlice } from './marks.ts';
import { DisplayFrameQuery, RawFrameQuery, ThumbnailQuery } from './frames.ts';
import { STACK_WARNING_CODES } from './series.ts';

/** Why a stack is no volume. */
export const VOLUME_REFUSALS = [
  'not_a_volume',
  'no_geometry',
  'single_place',
  'turning_planes',
  'orientation_varies',
  'side_by_side',
  'no_spacing',
  'spacing_varies',
  'dose_offsets',
  'mosaic',
  'incomplete_time',
  'too_many_frames',
] as const;
export type VolumeRefusalReason = (typeof VOLUME_REFUSALS)[number];

/** What a user of the volume must know. Those of stacks have the same meaning here. */
export const VOLUME_WARNINGS = [
  ...STACK_WARNING_CODES,
  'two_places',
  'frames_left_out',
  'incomplete_time',
  'times_by_number',
  'files_apart',
  'slice_spacing',
] as const;
export type VolumeWarningCode = (typeof VOLUME_WARNINGS)[number];

export const VOLUME_TIME_KINDS = ['time', 'phase', 'b_value', 'echo', 'cardiac', 'unknown'] as const;
export type VolumeTimeKind = (typeof VOLUME_TIME_KINDS)[number];

const VolumeTime = Type.Object({
  /** What the page shows: `b 1000 s/mm²`, `70 %`, `12.4 s`. Empty if there is only one time. */
  label: Type.String(),
  kind: Type.Enum([...VOLUME_TIME_KINDS]),
  value: nullable(Type.Number()),
  unit: nullable(Type.String()),
});

export const VolumeStorage = Type.Enum(['none', 'memory', 'files', 'packed']);
export type VolumeStorage = Static<typeof VolumeStorage>;

const VolumeRecord = Type.Object({
  /** The file of the first place at the first time. */
  file_index: Type.Integer(),
  rows: Type.Integer(),
  columns: Type.Integer(),
  /** Number of slices of each time. */
  places: Type.Integer(),
  space: Type.Enum([...PLANE_SPACES]),
  frame_of_reference_uid: nullable(Type.String()),
  /** Unit vector along a row, then unit vector down a column. */
  orientation: Type.Array(Type.Number(), { minItems: 6, maxItems: 6 }),
  /** Between rows, then between columns. */
  pixel_spacing_mm: Type.Tuple([Type.Number(), Type.Number()]),
  /** Centre of the first sample of each slice, three numbers each. */
  first_points: Type.Array(Type.Number()),
  /** Position of each slice along the normal, ascending. */
  positions_mm: Type.Array(Type.Number()),
  /** The stored frame of each place, time after time: its file, and its number in that file. */
  file_indices: Type.Array(Type.Integer()),
  frame_indices: Type.Array(Type.Integer()),
  /** Row and column of its stored frame at which each slice begins, in the same order; null: slices are whole frames. */
  first_rows: nullable(Type.Array(Type.Integer())),
  first_columns: nullable(Type.Array(Type.Integer())),
  /** The usual distance between slices. */
  spacing_mm: Type.Number(),
  /** Ranges along the normal in which nothing is known, because slices are missing. */
  holes: Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
  /** Angle between the normal and the line through the first points; 0 without a tilted gantry. */
  tilt_degrees: Type.Number(),
  times: Type.Array(VolumeTime),
  sample: Type.Object({
    kind: Type.Enum(['integer', 'float']),
    bits: Type.Integer(),
    signed: Type.Boolean(),
    /** Null if the frames have different rescales: samples are then sent as modality values. */
    rescale: nullable(Type.Object({ slope: Type.Number(), intercept: Type.Number() })),
    /** Of the modality values, or of the real-world values; empty if unknown. */
    unit: Type.String(),
    /** Samples are real-world values, because each frame has a mapping of its own or a table; else modality values. */
    is_real_world: Type.Boolean(),
  }),
  /** Memory that one time takes. */
  bytes: Type.Integer(),
  /**
   * Where the samples of the first time are: not loaded, in memory, or, of a volume that is too large for it, in the files
   * or packed.
   */
  storage: VolumeStorage,
  /** Slices of the first time that are in memory or packed. */
  places_loaded: Type.Integer(),
});

export const VolumeResponse = Type.Object({
  volume: nullable(VolumeRecord),
  refusal: nullable(Type.Object({ reason: Type.Enum([...VOLUME_REFUSALS]), message: Type.String() })),
  warnings: Type.Array(
    Type.Object({
      code: Type.Enum([...VOLUME_WARNINGS]),
      message: Type.String(),
      file_indices: Type.Array(Type.Integer()),
    }),
  ),
});
export type VolumeResponse = Static<typeof VolumeResponse>;

/** Which volume, for a file whose frames have several orientations. */
const FRAME = Type.Optional(Type.Integer({ minimum: 0 }));
const TIME = Type.Optional(Type.Integer({ minimum: 0, default: 0 }));

export const VolumeQuery = Type.Object({ frame: FRAME });

/** One time of a volume; absent: all of them, as the fourth axis of the file. */
const ONE_TIME = Type.Optional(Type.Integer({ minimum: 0 }));

export const NiftiQuery = Type.Object({
  frame: FRAME,
  time: ONE_TIME,
  /** Packed with gzip, or as it is. */
  format: Type.Optional(Type.Enum(['nii.gz', 'nii'], { default: 'nii.gz' })),
});

export const NiftiSidecarQuery = Type.Object({ frame: FRAME, time: ONE_TIME });

/** Fields of BIDS. Which ones there are depends on the images. */
export const NiftiSidecarResponse = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]),
);

/** What the samples of an array are: as stored, or values. */
export const ARRAY_UNITS = ['stored', 'modality', 'SUVbw'] as const;
export type ArrayUnit = (typeof ARRAY_UNITS)[number];

export const VolumeArrayQuery = Type.Object({
  frame: FRAME,
  time: ONE_TIME,
  unit: Type.Optional(Type.Enum([...ARRAY_UNITS], { default: 'stored' })),
});

export const VolumeArrayPlanResponse = Type.Object({
  /** The type of NumPy, such as `<i2`. */
  type: Type.String(),
  /** Times, slices, rows and columns. */
  shape: Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer(), Type.Integer()]),
  /** From column, row (down) and slice to millimetres (LPS), three rows of four numbers; null without a regular grid. */
  affine: nullable(Type.Array(Type.Number(), { minItems: 12, maxItems: 12 })),
  /** Between slices (the usual distance without a regular grid), rows and columns. */
  spacing_mm: Type.Tuple([Type.Number(), Type.Number(), Type.Number()]),
  times: Type.Array(VolumeTime),
  /** Of the samples, such as `HU`; empty if it is unknown, and for stored samples. */
  unit: Type.String(),
  /** What makes modality values of stored samples; null if it differs from image to image. */
  rescale: nullable(Type.Object({ slope: Type.Number(), intercept: Type.Number() })),
  warnings: Type.Array(Type.String()),
  /** The centre of the first sample of each slice, three numbers each (LPS). */
  origins: Type.Array(Type.Number()),
  /** The stored frame of each slice, time after time: its file, and its number in that file. */
  file_indices: Type.Array(Type.Integer()),
  frame_indices: Type.Array(Type.Integer()),
});
export type VolumeArrayPlanResponse = Static<typeof VolumeArrayPlanResponse>;

/** Farther from the origin there is no patient. */
const MOST_MM = 1e6;
const Millimetres = Type.Number({ minimum: -MOST_MM, maximum: MOST_MM });
const Point = Type.Array(Millimetres, { minItems: 3, maxItems: 3 });

export const VolumeValueQuery = Type.Object({ frame: FRAME, at: Point, time: TIME });

export const VolumeValueResponse = Type.Object({
  /** Interpolated between the stored samples; null outside, in padding, and if the rescale differs by frame. */
  stored: nullable(Type.Number()),
  /** Interpolated between the modality values, or the real-world values of the volume; null outside and in padding. */
  modality: nullable(Type.Number()),
  /** The stored sample that the point lies in; null outside. */
  nearest: nullable(
    Type.Object({
      file_index: Type.Integer(),
      frame_index: Type.Integer(),
      row: Type.Integer(),
      column: Type.Integer(),
    }),
  ),
});
export type VolumeValueResponse = Static<typeof VolumeValueResponse>;

const Value = Type.Number({ minimum: -1e15, maximum: 1e15 });

export const VolumeRegionQuery = Type.Object({
  frame: FRAME,
  time: TIME,
  /** A sample of the volume: its slice as in `positions_mm`, its row and its column. */
  seed: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 3, maxItems: 3 }),
  /** Values that the region has, as `modality` of `/volume/value`; both ends are included. */
  low: Value,
  high: Value,
});

export const VolumeRegionResponse = Type.Object({
  /** Samples of the region; 0 if the value of the seed is not in the range. */
  voxels: Type.Integer(),
  /** By place: what a brush mark has on the stored frames (`/marks`). */
  slices: Type.Array(MarkSlice),
});
export type VolumeRegionResponse = Static<typeof VolumeRegionResponse>;

export const PLANE_INTERPOLATIONS = ['linear', 'nearest'] as const;
export const PLANE_PROJECTIONS = ['max', 'min', 'mean'] as const;

export const MOST_PLANE_SAMPLES = 4 * 2 ** 20;

/** The plane of a request; `shared/planeGrid.ts` has the meaning of its values. */
const PLANE_SHAPE = {
  /** Centre of the first sample, LPS. */
  position: Point,
  /** As Image Orientation (Patient): unit vectors along a row and down a column, perpendicular within 1e-4. */
  orientation: Type.Array(Type.Number({ minimum: -1.001, maximum: 1.001 }), { minItems: 6, maxItems: 6 }),
  /** Between rows, then between columns, in millimetres. */
  spacing: Type.Array(Type.Number({ minimum: 0.001, maximum: 100 }), { minItems: 2, maxItems: 2 }),
  /** At most 4,194,304 samples. */
  rows: Type.Integer({ minimum: 1, maximum: 4096 }),
  columns: Type.Integer({ minimum: 1, maximum: 4096 }),
  /** Thickness around the plane in millimetres. */
  slab: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000, default: 0 })),
};

/** Frame of Reference UID of the coordinates. */
const SPACE = Type.String({ minLength: 1, maxLength: 128 });

const PLANE = {
  frame: FRAME,
  /** A volume with another frame of reference is then refused: it lies elsewhere. */
  frame_of_reference: Type.Optional(SPACE),
  ...PLANE_SHAPE,
  interpolation: Type.Optional(Type.Enum([...PLANE_INTERPOLATIONS], { default: 'linear' })),
  /** Distance between the sheets of the slab in millimetres; default: that of the samples along its normal. */
  sheet: Type.Optional(Type.Number({ minimum: 0.001, maximum: 100 })),
  /** What is taken of the samples of a slab. */
  projection: Type.Optional(Type.Enum([...PLANE_PROJECTIONS], { default: 'max' })),
  time: TIME,
  /**
   * Answers at once, with the slices that are in memory, interpolated across the others; `X-Plane-Places` says how many
   * there are. The others are loaded meanwhile.
   */
  partial: Type.Optional(Type.Boolean({ default: false })),
};

export const RawPlaneQuery = Type.Object({
  ...PLANE,
  /** `float`: modality values as 32-bit floats, not rounded. */
  samples: Type.Optional(Type.Enum(['stored', 'float'], { default: 'stored' })),
  ...RawFrameQuery.properties,
});

const { wc, ww, mode } = DisplayFrameQuery.properties;
export const DisplayPlaneQuery = Type.Object({ ...PLANE, wc, ww, mode });
export const PlaneThumbnailQuery = Type.Object({ ...PLANE, ...ThumbnailQuery.properties });

/** A plane that a layer is cut by. */
export const LayerPlaneQuery = Type.Object({
  frame_of_reference: SPACE,
  ...PLANE_SHAPE,
  /** Of a field, the volume that is wanted; other layers send all their parts. */
  parts: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 256 })),
  ...COMBINED_DOSES,
});
