// Separate from the schemas, so that threads that need only the fields do not load the schema library.
import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from './fileTerms.ts';

/** Describes a field of a file record and how it is used. */
export type FileField = {
  /** `window` is a center and a width, `pair` is two related numbers, `term` is one of `terms`. */
  readonly form: 'text' | 'integer' | 'number' | 'flag' | 'pair' | 'window' | 'term';
  readonly terms?: readonly string[];
  /** Without a value it is undefined, and null on the wire. A text that is not optional is then empty. */
  readonly isOptional?: true;
  /** DICOM keyword of the header element that holds the text; the scan reads it without further code. */
  readonly element?: string;
  /** The DICOM keyword that filters can use for the field, if `element` does not give it. */
  readonly keyword?: string;
  /** The name that dcmview uses for it, for filters. */
  readonly alias?: string;
  /** False if files cannot be filtered by it. Numbers that are not counts can never be used in filters. */
  readonly isFilter?: false;
  /** Known only to the server. */
  readonly isInternal?: true;
};

/**
 * The fields of a file record, in wire order. Each line defines a field of the catalog's record, its columns, how it is
 * packed and read, its place in `/files` under the same name in snake_case, its schema and its filter. Without
 * `element`, `describeFile` determines the value.
 */
export const FILE_FIELDS = {
  /**
   * A label that tells the user where the file is. For a local file: absolute and normalized, below the input as given.
   */
  path: { form: 'text' },
  label: { form: 'text' },
  patientId: { form: 'text', element: 'PatientID' },
  patientName: { form: 'text', element: 'PatientName' },
  studyInstanceUid: { form: 'text', element: 'StudyInstanceUID', alias: 'study_uid' },
  studyDate: { form: 'text', element: 'StudyDate' },
  studyDescription: { form: 'text', element: 'StudyDescription' },
  seriesInstanceUid: { form: 'text', element: 'SeriesInstanceUID', alias: 'series_uid' },
  seriesNumber: { form: 'text', element: 'SeriesNumber' },
  seriesDescription: { form: 'text', element: 'SeriesDescription' },
  modality: { form: 'text', element: 'Modality' },
  instanceNumber: { form: 'text', element: 'InstanceNumber' },
  sopInstanceUid: { form: 'text', keyword: 'SOPInstanceUID' },
  sopClassUid: { form: 'text', keyword: 'SOPClassUID' },
  sopClassName: { form: 'text', isOptional: true },
  /** What the object calls itself: title of a report or PDF, label of a plan or structure set; at most 120 characters. */
  contentTitle: { form: 'text', isOptional: true },
  objectKind: { form: 'term', terms: OBJECT_KINDS },
  supportState: { form: 'term', terms: SUPPORT_STATES },
  supportReason: { form: 'text', isOptional: true },
  hasPixels: { form: 'flag' },
  /** Whether the file declares that its pixels identify the patient. */
  burnedInAnnotation: { form: 'flag', isFilter: false },
  /**
   * Number of frames that can be requested: the complete ones, up to the number that is plausible for the file size.
   */
  frameCount: { form: 'integer', keyword: 'NumberOfFrames' },
  /** Number of Frames, if there are pixels and it can be read; 1 if it is absent. */
  declaredFrameCount: { form: 'integer', isOptional: true, isInternal: true },
  rows: { form: 'integer', keyword: 'Rows' },
  columns: { form: 'integer', keyword: 'Columns' },
  samplesPerPixel: { form: 'integer', keyword: 'SamplesPerPixel' },
  bitsAllocated: { form: 'integer', keyword: 'BitsAllocated' },
  bitsStored: { form: 'integer', keyword: 'BitsStored' },
  photometricInterpretation: { form: 'text', keyword: 'PhotometricInterpretation' },
  /** Height of a pixel divided by its width. */
  pixelAspectRatio: { form: 'number', isOptional: true },
  /** Between rows, then between columns. */
  pixelSpacingMm: { form: 'pair', isOptional: true },
  pixelSpacingSource: { form: 'term', terms: SPACING_SOURCES, isOptional: true, isFilter: false },
  transferSyntaxUid: { form: 'text', keyword: 'TransferSyntaxUID' },
  transferSyntaxName: { form: 'text' },
  frameOfReferenceUid: { form: 'text', isOptional: true, element: 'FrameOfReferenceUID' },
  defaultWindow: { form: 'window', isOptional: true },
  fileBytes: { form: 'integer', isFilter: false },
} as const satisfies Readonly<Record<string, FileField>>;

export type FileFields = typeof FILE_FIELDS;
export type FileFieldName = keyof FileFields;

/** A field with its name, as returned by `listFields`. */
export type NamedField = FileField & { readonly name: FileFieldName; readonly wireName: string };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table, which has no others
const NAMED_FIELDS: readonly NamedField[] = (Object.entries(FILE_FIELDS) as [FileFieldName, FileField][]).map(
  ([name, field]) => ({ ...field, name, wireName: toWireName(name) }),
);

export function listFields(): readonly NamedField[] {
  return NAMED_FIELDS;
}

function toWireName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export type WireName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${WireName<Rest>}`
    : `_${Lowercase<First>}${WireName<Rest>}`
  : '';

type FormValue<Field extends FileField> = Field extends {
  readonly form: 'term';
  readonly terms: readonly (infer Term)[];
}
  ? Term
  : {
      readonly text: string;
      readonly integer: number;
      readonly number: number;
      readonly flag: boolean;
      readonly pair: readonly [number, number];
      readonly window: { readonly center: number; readonly width: number };
      readonly term: string;
    }[Field['form']];

/** The value of a field on the server. */
export type FieldValue<Field extends FileField> =
  | FormValue<Field>
  | (Field extends { readonly isOptional: true } ? undefined : never);

export type FieldValues = { readonly [Name in FileFieldName]: FieldValue<FileFields[Name]> };

/** The fields in `/files`: by their names on the wire, with null for undefined. */
export type WireValues = {
  -readonly [Name in FileFieldName as FileFields[Name] extends { readonly isInternal: true } ? never : WireName<Name>]:
    | Mutable<Exclude<FieldValue<FileFields[Name]>, undefined>>
    | (undefined extends FieldValue<FileFields[Name]> ? null : never);
};

type Mutable<Value> = Value extends object ? { -readonly [Key in keyof Value]: Value[Key] } : Value;
