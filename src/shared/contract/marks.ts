import { type Static, Type, nullable } from './schema.ts';
import { RoiBox, UnreadJournals } from './annotations.ts';
import { MARK_EXPORT_FORMATS, MARK_IMPORT_FORMATS, MARK_VOLUME_FORMATS } from '../markFormats.ts';
import { MARK_KINDS } from '../markTraits.ts';

export { MARK_KINDS, MARK_PLACES, type MarkKind, type MarkPlaceType } from '../markTraits.ts';

/** Points of one outline. */
export const MOST_MARK_POINTS = 10_000;
/** Stored slices of one mark, or tiles of a mask on a slide. */
export const MOST_MARK_SLICES = 10_000;
/** Sides of a tile of a mask on a slide, in pixels of the mask. */
export const MASK_TILE = 256;
/** Tiles of one row: tile `(column, row)` has the number `row × 32,768 + column`. */
export const MASK_TILES_ACROSS = 32_768;
/** The largest pixel of a mask on a slide, in pixels of the largest level. */
export const MOST_MASK_STEP = 1_024;
export const MOST_LABEL_CLASSES = 500;
export const MOST_MARK_TEXT = 4_000;

const Text = (maxLength: number) => Type.String({ maxLength });
const Index = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });

/** Farther away there is neither a pixel nor a patient. */
const MOST = 1e9;
const Coordinate = Type.Number({ minimum: -MOST, maximum: MOST });
const Triple = Type.Array(Coordinate, { minItems: 3, maxItems: 3 });
const Direction = Type.Array(Type.Number({ minimum: -1.001, maximum: 1.001 }), { minItems: 6, maxItems: 6 });

/**
 * `[x, y]` in pixels, to the right and down, from the upper left corner of the first pixel: pixel (column, row) covers
 * `column` to `column + 1` and `row` to `row + 1`, and its center is at `column + 0.5, row + 0.5`.
 */
export const MarkPoint = Type.Array(Coordinate, { minItems: 2, maxItems: 2 });
export const MarkPoints = Type.Array(MarkPoint, { maxItems: MOST_MARK_POINTS });

const FrameAddress = { file_index: Index, frame_index: Index };

/**
 * A brush mask on one frame, in the mark itself, so that one ETag and one record of the journal cover both. `runs` are
 * the lengths of runs of pixels within the rectangle, row after row: first outside the mask, then inside, and so on.
 * Only the first may be 0. They add up to `width × height`.
 */
export const MarkMask = Type.Object(
  {
    left: Index,
    top: Index,
    width: Type.Integer({ minimum: 1 }),
    height: Type.Integer({ minimum: 1 }),
    runs: Type.Array(Index),
  },
  { additionalProperties: false },
);
export type MarkMask = Static<typeof MarkMask>;

/**
 * What a mark through a stack has on one frame: an outline (box, ellipse, polygon) or a mask (brush). Frames between two
 * slices with an outline have an interpolated outline, which is not stored (`shared/markSlices.ts`).
 *
 * Of a mask on a slide, a slice is a tile of 256 × 256 of its pixels, and `frame_index` is the number of the tile. The
 * rectangle counts pixels of the mask from the corner of the slide, and lies within the tile.
 */
export const MarkSlice = Type.Object(
  { ...FrameAddress, points: MarkPoints, mask: Type.Optional(MarkMask) },
  { additionalProperties: false },
);
export type MarkSlice = Static<typeof MarkSlice>;

/** On one stored frame. Points are pixels of that frame. */
const FramePlace = Type.Object({ type: Type.Literal('frame'), ...FrameAddress }, { additionalProperties: false });

/**
 * Through the stack of these frames, from one to the other in shown order, both included. `slices` has the outlines or
 * masks, and `points` is empty.
 */
const StackPlace = Type.Object(
  {
    type: Type.Literal('stack'),
    from: Type.Object(FrameAddress, { additionalProperties: false }),
    to: Type.Object(FrameAddress, { additionalProperties: false }),
  },
  { additionalProperties: false },
);

/**
 * On a plane of the patient. Points are pixels of a grid in that plane: `position` is the center of its first pixel in
 * millimetres (LPS), `orientation` as Image Orientation (Patient), `spacing` between rows, then between columns. A point
 * `[x, y]` is at `position + (x - 0.5) × spacing[1] × row + (y - 0.5) × spacing[0] × column`.
 */
const PlanePlace = Type.Object(
  {
    type: Type.Literal('plane'),
    /** A file and frame of the volume that the plane cuts. */
    ...FrameAddress,
    frame_of_reference_uid: Text(128),
    position: Triple,
    orientation: Direction,
    spacing: Type.Array(Type.Number({ minimum: 0.0001, maximum: 1000 }), { minItems: 2, maxItems: 2 }),
    /** Of the slab that was on screen; 0 for a plane. */
    slab_mm: Type.Number({ minimum: 0, maximum: 10_000 }),
    time: Index,
  },
  { additionalProperties: false },
);

/**
 * A box in the patient, whose kind is `box`; `points` is empty. `position` is its corner in millimetres (LPS), and its
 * edges run along the row, the column and their cross product (row × column), each as long as `size` says.
 */
const VolumePlace = Type.Object(
  {
    type: Type.Literal('volume'),
    /** A file and frame of the volume that it was drawn in. */
    ...FrameAddress,
    frame_of_reference_uid: Text(128),
    position: Triple,
    orientation: Direction,
    size: Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 1e6 }), { minItems: 3, maxItems: 3 }),
  },
  { additionalProperties: false },
);

/**
 * On a slide, in pixels of its largest level (`file_index` is the first file of that level), on every optical path, and
 * on one focal plane if that is not null. A mask says how many pixels of that level each side of one of its own pixels
 * covers: a power of two.
 */
const SlidePlace = Type.Object(
  {
    type: Type.Literal('slide'),
    file_index: Index,
    focal_plane_um: nullable(Coordinate),
    mask_step: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_MASK_STEP })),
  },
  { additionalProperties: false },
);

export const MarkPlace = Type.Union([FramePlace, StackPlace, PlanePlace, VolumePlace, SlidePlace]);
export type MarkPlace = Static<typeof MarkPlace>;

/**
 * A UID of DICOM that stays the same over runs of the server and in exports (Tracking Unique Identifier), while `id` is
 * a number of this run.
 */
const MarkUid = Type.String({ pattern: '^[0-9.]{1,64}$' });

/** What a client says of a mark, apart from its geometry. */
const WORDS = {
  /** The name of this one finding; free text. */
  label: Type.Optional(Text(256)),
  /** The key of a class of the label scheme; null for none. A key that the scheme does not have is kept. */
  class: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  /** The text at an arrow. */
  text: Type.Optional(Text(MOST_MARK_TEXT)),
  comment: Type.Optional(Text(MOST_MARK_TEXT)),
  author: Type.Optional(Text(256)),
  /** Nothing of a locked mark can be changed but this, and it cannot be deleted. */
  locked: Type.Optional(Type.Boolean()),
};

/**
 * The body of POST and PUT. How many points a mark has depends on its kind:
 *
 * - `box`, `ellipse`: two opposite corners; the ellipse is inscribed in that box.
 * - `polygon`: at least three corners; the last is joined to the first.
 * - `freehand`: an open line through at least two points.
 * - `point`: one. `arrow`: its tip, then its tail. `length`: two.
 * - `angle`: three, the vertex in the middle.
 * - `cobb`: four, two on each of the two lines.
 * - `bidirectional`: four, two for the long axis, then two for the short one.
 * - `brush`: none; its masks are in `slices`.
 */
export const MarkBody = Type.Object(
  {
    /** Only POST. A POST that was repeated because its answer was lost makes no second mark. */
    uid: Type.Optional(MarkUid),
    kind: Type.Enum([...MARK_KINDS]),
    place: MarkPlace,
    points: MarkPoints,
    slices: Type.Optional(Type.Array(MarkSlice, { maxItems: MOST_MARK_SLICES })),
    ...WORDS,
  },
  { additionalProperties: false },
);
export type MarkBody = Static<typeof MarkBody>;

/** The body of PATCH: what changes. `slices` replaces the slices of the frames that it names; without points and mask, a slice is removed. */
export const MarkPatch = Type.Object(
  {
    place: Type.Optional(MarkPlace),
    points: Type.Optional(MarkPoints),
    slices: Type.Optional(Type.Array(MarkSlice, { maxItems: MOST_MARK_SLICES })),
    ...WORDS,
  },
  { additionalProperties: false },
);
export type MarkPatch = Static<typeof MarkPatch>;

const Color = Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()]);

export const WireMark = Type.Object({
  /** Of this run of the server. Numbers of deleted marks are not given to others. */
  id: Type.Integer(),
  uid: Type.String(),
  /** For If-Match. */
  etag: Type.String(),
  /** The number of its last change among all changes of marks. */
  revision: Type.Integer(),
  kind: Type.Enum([...MARK_KINDS]),
  place: MarkPlace,
  points: MarkPoints,
  slices: Type.Array(MarkSlice),
  label: Type.String(),
  class: nullable(Type.String()),
  /** Red, green and blue, 0 to 255, of its class; null without one, or if the scheme does not have it. */
  color: nullable(Color),
  text: Type.String(),
  comment: Type.String(),
  author: Type.String(),
  locked: Type.Boolean(),
  created_at_ms: Type.Number(),
  modified_at_ms: Type.Number(),
});
export type WireMark = Static<typeof WireMark>;

/** A ROI of the specification. It has no identity and no name; it is changed with /file/:index/annotations. */
export const WireRoiMark = Type.Object({
  kind: Type.Literal('roi'),
  file_index: Type.Integer(),
  /** Its number among the ROIs of its file, from 0. */
  roi: Type.Integer(),
  box: RoiBox,
  /** Empty for all frames. */
  frame_indices: Type.Array(Type.Integer()),
});
export type WireRoiMark = Static<typeof WireRoiMark>;

export const LISTED_MARK_KINDS = [...MARK_KINDS, 'roi'] as const;

/** Filters. All that are given must hold. */
export const MarksQuery = Type.Object({
  /** Marks that changed after this revision, and the ids of deleted ones; without it, all marks. */
  since: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Marks whose place or slices name this file. */
  file: Type.Optional(Type.Integer({ minimum: 0 })),
  kind: Type.Optional(
    Type.Array(Type.Enum([...LISTED_MARK_KINDS]), { minItems: 1, maxItems: LISTED_MARK_KINDS.length }),
  ),
  /** The key of a class. */
  class: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** True: only marks without a class that the scheme has. False: only marks with one. */
  unlabelled: Type.Optional(Type.Boolean()),
  /** Part of the label, text or comment, in any case. */
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  author: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
});
export type MarksQuery = Static<typeof MarksQuery>;

export const MarksResponse = Type.Object({
  /** For `since` of the next request. */
  revision: Type.Integer(),
  /** Whether the answer has all marks: there was no `since`, or it is so old that not all deletions are known. */
  whole: Type.Boolean(),
  /** By id, then the ROIs of the specification by file. ROIs are left out with `since`, `class`, `text` and `author`. */
  marks: Type.Array(Type.Union([WireMark, WireRoiMark])),
  /** Deleted after `since`, whatever the filters. */
  deleted: Type.Array(Type.Integer()),
});
export type MarksResponse = Static<typeof MarksResponse>;

export const DeletedMarkResponse = Type.Object({ id: Type.Integer(), revision: Type.Integer() });
export type DeletedMarkResponse = Static<typeof DeletedMarkResponse>;

/** Several marks. With their ETags, only if none of them has changed. */
const MarkChoice = Type.Array(
  Type.Object({ id: Index, etag: Type.Optional(Type.String({ maxLength: 64 })) }, { additionalProperties: false }),
  { minItems: 1, maxItems: 10_000 },
);

/** The same change of words for many marks: all of them change, or none. */
export const MarksPatch = Type.Object(
  {
    marks: MarkChoice,
    change: Type.Object(
      { label: WORDS.label, class: WORDS.class, comment: WORDS.comment, author: WORDS.author, locked: WORDS.locked },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type MarksPatch = Static<typeof MarksPatch>;

export const ChangedMarksResponse = Type.Object({
  revision: Type.Integer(),
  marks: Type.Array(Type.Object({ id: Type.Integer(), etag: Type.String(), revision: Type.Integer() })),
});
export type ChangedMarksResponse = Static<typeof ChangedMarksResponse>;

/** Deletes all of these marks, or none of them. */
export const MarksDeletion = Type.Object({ marks: MarkChoice }, { additionalProperties: false });
export type MarksDeletion = Static<typeof MarksDeletion>;

export const DeletedMarksResponse = Type.Object({
  revision: Type.Integer(),
  /** Their ids. */
  deleted: Type.Array(Type.Integer()),
});
export type DeletedMarksResponse = Static<typeof DeletedMarksResponse>;

/** A code of a terminology, which exports write. */
const LabelCode = Type.Object(
  {
    value: Type.String({ minLength: 1, maxLength: 64 }),
    scheme: Type.String({ minLength: 1, maxLength: 16 }),
    meaning: Type.String({ minLength: 1, maxLength: 64 }),
  },
  { additionalProperties: false },
);

export const LabelClass = Type.Object(
  {
    /** What marks refer to. Unique in the scheme. */
    key: Type.String({ minLength: 1, maxLength: 64 }),
    /** What users read. */
    title: Type.String({ minLength: 1, maxLength: 128 }),
    /** `#rrggbb`. */
    color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
    /** The key on the keyboard, 1 to 9, that chooses it. No two classes have the same. */
    digit: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 9 }))),
    /** Every image needs a mark of this class before it counts as done. */
    required: Type.Optional(Type.Boolean()),
    /** The kinds that it is for; without it, all. */
    kinds: Type.Optional(Type.Array(Type.Enum([...MARK_KINDS]), { minItems: 1, maxItems: MARK_KINDS.length })),
    /** Segmented Property Category and Type, or the finding. */
    category: Type.Optional(nullable(LabelCode)),
    type: Type.Optional(nullable(LabelCode)),
  },
  { additionalProperties: false },
);
export type LabelClass = Static<typeof LabelClass>;

/** The classes that marks can have. The file of `--labels` has this form, and so has the body of PUT. */
export const LabelScheme = Type.Object(
  {
    title: Type.Optional(Text(128)),
    classes: Type.Array(LabelClass, { maxItems: MOST_LABEL_CLASSES }),
  },
  { additionalProperties: false },
);
export type LabelScheme = Static<typeof LabelScheme>;

/** Where marks are kept until they are exported, and what an earlier run kept of marks on the open files. */
export const MarkJournalResponse = Type.Object({
  state: Type.Enum(['off', 'on', 'failing']),
  error: nullable(Type.String()),
  folder: nullable(Type.String()),
  searched: Type.Boolean(),
  kept: nullable(
    Type.Object({
      marks: Type.Integer(),
      files: Type.Integer(),
      path: Type.String(),
      changed_files: Type.Integer(),
      saved_at_ms: Type.Number(),
    }),
  ),
  unread: UnreadJournals,
});
export type MarkJournalResponse = Static<typeof MarkJournalResponse>;

const { since: _, ...FILTERS } = MarksQuery.properties;

/** With the filters of GET /marks. */
export const MarkExportQuery = Type.Object({
  format: Type.Enum([...MARK_EXPORT_FORMATS]),
  /** Only marks on images of this study, which a report (`sr`) needs if there are several. */
  study: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  ...FILTERS,
});
export type MarkExportQuery = Static<typeof MarkExportQuery>;

export const MarkImportQuery = Type.Object({
  format: Type.Enum([...MARK_IMPORT_FORMATS]),
  /** The file that marks are on if the format does not name one, as those of other programs; of a volume, any of its series. */
  file: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type MarkImportQuery = Static<typeof MarkImportQuery>;

export const ImportedMarksResponse = Type.Object({
  revision: Type.Integer(),
  /** Marks that were made. */
  imported: Type.Integer(),
  /** Marks that were there already, with the same uid and the same content. */
  known: Type.Integer(),
  /** How many were not made, and why; the reasons of the first hundred. */
  refused: Type.Integer(),
  reasons: Type.Array(Type.Object({ mark: Type.String(), reason: Type.String() })),
  /** What the marks that were made have lost, such as holes of polygons. */
  left_out: Type.Array(Type.String()),
});
export type ImportedMarksResponse = Static<typeof ImportedMarksResponse>;

const { file: __, ...OTHER_FILTERS } = FILTERS;

/** The filters of GET /marks, without that of the file. */
export const MarkVolumeQuery = Type.Object({
  /** By default `nii.gz`. */
  format: Type.Optional(Type.Enum([...MARK_VOLUME_FORMATS])),
  /** A frame of the file that is in the stack; without it, the first that is in one. */
  frame: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Of a volume with several times, the one whose frames are drawn on; that of the file by default. */
  time: Type.Optional(Type.Integer({ minimum: 0 })),
  ...OTHER_FILTERS,
});
export type MarkVolumeQuery = Static<typeof MarkVolumeQuery>;

const Known = nullable(Type.Number());

/** Values of the pixels whose centers are inside of an area, read as `default_reading` of `value-mapping` says. */
export const MarkStatisticsResponse = Type.Object({
  id: Type.Integer(),
  etag: Type.String(),
  /** Pixels that have a value; the statistics are of these, and null without any. */
  count: Type.Integer(),
  min: Known,
  max: Known,
  mean: Known,
  /** Standard deviation of the population. */
  sd: Known,
  sum: Known,
  /** Empty if there is none or it is unknown. */
  unit: Type.String(),
  /** Pixels inside that are padding or have no value. */
  without_value: Type.Integer(),
  /** Frames on which the mark has a pixel. */
  frames: Type.Integer(),
  /** Of the shape as drawn, on one frame; null through a stack, of a point, and without the size of a pixel. */
  area_mm2: Known,
  /** Of the pixels inside, on one frame. */
  pixels_area_mm2: Known,
  /** Of the shape as drawn, through a stack or in a volume. Null on one frame, and if the frames are not placed. */
  volume_ml: Known,
  /** Of the pixels inside, through a stack or in a volume. */
  pixels_volume_ml: Known,
  /** What somebody who uses the numbers must know. */
  caveats: Type.Array(Type.String()),
});
export type MarkStatisticsResponse = Static<typeof MarkStatisticsResponse>;
