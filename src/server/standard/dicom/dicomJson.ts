import { ownBytes } from '../../bytes/origins/byteSource.ts';
import type { CharacterSet } from './characterSet.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import { decodeNumbers, decodeText, parseNumber, printSingle, widthOf } from './decodeValue.ts';
import * as Tag from './tag.ts';
import { readAsOf } from './tagValue.ts';
import { vrTraits } from './vr.ts';

/** How a data set is written in the DICOM JSON Model. PS3.18 F.2. */
export type DicomJsonOptions = {
  /** Whether a top-level element is written. Default: all. */
  readonly wants?: (tag: number) => boolean;
  /** The address of a value that is too long to be part of the text, by its path, such as `00081140.0.00081155`. */
  readonly bulkUri: (path: string) => string;
  /** Whether pixels in items, such as those of an icon, are left out: they show what was redacted. */
  readonly hidesPixels?: boolean;
  /** Further top-level elements as JSON, by tag. They replace those of the data set. */
  readonly more?: ReadonlyMap<number, string>;
};

/** Longer binary values have an address instead. */
export const LONGEST_BINARY = 4 * 1024;
/** Longer texts and lists of numbers have an address instead. Few clients follow the address of a text. */
export const LONGEST_TEXT = 64 * 1024;

/** A data set as one JSON object, element by element in the order of their tags. */
export function* writeDicomJson(dataSet: DataSet, options: DicomJsonOptions): Generator<string, void> {
  const { wants, more } = options;
  const added = [...(more ?? [])].toSorted(([a], [b]) => a - b);
  let separator = '{';
  const open = (tag: number): string => {
    const text = `${separator}"${toTagKey(tag)}":`;
    separator = ',';
    return text;
  };
  let next = 0;
  for (const element of dataSet) {
    const { tag } = element;
    for (; next < added.length && added[next]![0] < tag; next += 1) yield open(added[next]![0]) + added[next]![1];
    if (isLeftOut(tag) || more?.has(tag) || (wants !== undefined && !wants(tag))) continue;
    if (element.items === undefined) yield open(tag) + writeLeaf(dataSet, element, toTagKey(tag), options);
    else {
      yield open(tag);
      yield* writeSequence(element.items, toTagKey(tag), options);
    }
  }
  for (; next < added.length; next += 1) yield open(added[next]![0]) + added[next]![1];
  yield separator === '{' ? '{}' : '}';
}

/** The name of an element: eight digits in upper case. */
export function toTagKey(tag: number): string {
  const known = tagKeys.get(tag);
  if (known !== undefined) return known;
  const key = tag.toString(16).toUpperCase().padStart(8, '0');
  if (tagKeys.size < MOST_TAG_KEYS) tagKeys.set(tag, key);
  return key;
}

/** The elements of a series have the same names in all of its files. */
const tagKeys = new Map<number, string>();
const MOST_TAG_KEYS = 8_192;

/** An element with one text, or without a value. */
export function toTextElement(vr: string, values: readonly (string | number)[]): string {
  if (values.length === 0) return `{"vr":"${vr}"}`;
  return `{"vr":"${vr}","Value":${JSON.stringify(values)}}`;
}

/** Group lengths and file meta information have no place in this form, and pixels are retrieved as frames. */
function isLeftOut(tag: number): boolean {
  return (tag & 0xffff) === 0 || tag >>> 16 === 2 || PIXELS.has(tag);
}

const PIXELS: ReadonlySet<number> = new Set([Tag.PixelData, Tag.FloatPixelData, Tag.DoubleFloatPixelData]);

/** The reader limits the nesting. */
function* writeSequence(items: readonly DataSet[], path: string, options: DicomJsonOptions): Generator<string, void> {
  if (items.length === 0) {
    yield '{"vr":"SQ"}';
    return;
  }
  yield '{"vr":"SQ","Value":';
  let separator = '[';
  for (const [index, item] of items.entries()) {
    yield separator;
    separator = ',';
    yield* writeItem(item, `${path}.${index}`, options);
  }
  yield ']}';
}

function* writeItem(item: DataSet, path: string, options: DicomJsonOptions): Generator<string, void> {
  let separator = '{';
  for (const element of item) {
    if ((element.tag & 0xffff) === 0 || (options.hidesPixels === true && PIXELS.has(element.tag))) continue;
    const key = toTagKey(element.tag);
    const name = `${separator}"${key}":`;
    separator = ',';
    const inner = `${path}.${key}`;
    if (element.items === undefined) yield name + writeLeaf(item, element, inner, options);
    else {
      yield name;
      yield* writeSequence(element.items, inner, options);
    }
  }
  yield separator === '{' ? '{}' : '}';
}

function writeLeaf(
  dataSet: DataSet,
  element: DataElement,
  path: string,
  { bulkUri }: Pick<DicomJsonOptions, 'bulkUri'>,
): string {
  const { length, fragments } = element;
  // The texts of this form are UTF-8, whatever they are in the file.
  if (element.tag === Tag.SpecificCharacterSet) return '{"vr":"CS","Value":["ISO_IR 192"]}';
  const vr = chooseVr(dataSet, element);
  if (length === 0) return `{"vr":"${vr}"}`;
  const kind = vrTraits(vr)?.kind ?? 'bytes';
  if (length > (kind === 'bytes' ? LONGEST_BINARY : LONGEST_TEXT) || fragments !== undefined) {
    // Other texts are short, and have no address in this form. A file may still have a long one.
    const bulkVr = MAY_BE_BULK.has(vr) ? vr : 'UN';
    return `{"vr":"${bulkVr}","BulkDataURI":${JSON.stringify(bulkUri(path))}}`;
  }
  const bytes = readValue(dataSet, element);
  if (kind === 'bytes') return writeBinary(bytes, vr, isLittleEndian(dataSet, element));
  const context = { littleEndian: isLittleEndian(dataSet, element), characterSet: dataSet.characterSet };
  const values =
    kind === 'number' || kind === 'tag' ? writeNumbers(bytes, vr, context) : writeTexts(bytes, vr, context);
  return values.length === 0 ? `{"vr":"${vr}"}` : `{"vr":"${vr}","Value":[${values.join(',')}]}`;
}

/**
 * The VR of the dictionary for a value of VR UN whose tag is known, if the value has it. A private value of unknown VR
 * stays UN.
 */
function chooseVr(dataSet: DataSet, element: DataElement): string {
  const vr = readAsOf(dataSet, element);
  const traits = vrTraits(vr);
  if (traits === undefined || traits.kind === 'sequence') return 'UN';
  const isNumber = traits.kind === 'number' || traits.kind === 'tag';
  // Numbers that do not fill the value would lose its last bytes.
  return isNumber && element.length % widthOf(traits) !== 0 ? 'UN' : vr;
}

/** PS3.18 F.2.2. */
const MAY_BE_BULK: ReadonlySet<string> = new Set(
  'DS FL FD IS LT OB OD OF OL OV OW SL SS ST SV UC UL UN US UT UV'.split(' '),
);

/** The whole value in memory of its own. */
export function readValue({ context }: DataSet, { bytes, offset, length }: DataElement): Uint8Array {
  return bytes ?? ownBytes(context.source.read(offset, length));
}

/** A value of VR UN is little endian in any data set. PS3.5 6.2.2 (CP-246). */
function isLittleEndian(dataSet: DataSet, { vr }: DataElement): boolean {
  return vr === 'UN' || dataSet.context.littleEndian;
}

function writeBinary(bytes: Uint8Array, vr: string, littleEndian: boolean): string {
  const base64 = Buffer.from(littleEndian ? bytes : toLittleEndian(bytes, vr)).toString('base64');
  return `{"vr":"${vr}","InlineBinary":"${base64}"}`;
}

/** A copy of a big-endian value, whose words are reversed. */
export function toLittleEndian(bytes: Uint8Array, vr: string): Uint8Array<ArrayBuffer> {
  const copy = Buffer.from(Uint8Array.from(bytes).buffer);
  const unit = vrTraits(vr)?.unit ?? 1;
  const whole = copy.subarray(0, copy.length - (copy.length % unit));
  if (unit === 2) whole.swap16();
  else if (unit === 4) whole.swap32();
  else if (unit === 8) whole.swap64();
  return new Uint8Array(copy.buffer, copy.byteOffset, copy.length);
}

/** More values than any element has. */
const ALL = 2 ** 31;

type Context = { readonly littleEndian: boolean; readonly characterSet: CharacterSet };

function writeNumbers(bytes: Uint8Array, vr: string, context: Context): string[] {
  if (vr === 'SV' || vr === 'UV') return writeLongIntegers(bytes, vr, context.littleEndian);
  const numbers = decodeNumbers(bytes, vr, context, ALL);
  if (vr === 'AT') return numbers.map((tag) => `"${toTagKey(tag)}"`);
  if (vr === 'FL')
    return numbers.map((single) => writeNumber(Number.isFinite(single) ? Number(printSingle(single)) : single));
  return numbers.map(writeNumber);
}

/** JSON has no other numbers. Clients in all languages read these texts as numbers. */
function writeNumber(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}

function writeLongIntegers(bytes: Uint8Array, vr: string, littleEndian: boolean): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 8 }, (_, index) => {
    const value = vr === 'SV' ? view.getBigInt64(index * 8, littleEndian) : view.getBigUint64(index * 8, littleEndian);
    // A reader of JSON may round what is beyond.
    return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
  });
}

function writeTexts(bytes: Uint8Array, vr: string, context: Context): string[] {
  const texts = decodeText(bytes, vr, context, { most: ALL, isCut: false });
  if (texts.every((text) => text === '')) return texts.length > 1 ? texts.map(() => 'null') : [];
  if (vr === 'PN') return texts.map(writePersonName);
  if (vr === 'DS' || vr === 'IS') return texts.map(writeNumericText);
  return texts.map((text) => (text === '' ? 'null' : JSON.stringify(text)));
}

/** As a number if nothing is lost by it, otherwise as the text. */
function writeNumericText(text: string): string {
  if (text === '') return 'null';
  const value = parseNumber(text);
  const isExact = Number.isFinite(value) && (Number.isSafeInteger(value) || significantDigits(text) <= 15);
  return isExact ? writeNumber(value) : JSON.stringify(text);
}

function significantDigits(text: string): number {
  return text
    .replace(/[eE].*$/, '')
    .replaceAll(/[^\d]/g, '')
    .replace(/^0+/, '').length;
}

const GROUPS = ['Alphabetic', 'Ideographic', 'Phonetic'] as const;

function writePersonName(text: string): string {
  const groups = text.split('=', GROUPS.length);
  const named = groups.flatMap((group, index) => (group === '' ? [] : [[GROUPS[index]!, group]]));
  return named.length === 0 ? 'null' : JSON.stringify(Object.fromEntries(named));
}
