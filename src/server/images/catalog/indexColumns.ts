import {
  type FileField,
  type FileFieldName,
  listFields,
  type NamedField,
} from '../../../shared/contract/fileFields.ts';
import { parseNumber } from '../../standard/dicom/decodeValue.ts';
import { findTag } from '../../standard/dicom/dictionary.ts';
import { type ElementPath, parseElementPath, pathOfTag } from '../../standard/dicom/elementPath.ts';
import { once } from '../../standard/dicom/once.ts';
import {
  ExplicitVrBigEndian,
  ExplicitVrLittleEndian,
  ImplicitVrLittleEndian,
} from '../../standard/dicom/transferSyntax.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { packSource, parseSource, SOURCE_NUMBERS } from '../../bytes/origins/sourceColumns.ts';
import { countNativeFrames, mostFrames } from '../pixels/frameLayout.ts';
import { parseJson } from '../../machine/workers/parseJson.ts';
import type { FileDescription } from './dicomFile.ts';
import { columnOfPath, type ColumnType, type ElementColumn, type IndexValue, toNumberOf } from './elementColumns.ts';
import { isInFile, listEmptyElementFields } from './emptyElements.ts';
import type { Placement } from './placement.ts';

/** A column with something that the record of a file tells. */
export type RecordColumn = {
  readonly name: string;
  readonly type: ColumnType;
  /** The element whose value it is, if it is one. */
  readonly element: ElementPath | undefined;
  /** Known only to the server: where a file is, and how it was found. */
  readonly isInternal: boolean;
  readonly path?: undefined;
  readonly read: (file: FileDescription) => IndexValue;
};

/** One column of an index of files. */
export type IndexColumn = RecordColumn | ElementColumn;

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
 * element's, of this type, which is NULL if the file does not have it, and the viewer's.
 */
const VIEWERS_FIELDS: ReadonlyMap<FileFieldName, ColumnType> = new Map([
  ['seriesNumber', 'INT32'],
  ['instanceNumber', 'INT32'],
  ['frameCount', 'INT32'],
  ['samplesPerPixel', 'INT32'],
  ['bitsStored', 'INT32'],
  ['photometricInterpretation', 'STRING'],
]);

/** Columns that are in every index: what the catalog knows of a file, by DICOM keyword if it has one. */
export const recordColumns = once((): readonly IndexColumn[] => [
  ...listFields().flatMap(columnsOfField),
  internal('real_path', 'STRING', (file) => packSource(file.source, file.path).text ?? null),
  ...sourceColumns().map(({ name, column }) =>
    internal(column, 'DOUBLE', (file) => packSource(file.source, file.path)[name]),
  ),
  internal('placement', 'STRING', ({ placement }) => (placement === undefined ? null : JSON.stringify(placement))),
]);

/**
 * Names and types of these columns. They are known without the dictionary, which takes longer to unpack than a thousand rows
 * take to be read.
 */
export const recordColumnTypes = once((): readonly Pick<IndexColumn, 'name' | 'type'>[] => [
  ...listFields().flatMap((field) => {
    const [name, type] = [nameOfField(field), typeOfField(field)];
    const ofElement = VIEWERS_FIELDS.get(field.name);
    const keyword = field.element ?? field.keyword;
    if (ofElement !== undefined && keyword !== undefined)
      return [
        { name: keyword, type: ofElement },
        { name, type },
      ];
    return (
      PAIRS[field.form]?.suffixes.map((suffix) => ({ name: name + suffix, type: 'DOUBLE' as const })) ?? [
        { name, type },
      ]
    );
  }),
  { name: 'real_path', type: 'STRING' },
  ...sourceColumns().map(({ column }) => ({ name: column, type: 'DOUBLE' as const })),
  { name: 'placement', type: 'STRING' },
]);

function internal(name: string, type: ColumnType, read: RecordColumn['read']): RecordColumn {
  return { name, type, element: undefined, isInternal: true, read };
}

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

/** The columns of an index with these elements. An element that the record has already has no second column. */
export function listIndexColumns(paths: readonly ElementPath[]): readonly IndexColumn[] {
  const known = new Set(recordColumns().map(({ name }) => name));
  return [...recordColumns(), ...paths.filter(({ name }) => !known.has(name)).map(columnOfPath)];
}

export type FoundColumn =
  | { readonly ok: true; readonly column: IndexColumn }
  /** To be read behind the name. */
  | { readonly ok: false; readonly message: string };

/** The column of a name, found without regard to case: what the record tells, or an element by its keyword or path. */
export function findColumn(name: string): FoundColumn {
  const known = byName().get(name.toLowerCase());
  if (known !== undefined) return { ok: true, column: known };
  const parsed = parseElementPath(name);
  if (!parsed.ok) return parsed;
  // A tag may be written for an element that the record has.
  const column = byName().get(parsed.path.name.toLowerCase()) ?? columnOfPath(parsed.path);
  return { ok: true, column };
}

const byName = once(() => new Map(recordColumns().map((column) => [column.name.toLowerCase(), column])));

function columnsOfField(field: NamedField): IndexColumn[] {
  const name = nameOfField(field);
  const tag = findTag(field.element ?? field.keyword ?? '');
  const element = tag === undefined ? undefined : pathOfTag(tag);
  const own: RecordColumn = {
    name,
    type: typeOfField(field),
    element: VIEWERS_FIELDS.has(field.name) ? undefined : element,
    isInternal: field.isInternal ?? false,
    read: (file) => toIndexValue(field, file),
  };
  if (element !== undefined && VIEWERS_FIELDS.has(field.name)) {
    const { name: fieldName } = field;
    // These texts are as written.
    if (fieldName !== 'seriesNumber' && fieldName !== 'instanceNumber') return [columnOfPath(element), own];
    const { name: keyword, type } = columnOfPath(element);
    const read = (file: FileDescription) => toNumberOf(type, parseNumber(file[fieldName]));
    return [{ name: keyword, type, element, isInternal: false, read }, own];
  }
  const pair = PAIRS[field.form];
  if (pair !== undefined) {
    return pair.suffixes.map((suffix, at) => ({
      ...own,
      name: name + suffix,
      type: 'DOUBLE',
      read: (file) => toNumberOf('DOUBLE', Reflect.get(Object(file[field.name] ?? {}), pair.keys[at]!)),
    }));
  }
  return [own];
}

const columnNames = once(() => new Map(listFields().map((field) => [field.name, nameOfField(field)])));

function nameOfField({ name, wireName, element, keyword = element }: NamedField): string {
  return VIEWERS_FIELDS.has(name) || keyword === undefined ? wireName : keyword;
}

function typeOfField({ name, form }: NamedField): ColumnType {
  if (name === 'fileBytes') return 'INT64';
  if (name === 'declaredFrameCount' || form === 'number') return 'DOUBLE';
  return form === 'integer' ? 'INT32' : form === 'flag' ? 'BOOLEAN' : 'STRING';
}

function toIndexValue(field: NamedField, file: FileDescription): IndexValue {
  const value: unknown = file[field.name];
  if (typeof value === 'boolean') return value;
  // An absent text is NULL for those who query the table, and so is an absent number of the header.
  const isEmpty = value === '' || value === undefined || (value === 0 && isOfHeader(field));
  if (isEmpty && !isInFile(field.name, file.emptyElements)) return null;
  if (typeof value === 'string') return value;
  if (value === undefined) return field.form === 'text' ? '' : null;
  if (typeof value === 'number' && field.name === 'fileBytes') return BigInt(value);
  return toNumberOf(typeOfField(field), value);
}

/** Numbers of which 0 says that there is none. */
function isOfHeader({ name, form, keyword }: NamedField): boolean {
  return form === 'integer' && keyword !== undefined && name !== 'frameCount';
}

/** `mtimeMs` becomes `file_mtime_ms`. */
const sourceColumns = once(() =>
  SOURCE_NUMBERS.map((name) => ({
    name,
    column: `file_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  })),
);

/** The values of a column in some rows, from the first of them on; undefined if it has none in all of them. */
export type ColumnOf = (name: string) => ArrayLike<unknown> | undefined;

/** A row that no file can have, with its path if that can be shown. */
export type BadRow = { readonly path: string; readonly problem: string };

/**
 * A file by the cells of its row. Properties of an object would be set by name for each of seventy fields, which takes most of the
 * time in which a row is read.
 */
class FileOfRow {
  readonly cells: readonly unknown[];
  readonly emptyElements: number;
  readonly placement: Placement | undefined;
  readonly source: KnownSource;

  constructor(cells: readonly unknown[], others: Pick<FileOfRow, 'emptyElements' | 'placement' | 'source'>) {
    this.cells = cells;
    this.emptyElements = others.emptyElements;
    this.placement = others.placement;
    this.source = others.source;
  }
}

const createFileOfRow = once(() => {
  for (const [at, { name }] of fieldReaders().entries()) {
    Object.defineProperty(FileOfRow.prototype, name, {
      get(this: FileOfRow) {
        return this.cells[at];
      },
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has a getter for each field
  return (...values: ConstructorParameters<typeof FileOfRow>) => new FileOfRow(...values) as unknown as FileDescription;
});

/**
 * Makes the descriptions of files of the rows that were written for them. The table may have been changed since, by any
 * program, so that each value is held against what the scan could have found. Columns are found once for all rows, because
 * finding eighty of them takes longer than what is done with their values.
 */
export function createFileReader(columnOf: ColumnOf): (row: number) => FileDescription | BadRow {
  const fields = fieldReaders();
  const template = fields.map(({ absent }) => absent);
  const readers: { readonly at: number; readonly column: string; readonly read: ReadCell }[] = [];
  for (const [at, { column, bind }] of fields.entries()) {
    const read = bind(columnOf);
    if (read !== undefined) readers.push({ at, column, read });
  }
  const places = fieldPlaces();
  const textOf = createTextReader(columnOf);
  const [pathOf, realPathOf, placementOf] = [textOf('path'), textOf('real_path'), columnOf('placement')];
  const [devs, inos, times] = sourceColumns().map(({ column }) => columnOf(column));
  const emptyElementsOf = createEmptyElementsReader(columnOf);
  const createFile = createFileOfRow();
  return (row) => {
    const cells = template.slice();
    const path = pathOf(row) ?? '';
    const refuse = (problem: string): BadRow => ({ path: path.slice(0, LONGEST_LABEL), problem });
    for (const { at, column, read } of readers) {
      const value = read(row);
      if (value === INVALID) return refuse(`${column} is no value of a file`);
      cells[at] = value;
    }
    const size = Number(cells[places.fileBytes]);
    if (path === '' || path.length > LONGEST_PATH || path.includes('\0')) return refuse('it has no path');
    if (!hasPlausibleFrames((name) => cells[places[name]], size)) {
      return refuse('it has more frames than its file has room for');
    }
    const placement = parsePlacement(placementOf?.[row]);
    if (placement === INVALID) return refuse('its placement is none of an image');
    const numbers = { dev: toReal(devs?.[row]), ino: toReal(inos?.[row]), mtimeMs: toReal(times?.[row]) };
    const source = parseSource({ text: realPathOf(row), ...numbers }, { path, size });
    if (source === undefined) return refuse('it does not say where the file is');
    return createFile(cells, { emptyElements: emptyElementsOf(row), placement, source });
  };
}

/** Where the cell of a field is. */
const fieldPlaces = once(() => {
  const places = Object.fromEntries(fieldReaders().map(({ name }, at) => [name, at]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has all fields
  return places as Readonly<Record<FileFieldName, number>>;
});

function toReal(value: unknown): number {
  return Number(value ?? Number.NaN);
}

type ReadCell = (row: number) => unknown;

function createTextReader(columnOf: ColumnOf): (name: string) => (row: number) => string | undefined {
  return (name) => {
    const values = columnOf(name);
    return (row) => {
      const value = values?.[row];
      return typeof value === 'string' ? value : undefined;
    };
  };
}

function createEmptyElementsReader(columnOf: ColumnOf): (row: number) => number {
  const columns: { readonly bit: number; readonly values: ArrayLike<unknown> }[] = [];
  for (const [at, name] of listEmptyElementFields().entries()) {
    const values = columnOf(columnNames().get(name)!);
    if (values !== undefined) columns.push({ bit: 1 << at, values });
  }
  return (row) => {
    let bits = 0;
    for (const { bit, values } of columns) {
      const value = values[row];
      if (value === '' || value === 0) bits |= bit;
    }
    return bits;
  };
}

const INVALID = Symbol('invalid');
const LONGEST_PATH = 16_384;
/** Of a path in the list of what is not shown. */
const LONGEST_LABEL = 1_024;
/** Longer than any value of an element that has a column in the record. */
const LONGEST_TEXT = 16_384;
const MOST_FILE_BYTES = 2 ** 44;
const LARGEST_COUNT = 2 ** 32 - 1;

/** As `describeFile` counts them. The length of the pixel data is not known here, but it is less than that of the file. */
function hasPlausibleFrames(valueOf: (name: FileFieldName) => unknown, fileBytes: number): boolean {
  const numberOf = (name: FileFieldName) => Number(valueOf(name) ?? 0);
  const numberOfFrames = numberOf('frameCount');
  if (numberOfFrames < 0 || numberOfFrames > mostFrames(fileBytes)) return false;
  // An image that is not shown may not be what its syntax says.
  const isNative = NATIVE.has(valueOf('transferSyntaxUid')) && valueOf('supportReason') === undefined;
  const photometricInterpretation = valueOf('photometricInterpretation');
  const layout = {
    rows: numberOf('rows'),
    columns: numberOf('columns'),
    samplesPerPixel: numberOf('samplesPerPixel'),
    bitsAllocated: numberOf('bitsAllocated'),
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

const fieldReaders = once(() =>
  listFields().map((field) => ({ name: field.name, column: nameOfField(field), ...createReader(field) })),
);

/** How a field is read of its columns. `bind` returns undefined if they have no values, so that all rows have `absent`. */
type FieldReader = { readonly absent: unknown; readonly bind: (columnOf: ColumnOf) => ReadCell | undefined };

function createReader(field: NamedField): FieldReader {
  const column = nameOfField(field);
  const { form, isOptional, terms = [] } = field;
  const pair = PAIRS[form];
  if (pair !== undefined) {
    const bind = (columnOf: ColumnOf): ReadCell | undefined => {
      const [firsts, seconds] = pair.suffixes.map((suffix) => columnOf(column + suffix));
      if (firsts === undefined && seconds === undefined) return undefined;
      return (row) => {
        const [first, second] = [firsts?.[row] ?? undefined, seconds?.[row] ?? undefined];
        if (first === undefined && second === undefined) return undefined;
        if (!isNumber(first) || !isNumber(second)) return INVALID;
        return form === 'pair' ? [first, second] : { center: first, width: second };
      };
    };
    return { absent: undefined, bind };
  }
  const absent =
    form === 'flag' ? false : isOptional ? undefined : form === 'text' ? '' : form === 'term' ? terms.at(-1) : 0;
  const check = form === 'flag' ? checkFlag : createCheck(field);
  return {
    absent,
    bind(columnOf) {
      const values = columnOf(column);
      if (values === undefined) return undefined;
      return (row) => {
        const value = values[row] ?? undefined;
        return value === undefined ? absent : check(value, absent);
      };
    },
  };
}

function checkFlag(value: unknown): unknown {
  return typeof value === 'boolean' ? value : INVALID;
}

function createCheck({ name, form, terms = [], ...field }: NamedField): (value: unknown, absent: unknown) => unknown {
  if (form === 'text') {
    return (value) => (typeof value === 'string' && value.length <= LONGEST_TEXT ? value : INVALID);
  }
  if (form === 'term') {
    const known: ReadonlySet<unknown> = new Set(terms);
    // A term that a later version writes is not known here.
    return (value, absent) => (known.has(value) ? value : absent);
  }
  const isWhole = typeOfField({ ...field, name, form, terms }) === 'INT32';
  return (value) => {
    const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
    if (name === 'fileBytes') return isLength(number) ? number : INVALID;
    // The declared number of frames is as written in the file.
    const isOfRow = isWhole ? (number | 0) === number : isNumber(number);
    return isOfRow ? number : INVALID;
  };
}
