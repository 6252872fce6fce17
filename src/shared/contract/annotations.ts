import { type Static, Type, nullable } from './schema.ts';

/** `[ymin, xmin, ymax, xmax]` in whole pixels. The minima are inclusive, the maxima exclusive. */
export const RoiBox = Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer(), Type.Integer()]);
export type RoiBox = Static<typeof RoiBox>;

/** All ROIs of one file, as returned by GET and PUT. */
export const AnnotationPayload = Type.Object({
  num_roi: Type.Integer(),
  roi_coords: Type.Array(RoiBox),
  /** One list of frame indices per box, empty for all frames; no lists at all if every box is on all frames. */
  roi_frames: Type.Array(Type.Array(Type.Integer())),
});
export type AnnotationPayload = Static<typeof AnnotationPayload>;

/**
 * The files that have ROIs. All other files have the ETag `untouched_etag`: nothing was imported for them or edited.
 */
export const AnnotatedFilesResponse = Type.Object({
  untouched_etag: Type.String(),
  /** In file order, including files whose last ROI was deleted. */
  files: Type.Array(Type.Object({ index: Type.Integer(), num_roi: Type.Integer(), etag: Type.String() })),
});
export type AnnotatedFilesResponse = Static<typeof AnnotatedFilesResponse>;

/** The other files of the series that have the same redactions now. */
export const RedactedSeriesResponse = Type.Object({ file_indices: Type.Array(Type.Integer()) });
export type RedactedSeriesResponse = Static<typeof RedactedSeriesResponse>;

const UpperLeft = Type.Integer({ minimum: 0 });
const LowerRight = Type.Integer({ exclusiveMinimum: 0 });

/** The body of PUT. It is checked by shared/annotations.ts, whose messages name the ROI. */
export const AnnotationBody = Type.Object(
  {
    num_roi: Type.Integer({ minimum: 0 }),
    roi_coords: Type.Array(Type.Tuple([UpperLeft, UpperLeft, LowerRight, LowerRight])),
    roi_frames: Type.Optional(Type.Array(Type.Array(Type.Integer({ minimum: 0 })))),
  },
  { additionalProperties: false },
);

export const AnnotationExportQuery = Type.Object({
  /** Only ROIs edited since the start. Does not need the import, so edits can be exported even if the import failed. */
  edits_only: Type.Optional(Type.Boolean()),
});

/** Journals of earlier runs that could not be read, or not all of them. They stay where they are. */
export const UnreadJournals = Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }));
export type UnreadJournals = Static<typeof UnreadJournals>;

/** Where edits are kept until they are exported, and the edits that an earlier server run kept for the open files. */
export const AnnotationJournalResponse = Type.Object({
  /** `off`: edits are lost when the server stops. `failing`: the last edit could not be written; the server retries. */
  state: Type.Enum(['off', 'on', 'failing']),
  error: nullable(Type.String()),
  folder: nullable(Type.String()),
  /** False until all files are known and the kept edits have been searched: the client should ask again. */
  searched: Type.Boolean(),
  kept: nullable(
    Type.Object({
      num_roi: Type.Integer(),
      num_files: Type.Integer(),
      /** The file, or the common folder of all files. */
      path: Type.String(),
      /** Files whose size or time has changed since. Their UIDs show that they are the same objects. */
      changed_files: Type.Integer(),
      saved_at_ms: Type.Number(),
    }),
  ),
  unread: UnreadJournals,
});
export type AnnotationJournalResponse = Static<typeof AnnotationJournalResponse>;

/**
 * The same of redactions. `kept` are those of an earlier run, which are in effect already, until the user has confirmed
 * or removed them. While there are unread journals, no pixel is sent.
 */
export const RedactionJournalResponse = Type.Object({
  ...AnnotationJournalResponse.properties,
  /** Boxes that other servers of this user have drawn on the open files and that are in effect here, too. */
  num_of_others: Type.Integer(),
});
export type RedactionJournalResponse = Static<typeof RedactionJournalResponse>;

/**
 * Restores the edits that an earlier run kept, or removes them. `restore` also reads the unread journals again, and
 * `forget` and `set_aside` go on without them: they get another name.
 */
export const RecoveryBody = Type.Object(
  { action: Type.Enum(['restore', 'forget', 'set_aside']) },
  { additionalProperties: false },
);
export type RecoveryBody = Static<typeof RecoveryBody>;
