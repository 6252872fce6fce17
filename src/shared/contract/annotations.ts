import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

/** `[ymin, xmin, ymax, xmax]` in whole pixels. The upper left pixel is inside, the lower right edge is not. */
export const RoiBox = Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer(), Type.Integer()]);
export type RoiBox = Static<typeof RoiBox>;

/** All ROIs of one file, as GET and PUT answer them. */
export const AnnotationPayload = Type.Object({
  num_roi: Type.Integer(),
  roi_coords: Type.Array(RoiBox),
  /** One list of frame indices per box, an empty one for all frames; no list at all when every box is on all frames. */
  roi_frames: Type.Array(Type.Array(Type.Integer())),
});
export type AnnotationPayload = Static<typeof AnnotationPayload>;

/** Which files have ROIs. Of all others `untouched_etag` is the ETag: nothing was imported for them, and no one edited. */
export const AnnotatedFilesResponse = Type.Object({
  untouched_etag: Type.String(),
  /** In the order of the files; also those whose last ROI was deleted. */
  files: Type.Array(Type.Object({ index: Type.Integer(), num_roi: Type.Integer(), etag: Type.String() })),
});
export type AnnotatedFilesResponse = Static<typeof AnnotatedFilesResponse>;

const UpperLeft = Type.Integer({ minimum: 0 });
const LowerRight = Type.Integer({ exclusiveMinimum: 0 });

/** What PUT takes. It is checked by shared/annotations.ts, whose messages name the ROI. */
export const AnnotationBody = Type.Object(
  {
    num_roi: Type.Integer({ minimum: 0 }),
    roi_coords: Type.Array(Type.Tuple([UpperLeft, UpperLeft, LowerRight, LowerRight])),
    roi_frames: Type.Optional(Type.Array(Type.Array(Type.Integer({ minimum: 0 })))),
  },
  { additionalProperties: false },
);

export const AnnotationExportQuery = Type.Object({
  /** Only what was edited since the start: needs no import, and so saves the work when that failed. */
  edits_only: Type.Optional(Type.Boolean()),
});

/** Where edits are kept until they are exported, and what an earlier run of the server has kept of the open files. */
export const AnnotationJournalResponse = Type.Object({
  /** `off`: edits end with the server. `failing`: the last one could not be written; it is tried again. */
  state: Type.Enum(['off', 'on', 'failing']),
  error: nullable(Type.String()),
  folder: nullable(Type.String()),
  /** False until all files are known and what was kept has been looked through: ask again. */
  searched: Type.Boolean(),
  kept: nullable(
    Type.Object({
      num_roi: Type.Integer(),
      num_files: Type.Integer(),
      /** The file, or the folder that all of them are in. */
      path: Type.String(),
      /** Files whose size or time is another one than then. They are the same objects by their UIDs. */
      changed_files: Type.Integer(),
      saved_at_ms: Type.Number(),
    }),
  ),
});
export type AnnotationJournalResponse = Static<typeof AnnotationJournalResponse>;

/** Brings back what an earlier run has kept, or removes it. */
export const RecoveryBody = Type.Object({ action: Type.Enum(['restore', 'forget']) }, { additionalProperties: false });
export type RecoveryBody = Static<typeof RecoveryBody>;
