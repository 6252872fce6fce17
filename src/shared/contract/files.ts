import { type Static, type TSchema, type TUnsafe, Type, nullable } from './schema.ts';
import { type FileField, listFields, type WireValues } from './fileFields.ts';
import { SKIP_REASONS } from './skipReasons.ts';

export type { ObjectKind, SpacingSource, SupportState } from './fileTerms.ts';
export { SKIP_REASONS, type SkipReason } from './skipReasons.ts';

export const DefaultWindow = Type.Object({ center: Type.Number(), width: Type.Number() });

const SCHEMAS: Readonly<Record<Exclude<FileField['form'], 'term'>, TSchema>> = {
  text: Type.String(),
  integer: Type.Integer(),
  number: Type.Number(),
  flag: Type.Boolean(),
  pair: Type.Tuple([Type.Number(), Type.Number()]),
  window: DefaultWindow,
};

function fieldSchemas(): { readonly [Name in keyof WireValues]: TUnsafe<WireValues[Name]> } {
  const schemas = listFields()
    .filter(({ isInternal }) => !isInternal)
    .map(({ wireName, form, terms, isOptional }) => {
      const schema = form === 'term' ? Type.Enum([...(terms ?? [])]) : SCHEMAS[form];
      return [wireName, isOptional ? nullable(schema) : schema] as const;
    });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `WireValues` is made from the same table
  return Object.fromEntries(schemas) as unknown as ReturnType<typeof fieldSchemas>;
}

/** One of the open files. `FILE_FIELDS` defines its fields. */
export const FileRecord = Type.Object({
  index: Type.Integer(),
  ...fieldSchemas(),
  /** Fields that are empty, or 0, because the element is in the file without a value, or with 0. Absent if there are none. */
  empty_fields: Type.Optional(Type.Array(Type.String())),
  revision: Type.Integer(),
});
export type FileRecord = Static<typeof FileRecord>;

export const DiscoveryEntry = Type.Object({
  /** Numbers all entries of this run; used in `/not-shown/{entry}/tags`. */
  id: Type.Integer(),
  path: Type.String(),
  disposition: Type.Enum(['skipped', 'filtered']),
  reason: Type.Enum([...SKIP_REASONS]),
  /** Whether the file is DICOM, so that its tags can be read as far as possible. */
  has_tags: Type.Boolean(),
});
export type DiscoveryEntry = Static<typeof DiscoveryEntry>;

export const NotShownQuery = Type.Object({
  reason: Type.Optional(Type.Enum([...SKIP_REASONS])),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
});

export const NotShownResponse = Type.Object({
  /** By reason and, for one reason, in the order in which they were found. */
  entries: Type.Array(DiscoveryEntry),
  /** Number of entries of all answers together. */
  total: Type.Integer(),
  /** Number of files beyond those that the server has room to list. */
  unlisted: Type.Integer(),
  /** Number of files that DICOMDIRs name and that are not there. They have no entries. */
  missing: Type.Integer(),
  scan_complete: Type.Boolean(),
});
export type NotShownResponse = Static<typeof NotShownResponse>;

/** Import of the CSV that is given on the command line. */
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
  /** Number of all skipped or filtered files by reason; `discovery` holds only the most recent ones. */
  not_shown: Type.Partial(Type.Record(Type.Enum([...SKIP_REASONS]), Type.Integer())),
  /** With `--watch`: indices of files in the list that have vanished or been replaced. */
  gone: Type.Array(Type.Integer()),
  /** Number of files that are no DICOM files but may lie over images; see `/attachments`. */
  attachments: Type.Integer(),
  /** Number of paths that were named with `--overlay`, `--truth` and `--test`; see `/overlays`. */
  overlays: Type.Integer(),
  revision: Type.Integer(),
  more: Type.Boolean(),
  reset: Type.Boolean(),
  annotations: AnnotationImportState,
  /** Whether identifiers are masked in every answer (`--mask`). */
  masked: Type.Boolean(),
  /** With `--review`; `blind`: with `--blind` too, so that pages say nothing of the patient, the study and the paths. */
  review: Type.Optional(Type.Enum(['open', 'blind'])),
  /** While the demo study is being made, during which it is already listed: number of its files so far. */
  making_demo: nullable(Type.Object({ written: Type.Integer(), total: Type.Integer() })),
});
export type FilesResponse = Static<typeof FilesResponse>;

export const FilesQuery = Type.Object({
  since: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
});
