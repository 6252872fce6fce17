// Apart from the schemas, so that threads that need the fields alone do not load the schema library.
import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from './fileTerms.ts';

/** What a field of a file record holds, and what is made of it. */
export type FileField = {
  /** `window` is a center and a width, `pair` two numbers that belong together, `term` one of `terms`. */
  readonly form: 'text' | 'integer' | 'number' | 'flag' | 'pair' | 'window' | 'term';
  readonly terms?: readonly string[];
  /** Without a value it is undefined, and null on the wire. A text that is not optional is empty then. */
  readonly isOptional?: true;
  /** The text of this element of the header, by its DICOM keyword: the scan reads it without further code. */
  readonly element?: string;
  /** The DICOM keyword by which a filter may name the field, where `element` does not say it. */
  readonly keyword?: string;
  /** What dcmview calls it, for filters. */
  readonly alias?: string;
  /** Files cannot be filtered by it. Numbers that are not counts are never filtered by. */
  readonly isFilter?: false;
  /** The server alone knows it. */
  readonly isInternal?: true;
};

/**
 * The fields of a file record, in the order of the wire. One line here gives a field of the catalog's record, its columns,
 * how it is packed and read, its place in `/files` under the same name in snake_case, its schema and its filter. Where
 * `element` is not given, `describeFile` says what its value is.
 */
export const FILE_FIELDS = {
  /** A label that tells the user where the file is. For a local file absolute and normalized, below the input as given. */
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
  objectKind: { form: 'term', terms: OBJECT_KINDS },
  supportState: { form: 'term', terms: SUPPORT_STATES },
  supportReason: { form: 'text', isOptional: true },
  hasPixels: { form: 'flag' },
  /** Whether the file says that its pixels show who the patient is. */
  burnedInAnnotation: { form: 'flag', isFilter: false },
  /** Frames that can be asked for: those that are whole, as far as a file of its size is believed to have them. */
  frameCount: { form: 'integer', keyword: 'NumberOfFrames' },
  /** Number of Frames, where there are pixels and it can be read; 1 where it is absent. */
  declaredFrameCount: { form: 'integer', isOptional: true, isInternal: true },
  rows: { form: 'integer', keyword: 'Rows' },
  columns: { form: 'integer', keyword: 'Columns' },
  samplesPerPixel: { form: 'integer', keyword: 'SamplesPerPixel' },
  bitsAllocated: { form: 'integer', keyword: 'BitsAllocated' },
  bitsStored: { form: 'integer', keyword: 'BitsStored' },
  photometricInterpretation: { form: 'text', keyword: 'PhotometricInterpretation' },
  /** Height of a pixel over its width. */
  pixelAspectRatio: { form: 'number', isOptional: true },
  /** Between rows, between columns. */
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

/** A field with its name, as `listFields` gives them. */
export type NamedField = FileField & { readonly name: FileFieldName; readonly wireName: string };

export function listFields(): NamedField[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the table, which has no others
  const fields = Object.entries(FILE_FIELDS) as [FileFieldName, FileField][];
  return fields.map(([name, field]) => ({ ...field, name, wireName: toWireName(name) }));
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

/** The value of a field in the server. */
export type FieldValue<Field extends FileField> =
  | FormValue<Field>
  | (Field extends { readonly isOptional: true } ? undefined : never);

/** All fields of a file. */
export type FieldValues = { readonly [Name in FileFieldName]: FieldValue<FileFields[Name]> };

/** What `/files` says of the fields: by their names on the wire, with null for undefined. */
export type WireValues = {
  -readonly [Name in FileFieldName as FileFields[Name] extends { readonly isInternal: true } ? never : WireName<Name>]:
    | Mutable<Exclude<FieldValue<FileFields[Name]>, undefined>>
    | (undefined extends FieldValue<FileFields[Name]> ? null : never);
};

type Mutable<Value> = Value extends object ? { -readonly [Key in keyof Value]: Value[Key] } : Value;
