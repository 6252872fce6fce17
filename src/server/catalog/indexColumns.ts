import { type FileField, type FileFieldName, listFields, type NamedField } from '../../shared/contract/fileFields.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { dictionaryVr, findTag } from '../dicom/dictionary.ts';
import { resolveChoice, vrTraits } from '../dicom/vr.ts';
import { packSource, SOURCE_NUMBERS, unpackSource } from '../origins/sourceColumns.ts';
import type { FileDescription } from './dicomFile.ts';

export type IndexValue = string | number | bigint | boolean | null;

/** One column of an index of files. */
export type IndexColumn = {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'INT64' | 'DOUBLE' | 'BOOLEAN';
  /** `header` is that of the file, and has the elements of `tags`. */
  readonly read: (file: FileDescription, header: Attributes) => IndexValue;
};

type Pair = {
  readonly suffixes: readonly [string, string];
  readonly keys: readonly [string | number, string | number];
};

/** Fields of two numbers have two columns. */
const PAIRS: Readonly<Partial<Record<FileField['form'], Pair>>> = {
  pair: { suffixes: ['_row', '_column'], keys: [0, 1] },
  window: { suffixes: ['_center', '_width'], keys: ['center', 'width'] },
};

/** Columns that are in every index: what the catalog knows of a file, by DICOM keyword if it has one. */
export const RECORD_COLUMNS: readonly IndexColumn[] = [
  ...listFields().flatMap(columnsOfField),
  { name: 'real_path', type: 'STRING', read: (file) => packSource(file.source, file.path).text ?? null },
  ...SOURCE_NUMBERS.map((name): IndexColumn => ({
    name: toColumnName(name),
    type: 'DOUBLE',
    read: (file) => packSource(file.source, file.path)[name],
  })),
  {
    name: 'placement',
    type: 'STRING',
    read: ({ placement }) => (placement === undefined ? null : JSON.stringify(placement)),
  },
];

/** The elements that are in an index unless the user names others. */
export const USUAL_TAGS: readonly string[] = [
  'StudyTime',
  'AccessionNumber',
  'StudyID',
  'PatientBirthDate',
  'PatientSex',
  'PatientAge',
  'BodyPartExamined',
  'ProtocolName',
  'Manufacturer',
  'ManufacturerModelName',
  'InstitutionName',
  'SeriesTime',
  'AcquisitionDate',
  'AcquisitionTime',
  'ImageType',
  'SliceThickness',
  'ImagePositionPatient',
  'ImageOrientationPatient',
  'KVP',
  'ConvolutionKernel',
  'MagneticFieldStrength',
  'RepetitionTime',
  'EchoTime',
  'InversionTime',
  'FlipAngle',
  'SequenceName',
  'ContrastBolusAgent',
];

/** An element of a file that has a column of its own. */
export type IndexTag = { readonly keyword: string; readonly tag: number };

/** Undefined if there is no such element, or if it has no values that fit into a column. */
export function findIndexTag(keyword: string): IndexTag | undefined {
  const tag = findTag(keyword);
  if (tag === undefined) return undefined;
  const { kind } = vrTraits(toSingleVr(dictionaryVr(tag))) ?? {};
  return kind === undefined || kind === 'sequence' || kind === 'bytes' ? undefined : { keyword, tag };
}

/** Values of one element that are in its column. */
const MOST_VALUES_OF_TAG = 64;

/** The columns of an index with these elements. An element that the record has already has no second column. */
export function listIndexColumns(tags: readonly IndexTag[]): readonly IndexColumn[] {
  const known = new Set(RECORD_COLUMNS.map(({ name }) => name));
  return [...RECORD_COLUMNS, ...tags.filter(({ keyword }) => !known.has(keyword)).map(columnOfTag)];
}

/** One number is a number. Several values are a text, as DICOM writes them, with backslashes between them. */
function columnOfTag({ keyword, tag }: IndexTag): IndexColumn {
  const vr = toSingleVr(dictionaryVr(tag));
  const { kind } = vrTraits(vr) ?? {};
  if ((kind === 'number' || kind === 'numeric text') && !SEVERAL_NUMBERS.has(keyword)) {
    return { name: keyword, type: 'DOUBLE', read: (_, header) => header.number(tag) ?? null };
  }
  return {
    name: keyword,
    type: 'STRING',
    read: (_, header) => header.strings(tag, MOST_VALUES_OF_TAG).join('\\') || null,
  };
}

/** Elements of the usual ones, and others often wanted, that have several numbers. */
const SEVERAL_NUMBERS: ReadonlySet<string> = new Set([
  'ImagePositionPatient',
  'ImageOrientationPatient',
  'PixelSpacing',
  'ImagerPixelSpacing',
  'PixelAspectRatio',
  'WindowCenter',
  'WindowWidth',
  'FrameTimeVector',
  'AcquisitionMatrix',
  'DiffusionGradientOrientation',
]);

function toSingleVr(vr = 'UN'): string {
  return vr.length === 2 ? vr : resolveChoice(vr, false);
}

function columnsOfField(field: NamedField): IndexColumn[] {
  const name = nameOfField(field);
  const pair = PAIRS[field.form];
  if (pair !== undefined) {
    return pair.suffixes.map((suffix, at) => ({
      name: name + suffix,
      type: 'DOUBLE',
      read: (file) => toIndexNumber(Reflect.get(Object(file[field.name] ?? {}), pair.keys[at]!)),
    }));
  }
  return [{ name, type: typeOfField(field), read: (file) => toIndexValue(field, file[field.name]) }];
}

function nameOfField({ name, wireName, element, keyword = element }: NamedField): string {
  // The frames that can be requested are not always as many as Number of Frames says.
  return name === 'frameCount' || keyword === undefined ? wireName : keyword;
}

function typeOfField({ name, form }: NamedField): IndexColumn['type'] {
  if (name === 'fileBytes') return 'INT64';
  if (name === 'declaredFrameCount' || form === 'number') return 'DOUBLE';
  return form === 'integer' ? 'INT32' : form === 'flag' ? 'BOOLEAN' : 'STRING';
}

function toIndexValue(field: NamedField, value: unknown): IndexValue {
  if (typeof value === 'boolean') return value;
  // An absent text is NULL for those who query the table.
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  if (field.name === 'fileBytes') return BigInt(value);
  return typeOfField(field) === 'INT32' && (value | 0) !== value ? null : value;
}

function toIndexNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** `mtimeMs` becomes `file_mtime_ms`. */
function toColumnName(name: string): string {
  return `file_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

/** One row of an index, by the names of its columns. */
export type IndexRow = Readonly<Record<string, unknown>>;

/** Makes the description of a file of the row that was written for it. Throws if the row is not of such an index. */
export function describeRow(row: IndexRow): FileDescription {
  const values: Partial<Record<FileFieldName, unknown>> = {};
  for (const field of listFields()) values[field.name] = readField(field, row);
  const { path, fileBytes } = values;
  if (typeof path !== 'string' || typeof fileBytes !== 'number') throw new Error('a row has no path or no length');
  const [dev, ino, mtimeMs] = SOURCE_NUMBERS.map((name) => Number(row[toColumnName(name)] ?? Number.NaN));
  const realPath = row['real_path'];
  const packed = { text: typeof realPath === 'string' ? realPath : undefined, dev: dev!, ino: ino!, mtimeMs: mtimeMs! };
  const placement = row['placement'];
  const description = {
    ...values,
    placement: typeof placement === 'string' ? JSON.parse(placement) : undefined,
    source: unpackSource(packed, { path, size: fileBytes }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has a value for each field
  return description as unknown as FileDescription;
}

function readField(field: NamedField, row: IndexRow): unknown {
  const name = nameOfField(field);
  const { form, isOptional, terms = [] } = field;
  const pair = PAIRS[form];
  if (pair !== undefined) {
    const [first, second] = pair.suffixes.map((suffix) => row[name + suffix]);
    if (typeof first !== 'number' || typeof second !== 'number') return undefined;
    return form === 'pair' ? [first, second] : { center: first, width: second };
  }
  const value = row[name];
  if (form === 'flag') return value === true;
  if (form === 'text') return typeof value === 'string' ? value : isOptional ? undefined : '';
  if (form === 'term') return terms.includes(String(value)) ? value : isOptional ? undefined : terms.at(-1);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : isOptional ? undefined : 0;
}
