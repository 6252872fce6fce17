import { type Static, Type, nullable } from './schema.ts';
import { FLIP_AXES } from '../flipAxes.ts';
import { PLACEMENT_STATUSES } from './layers.ts';

/** The formats of model output. */
export const ATTACHMENT_FORMATS = ['nifti', 'nrrd', 'npy', 'npz', 'png'] as const;
export type AttachmentFormat = (typeof ATTACHMENT_FORMATS)[number];

/** More than anybody can tell apart. */
export const MOST_OVERLAYS = 64;
/** Layers of each side that are compared one after the other. */
export const MOST_COMPARED = 4_096;

export const AttachmentsQuery = Type.Object({
  since: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
});

const Placement = Type.Object({ status: Type.Enum([...PLACEMENT_STATUSES]), reason: Type.String() });

const ARRANGEMENT = {
  /** Of the orders of its axes in which it fits. */
  order: Type.Optional(Type.Integer({ minimum: 0 })),
  flips: Type.Optional(Type.Array(Type.Enum([...FLIP_AXES]), { maxItems: FLIP_AXES.length })),
};

/**
 * A frame of the stack that an attachment is to lie over; null to let negato decide again. Where only its sizes say that
 * it fits there, also the order of its axes and those that run the other way.
 */
export const AttachmentChoice = Type.Object({
  file: nullable(Type.Integer({ minimum: 0 })),
  frame: Type.Integer({ minimum: 0 }),
  ...ARRANGEMENT,
});
export type AttachmentChoice = Static<typeof AttachmentChoice>;

export const WireAttachment = Type.Object({
  attachment: Type.Integer(),
  /** Its number among the layers. */
  layer: Type.Integer(),
  /** Of the file; for PNG, of the folder whose pictures it consists of. */
  path: Type.String(),
  format: Type.Enum([...ATTACHMENT_FORMATS]),
  /** NPZ: the name of the array. */
  member: nullable(Type.String()),
  title: Type.String(),
  /** As the file declares it. */
  shape: Type.Array(Type.Integer()),
  dtype: nullable(Type.String()),
  /** From indices along the axes of space to millimetres of the patient (LPS), row by row. */
  affine_lps: nullable(Type.Array(Type.Number(), { minItems: 16, maxItems: 16 })),
  affine_source: nullable(Type.Enum(['sform', 'qform', 'space_directions'])),
  /** Labels that the header names. */
  labels: Type.Array(
    Type.Object({
      value: Type.Integer(),
      name: nullable(Type.String()),
      color: nullable(Type.Tuple([Type.Integer(), Type.Integer(), Type.Integer()])),
    }),
  ),
  /** Whether it was named with `--overlay`. */
  is_requested: Type.Boolean(),
  placement: Placement,
  /** The files of the images that it lies over, one of each stack. */
  over_file_indices: Type.Array(Type.Integer()),
  /** What the user has chosen, with the first frame of the stack; null if negato has decided. */
  choice: nullable(
    Type.Object({
      file_index: Type.Integer(),
      frame_index: Type.Integer(),
      order: Type.Integer(),
      flips: Type.Array(Type.Enum([...FLIP_AXES])),
    }),
  ),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type WireAttachment = Static<typeof WireAttachment>;

export const AttachmentsResponse = Type.Object({
  /** Empty until the scan is complete. */
  attachments: Type.Array(WireAttachment),
  total: Type.Integer(),
  scan_complete: Type.Boolean(),
});
export type AttachmentsResponse = Static<typeof AttachmentsResponse>;

export const OverlaysResponse = Type.Object({
  /**
   * Numbers of layers, in the order in which they were named: attachments, DICOM files that are layers, and of each series of
   * images, which may lie over others as well, the first file. Empty until the scan is complete.
   */
  layers: Type.Array(Type.Integer(), { maxItems: MOST_OVERLAYS }),
  /** With those beyond. */
  total: Type.Integer(),
  /** The layers of `--truth` and of `--test`, which are compared. */
  truth: Type.Array(Type.Integer(), { maxItems: MOST_COMPARED }),
  test: Type.Array(Type.Integer(), { maxItems: MOST_COMPARED }),
  scan_complete: Type.Boolean(),
});
export type OverlaysResponse = Static<typeof OverlaysResponse>;

export const AttachmentMatchesResponse = Type.Object({
  attachment: Type.Integer(),
  placement: Placement,
  /** The stacks that it fits, the best first. */
  matches: Type.Array(
    Type.Object({
      /** The first file of the stack. */
      file_index: Type.Integer(),
      frame_index: Type.Integer(),
      method: Type.Enum(['by_grid', 'by_reference', 'direct', 'by_shape', 'ambiguous']),
      reason: Type.String(),
      residual_mm: nullable(Type.Number()),
      /** The orders of its axes in which it fits, such as `slices, rows, columns`; empty if the file says how it lies. */
      orders: Type.Array(Type.String()),
      /** 2 if its x and y would fit exactly the other way: `order` 1 reads them so. */
      readings: Type.Integer(),
      /** The axes along which it may run the other way, because the file does not say how it lies. */
      flips: Type.Array(Type.Enum([...FLIP_AXES])),
      /** Whether it lies there. */
      is_chosen: Type.Boolean(),
    }),
  ),
});
export type AttachmentMatchesResponse = Static<typeof AttachmentMatchesResponse>;
