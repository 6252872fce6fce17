import {
  type FileField,
  type FileFieldName,
  listFields,
  type NamedField,
} from '../../../shared/contract/fileFields.ts';
import type { Attributes } from '../../standard/dicom/dataSet.ts';
import { dictionaryVr, findTag } from '../../standard/dicom/dictionary.ts';
import { resolveChoice, vrTraits } from '../../standard/dicom/vr.ts';
import {
  ExplicitVrBigEndian,
  ExplicitVrLittleEndian,
  ImplicitVrLittleEndian,
} from '../../standard/dicom/transferSyntax.ts';
import { packSource, parseSource, SOURCE_NUMBERS } from '../../bytes/origins/sourceColumns.ts';
import { countNativeFrames, mostFrames } from '../pixels/frameLayout.ts';
import { parseJson } from '../../machine/workers/parseJson.ts';
import type { FileDescription } from './dicomFile.ts';
import type { Placement } from './placement.ts';

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

/**
 * What the viewer has of these may be another value than that of the element: a count of the frames that are complete,
 * a value that follows from others where the element is absent, a number as it is written. They have two columns: the
 * element's, which is NULL if the file does not have it, and the viewer's.
 */
const VIEWERS_FIELDS: ReadonlySet<FileFieldName> = new Set([
  'seriesNumber',
  'instanceNumber',
  'frameCount',
  'samplesPerPixel',
  'bitsStored',
  'photometricInterpretation',
]);

/** VRs whose values fit into 32 bits with a sign. */
const INTEGER_VRS: ReadonlySet<string> = new Set(['IS', 'SL', 'SS', 'US']);

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
    const type = INTEGER_VRS.has(vr) ? 'INT32' : 'DOUBLE';
    return { name: keyword, type, read: (_, header) => toNumberOf(type, header.number(tag)) };
  }
  return {
    name: keyword,
    type: 'STRING',
    read: (_, header) => header.strings(tag, MOST_VALUES_OF_TAG).join('\\') || null,
  };
}

/** Null for a value that is none of the column, such as a text in an Integer String. */
function toNumberOf(type: IndexColumn['type'], value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return type === 'INT32' && (value | 0) !== value ? null : value;
}

function toSingleVr(vr = 'UN'): string {
  return vr.length === 2 ? vr : resolveChoice(vr, false);
}

function columnsOfField(field: NamedField): IndexColumn[] {
  const name = nameOfField(field);
  const own: IndexColumn = { name, type: typeOfField(field), read: (file) => toIndexValue(field, file[field.name]) };
  const element = findIndexTag(field.element ?? field.keyword ?? '');
  if (element !== undefined && VIEWERS_FIELDS.has(field.name)) return [columnOfTag(element), own];
  // An absent number is NULL in the table, and 0 in the record of the viewer.
  if (element !== undefined && field.form === 'integer') return [columnOfTag(element)];
  const pair = PAIRS[field.form];
  if (pair !== undefined) {
    return pair.suffixes.map((suffix, at) => ({
      name: name + suffix,
      type: 'DOUBLE',
      read: (file) => toNumberOf('DOUBLE', Reflect.get(Object(file[field.name] ?? {}), pair.keys[at]!)),
    }));
  }
  return [own];
}

function nameOfField({ name, wireName, element, keyword = element }: NamedField): string {
  return VIEWERS_FIELDS.has(name) || keyword === undefined ? wireName : keyword;
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
  if (typeof value === 'number' && field.name === 'fileBytes') return BigInt(value);
  // No image has 0 samples or bits: there is no value.
  if (value === 0 && (field.name === 'samplesPerPixel' || field.name === 'bitsStored')) return null;
  return toNumberOf(typeOfField(field), value);
}

/** `mtimeMs` becomes `file_mtime_ms`. */
function toColumnName(name: string): string {
  return `file_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

/** One row of an index, by the names of its columns. */
export type IndexRow = Readonly<Record<string, unknown>>;

/** A row that no file can have, with its path if that can be shown. */
export type BadRow = { readonly path: string; readonly problem: string };

/**
 * Makes the description of a file of the row that was written for it. The table may have been changed since, by any
 * program, so that each value is held against what the scan could have found.
 */
export function describeRow(row: IndexRow): FileDescription | BadRow {
  const values: Partial<Record<FileFieldName, unknown>> = {};
  const path = toText(row['path']) ?? '';
  const refuse = (problem: string): BadRow => ({ path: path.slice(0, LONGEST_LABEL), problem });
  for (const field of listFields()) {
    const value = readField(field, row);
    if (value === INVALID) return refuse(`${nameOfField(field)} is no value of a file`);
    values[field.name] = value;
  }
  const size = Number(values['fileBytes']);
  if (path === '' || path.length > LONGEST_PATH || path.includes('\0')) return refuse('it has no path');
  if (!hasPlausibleFrames(values, size)) return refuse('it has more frames than its file has room for');
  const placement = parsePlacement(row['placement']);
  if (placement === INVALID) return refuse('its placement is none of an image');
  const [dev, ino, mtimeMs] = SOURCE_NUMBERS.map((name) => Number(row[toColumnName(name)] ?? Number.NaN));
  const text = toText(row['real_path']);
  const source = parseSource({ text, dev: dev!, ino: ino!, mtimeMs: mtimeMs! }, { path, size });
  if (source === undefined) return refuse('it does not say where the file is');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has a checked value for each field
  return { ...values, placement, source } as unknown as FileDescription;
}

const INVALID = Symbol('invalid');
const LONGEST_PATH = 16_384;
/** Of a path in the list of what is not shown. */
const LONGEST_LABEL = 1_024;
/** Longer than any value of an element that has a column in the record. */
const LONGEST_TEXT = 16_384;
const MOST_FILE_BYTES = 2 ** 44;
const LARGEST_COUNT = 2 ** 32 - 1;

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** As `describeFile` counts them. The length of the pixel data is not known here, but it is less than that of the file. */
function hasPlausibleFrames(values: Partial<Record<FileFieldName, unknown>>, fileBytes: number): boolean {
  const { frameCount = 0, rows = 0, columns = 0, samplesPerPixel = 0, bitsAllocated = 0 } = values;
  const numberOfFrames = Number(frameCount);
  if (numberOfFrames < 0 || numberOfFrames > mostFrames(fileBytes)) return false;
  // An image that is not shown may not be what its syntax says.
  const isNative = NATIVE.has(values['transferSyntaxUid']) && values['supportReason'] === undefined;
  const { photometricInterpretation } = values;
  const layout = {
    rows: Number(rows),
    columns: Number(columns),
    samplesPerPixel: Number(samplesPerPixel),
    bitsAllocated: Number(bitsAllocated),
    photometricInterpretation: typeof photometricInterpretation === 'string' ? photometricInterpretation : '',
    numberOfFrames,
  };
  const isLaidOut = Math.min(layout.rows, layout.columns, layout.samplesPerPixel, layout.bitsAllocated) > 0;
  return !isNative || !isLaidOut || countNativeFrames(layout, fileBytes) === numberOfFrames;
}

const NATIVE: ReadonlySet<unknown> = new Set([ImplicitVrLittleEndian, ExplicitVrLittleEndian, ExplicitVrBigEndian]);

/** Undefined without one. */
function parsePlacement(text: unknown): Placement | undefined | typeof INVALID {
  if (text === null || text === undefined) return undefined;
  let value: unknown;
  try {
    value = typeof text === 'string' && text.length <= LONGEST_TEXT ? parseJson(text, { depth: 4 }) : undefined;
  } catch {
    return INVALID;
  }
  const isPlacement =
    hasFields(value, PLACEMENT_CHECKS) &&
    isAbsentOr(value['concatenation'], (part) => hasFields(part, CONCATENATION_CHECKS)) &&
    isAbsentOr(value['slide'], (part) => hasFields(part, SLIDE_CHECKS));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its fields were checked
  return isPlacement ? (value as Placement) : INVALID;
}

type Check = (value: unknown) => boolean;
type Json = Readonly<Record<string, unknown>>;

const isString: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value);
const areNumbers =
  (count: number): Check =>
  (value) =>
    Array.isArray(value) && value.length === count && value.every(isNumber);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
const isLength: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_FILE_BYTES;
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_COUNT;

const PLACEMENT_CHECKS: Readonly<Record<string, Check>> = {
  imageType: isString,
  echoNumber: optional(isNumber),
  bValue: optional(isNumber),
  time: optional(isNumber),
  position: optional(areNumbers(3)),
  orientation: optional(areNumbers(6)),
  sliceThicknessMm: optional(isNumber),
  sliceSpacingMm: optional(isNumber),
  hasFrameGeometry: (value) => typeof value === 'boolean',
};
const CONCATENATION_CHECKS: Readonly<Record<string, Check>> = {
  uid: isString,
  number: optional(isNumber),
  total: optional(isNumber),
  frameOffset: optional(isCount),
};
const SLIDE_CHECKS: Readonly<Record<string, Check>> = {
  pyramidUid: optional(isString),
  containerIdentifier: isString,
  totalRows: optional(isCount),
  totalColumns: optional(isCount),
  imagedVolumeWidthMm: optional(isNumber),
  originMm: optional(areNumbers(2)),
  orientation: optional(areNumbers(4)),
};

function hasFields(value: unknown, checks: Readonly<Record<string, Check>>): value is Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(checks).every(([name, check]) => check(Reflect.get(value, name)));
}

function isAbsentOr(value: unknown, check: Check): boolean {
  return optional(check)(value);
}

function readField(field: NamedField, row: IndexRow): unknown {
  const name = nameOfField(field);
  const { form, isOptional, terms = [] } = field;
  const absent = isOptional ? undefined : form === 'text' ? '' : form === 'term' ? terms.at(-1) : 0;
  const pair = PAIRS[form];
  if (pair !== undefined) {
    const [first, second] = pair.suffixes.map((suffix) => row[name + suffix] ?? undefined);
    if (first === undefined && second === undefined) return undefined;
    if (!isNumber(first) || !isNumber(second)) return INVALID;
    return form === 'pair' ? [first, second] : { center: first, width: second };
  }
  const value = row[name] ?? undefined;
  if (form === 'flag') return typeof value === 'boolean' || value === undefined ? value === true : INVALID;
  if (value === undefined) return absent;
  if (form === 'text') return typeof value === 'string' && value.length <= LONGEST_TEXT ? value : INVALID;
  // A term that a later version writes is not known here.
  if (form === 'term') return typeof value === 'string' && terms.includes(value) ? value : absent;
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
  if (field.name === 'fileBytes') return isLength(number) ? number : INVALID;
  // The declared number of frames is as written in the file.
  const isOfRow = typeOfField(field) === 'INT32' ? (number | 0) === number : isNumber(number);
  return isOfRow ? number : INVALID;
}
