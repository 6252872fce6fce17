import { type Static, Type } from 'typebox';

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

/** What PUT takes. It is checked by shared/annotations.ts, whose messages name the ROI. */
export const AnnotationBody = Type.Object({
  num_roi: Type.Integer({ minimum: 0 }),
  roi_coords: Type.Array(RoiBox),
  roi_frames: Type.Optional(Type.Array(Type.Array(Type.Integer({ minimum: 0 })))),
});

export const AnnotationExportQuery = Type.Object({
  /** Only what was edited since the start: needs no import, and so saves the work when that failed. */
  edits_only: Type.Optional(Type.Boolean()),
});
