import { type Static, Type } from 'typebox';
import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from './fileTerms.ts';
import { nullable } from './nullable.ts';
import { SKIP_REASONS } from './skipReasons.ts';

export type { SpacingSource } from './fileTerms.ts';
export { SKIP_REASONS, type SkipReason } from './skipReasons.ts';

export type ObjectKind = (typeof OBJECT_KINDS)[number];
export const ObjectKind = Type.Enum([...OBJECT_KINDS]);
export type SupportState = (typeof SUPPORT_STATES)[number];
export const SupportState = Type.Enum([...SUPPORT_STATES]);

export const DefaultWindow = Type.Object({ center: Type.Number(), width: Type.Number() });

export const FileRecord = Type.Object({
  index: Type.Integer(),
  path: Type.String(),
  label: Type.String(),
  patient_id: Type.String(),
  patient_name: Type.String(),
  study_instance_uid: Type.String(),
  study_date: Type.String(),
  study_description: Type.String(),
  series_instance_uid: Type.String(),
  series_number: Type.String(),
  series_description: Type.String(),
  modality: Type.String(),
  instance_number: Type.String(),
  sop_instance_uid: Type.String(),
  sop_class_uid: Type.String(),
  sop_class_name: nullable(Type.String()),
  object_kind: ObjectKind,
  support_state: SupportState,
  support_reason: nullable(Type.String()),
  has_pixels: Type.Boolean(),
  /** Whether the file says that its pixels show who the patient is. */
  burned_in_annotation: Type.Boolean(),
  frame_count: Type.Integer(),
  rows: Type.Integer(),
  columns: Type.Integer(),
  samples_per_pixel: Type.Integer(),
  bits_allocated: Type.Integer(),
  bits_stored: Type.Integer(),
  photometric_interpretation: Type.String(),
  pixel_aspect_ratio: nullable(Type.Number()),
  pixel_spacing_mm: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  pixel_spacing_source: nullable(Type.Enum([...SPACING_SOURCES])),
  transfer_syntax_uid: Type.String(),
  transfer_syntax_name: Type.String(),
  frame_of_reference_uid: nullable(Type.String()),
  default_window: nullable(DefaultWindow),
  file_bytes: Type.Integer(),
  revision: Type.Integer(),
});
export type FileRecord = Static<typeof FileRecord>;

export const DiscoveryEntry = Type.Object({
  /** Counts all entries of this run; `/not-shown/{entry}/tags` takes it. */
  id: Type.Integer(),
  path: Type.String(),
  disposition: Type.Enum(['skipped', 'filtered']),
  reason: Type.Enum([...SKIP_REASONS]),
  /** It is DICOM: its tags can be read, as far as they can. */
  has_tags: Type.Boolean(),
});
export type DiscoveryEntry = Static<typeof DiscoveryEntry>;

/** Of the CSV that the command line names. */
export const ImportState = Type.Enum(['none', 'waiting', 'running', 'done', 'failed']);

export const AnnotationImportState = Type.Object({
  import_state: ImportState,
  error: nullable(Type.String()),
});

export const FilesResponse = Type.Object({
  files: Type.Array(FileRecord),
  discovery: Type.Array(DiscoveryEntry),
  tunnelled: Type.Boolean(),
  tunnel_host: nullable(Type.String()),
  server_start_ms: Type.Integer(),
  scan_complete: Type.Boolean(),
  scanned: Type.Integer(),
  skipped: Type.Integer(),
  filtered: Type.Integer(),
  /** All that were skipped or filtered, by reason; `discovery` holds only the most recent. */
  not_shown: Type.Partial(Type.Record(Type.Enum([...SKIP_REASONS]), Type.Integer())),
  revision: Type.Integer(),
  more: Type.Boolean(),
  reset: Type.Boolean(),
  annotations: AnnotationImportState,
  /** While the demo study is made, which is listed meanwhile: how many of its files there are. */
  making_demo: nullable(Type.Object({ written: Type.Integer(), total: Type.Integer() })),
});
export type FilesResponse = Static<typeof FilesResponse>;

export const FilesQuery = Type.Object({
  since: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
});
