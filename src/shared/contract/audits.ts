import { type Static, Type } from './schema.ts';

export const AUDIT_NAMES = [
  'geometry',
  'protocol',
  'duplicates',
  'completeness',
  'identifiers',
  'burned-in',
  'readable',
] as const;
export type AuditName = (typeof AUDIT_NAMES)[number];

/** The least important first. */
export const AUDIT_LEVELS = ['info', 'warning', 'error'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const AUDIT_UNITS = ['file', 'series', 'study', 'group', 'element'] as const;

/** Files that a finding names. */
export const MOST_FINDING_FILES = 20;
/** Findings of one audit that are listed. */
export const MOST_FINDINGS = 10_000;
/** Of `where`. */
const LONGEST_CONDITION = 10_000;

type CodeOfAudit = { readonly audit: AuditName; readonly level: AuditLevel; readonly title: string };

const code = (audit: AuditName, level: AuditLevel, title: string): CodeOfAudit => ({ audit, level, title });

/** What audits can find: in which audit, how important it usually is, and in a few words what it says. */
export const AUDIT_CODES = {
  slice_missing: code('geometry', 'error', 'Slices are missing between others'),
  slice_duplicate: code('geometry', 'warning', 'Slices are in the same place at the same time'),
  place_incomplete: code('geometry', 'warning', 'Some places have fewer images than most others'),
  spacing_varies: code('geometry', 'warning', 'Distances between slices differ'),
  orientation_varies: code('geometry', 'warning', 'Slices are rotated relative to each other'),
  gantry_tilt: code('geometry', 'info', 'Slices are sheared, as with a tilted gantry'),
  thickness_not_spacing: code('geometry', 'info', 'Slices overlap, or leave gaps between them'),
  frame_count_differs: code('geometry', 'error', 'A file has fewer frames than it declares'),
  position_missing: code('geometry', 'warning', 'Images that should have a position have none'),
  files_declared_missing: code('geometry', 'warning', 'There are fewer files than the files declare'),
  protocol_deviates: code('protocol', 'warning', 'A parameter differs from that of most series of its group'),
  duplicate_file: code('duplicates', 'warning', 'The same object is there several times'),
  duplicate_uid: code('duplicates', 'error', 'Different objects have the same SOP Instance UID'),
  duplicate_pixels: code('duplicates', 'warning', 'Objects with different UIDs have the same pixels'),
  series_in_folders: code('duplicates', 'info', 'A series is in several folders'),
  reference_missing: code('completeness', 'warning', 'An object names others that are not there'),
  plan_without_dose: code('completeness', 'info', 'No dose names a plan'),
  series_missing: code('completeness', 'warning', 'Studies lack a series that most others have'),
  identifier_element: code('identifiers', 'warning', 'An element that PS3.15 table E.1-1 lists has values'),
  identifier_date: code('identifiers', 'warning', 'A date or time that PS3.15 table E.1-1 lists has values'),
  identifier_uid: code('identifiers', 'info', 'A UID that PS3.15 table E.1-1 lists has values'),
  identifier_name: code('identifiers', 'warning', 'A person name that table E.1-1 does not list has values'),
  identifier_in_text: code('identifiers', 'error', 'Text contains the name or ID of its own patient'),
  identifier_in_path: code('identifiers', 'warning', 'Paths contain the name or ID of the patient'),
  private_elements: code('identifiers', 'warning', 'There are private elements, whose meaning is not public'),
  identity_removed_contradicted: code(
    'identifiers',
    'error',
    'Patient Identity Removed is YES, and identifying elements have values',
  ),
  overlay_planes: code('identifiers', 'warning', 'Overlay planes can contain text'),
  embedded_document: code('identifiers', 'warning', 'Embedded documents can contain anything'),
  icon_image: code('identifiers', 'warning', 'Icons show the image as it once was'),
  burned_in_likely: code('burned-in', 'warning', 'Text in the pixels is likely'),
  burned_in_possible: code('burned-in', 'info', 'Text in the pixels is possible'),
  frame_damaged: code('readable', 'error', 'Frames are damaged'),
  frame_unreadable: code('readable', 'error', 'Frames cannot be decoded'),
  file_skipped: code('readable', 'warning', 'Files are not shown'),
} as const satisfies Readonly<Record<string, CodeOfAudit>>;

export type AuditCode = keyof typeof AUDIT_CODES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table, which has no others
export const AUDIT_CODE_NAMES = Object.keys(AUDIT_CODES) as readonly AuditCode[];

export const AuditFinding = Type.Object({
  code: Type.Enum([...AUDIT_CODE_NAMES]),
  level: Type.Enum([...AUDIT_LEVELS]),
  /** What it is about. */
  unit: Type.Object({
    kind: Type.Enum([...AUDIT_UNITS]),
    /** Of a file its path, of a series its id in /series, of a study its UID, of an element its tag. */
    id: Type.String(),
    name: Type.String(),
  }),
  /** The first of the files concerned. */
  files: Type.Array(Type.Object({ file_index: Type.Integer(), path: Type.String() })),
  /** How many files, series or studies it concerns, as the message says. */
  count: Type.Integer(),
  message: Type.String(),
  /** Numbers and texts that the message is made of, by the code. */
  values: Type.Record(Type.String(), Type.Unknown()),
});
export type AuditFinding = Static<typeof AuditFinding>;

export const AuditQuery = Type.Object({
  /** A condition on files, as that of the table. A series is looked at as a whole if one of its files is chosen. */
  where: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_CONDITION, examples: ["Modality = 'MR'"] })),
  /** 1: with the values of identifying elements, in place of their form. */
  values: Type.Optional(Type.Enum(['1'])),
  /** 1: in the audit `duplicates`, the pixels of all files are compared, which reads all of them. */
  pixels: Type.Optional(Type.Enum(['1'])),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditResponse = Type.Object({
  audit: Type.Enum([...AUDIT_NAMES]),
  /** Files that were chosen. */
  files: Type.Integer(),
  /** Those of them that could not be read. */
  unread: Type.Integer(),
  /** False while files are being found, and if a limit has cut what was looked at. */
  is_complete: Type.Boolean(),
  /** All findings; no more than 10,000 are listed, the most important first. */
  total: Type.Integer(),
  findings: Type.Array(AuditFinding),
});
export type AuditResponse = Static<typeof AuditResponse>;
