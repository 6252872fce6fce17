import type { TagNode } from '../../../shared/contract/tags.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import { countSeparators } from './countValues.ts';
import { decodeNumbers, decodeText, parseNumber, printSingle, type ValueContext, widthOf } from './decodeValue.ts';
import { isPixelData } from './pixelElement.ts';
import { tagToString } from './tag.ts';
import { vrTraits } from './vr.ts';

/** Limits on how much of an element is shown. */
export type ValueCaps = {
  readonly characters: number;
  readonly values: number;
  /** Bytes of text that are decoded: a character may take several bytes, and escape sequences take some. */
  readonly textBytes: number;
};

export const PREVIEW_CAPS: ValueCaps = { characters: 1024, values: 128, textBytes: 16 * 1024 };
export const SELECTION_CAPS: ValueCaps = { characters: 1024 * 1024, values: 65_536, textBytes: 4 * 1024 * 1024 };

type Leaf = Exclude<TagNode['value'], { type: 'sequence' }>;
export type ShownValue = { readonly value: Leaf; readonly truncated?: true; readonly total?: number };

/** The value of an element that is not a sequence. A value that cannot be decoded becomes an `error`. */
export function buildTagValue(dataSet: DataSet, element: DataElement, caps: ValueCaps): ShownValue {
  const { fragments, length, declaredLength } = element;
  if (fragments !== undefined)
    return { value: { type: 'binary', length: fragments.bytes, fragments: fragments.count } };
  if (length === 0 && declaredLength === 0) return { value: { type: 'empty' } };
  const vr = readAsOf(dataSet, element);
  const kind = vrTraits(vr)?.kind ?? 'bytes';
  // Pixels are never shown as a value, whatever their VR: those of an icon would show what was redacted.
  if (kind === 'bytes' || isPixelData(element.tag)) return { value: { type: 'binary', length } };
  if (element.vr === 'UN') return buildUnknown(dataSet, element, caps);
  return buildKnown(dataSet, element, caps);
}

/** The VR by which the value is read: that of the dictionary for UN and for letters that are not a VR. */
export function readAsOf(dataSet: DataSet, { tag, readAs }: DataElement): string {
  return readAs.length === 2 ? readAs : dataSet.readAs(tag);
}

/** The VR is from the dictionary: if the value does not fit it, only its length is known. */
function buildUnknown(dataSet: DataSet, element: DataElement, caps: ValueCaps): ShownValue {
  const shown = buildKnown(dataSet, element, caps);
  const isKnown = shown.value.type !== 'error' && vrTraits(element.readAs)?.kind !== 'sequence';
  return isKnown ? shown : { value: { type: 'binary', length: element.length } };
}

function buildKnown(dataSet: DataSet, element: DataElement, caps: ValueCaps): ShownValue {
  const { length, declaredLength } = element;
  const vr = readAsOf(dataSet, element);
  const kind = vrTraits(vr)?.kind;
  if (length < declaredLength) return failed(`only ${length} of ${declaredLength} bytes are present`);
  try {
    if (kind === 'number' || kind === 'tag') return buildNumbers(dataSet, element, vr, caps);
    if (kind === 'numeric text') return buildNumericText(dataSet, element, vr, caps);
    return buildText(dataSet, element, vr, caps);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(message: string): ShownValue {
  return { value: { type: 'error', message } };
}

function buildNumbers(dataSet: DataSet, element: DataElement, vr: string, caps: ValueCaps): ShownValue {
  const traits = vrTraits(vr);
  const width = traits === undefined ? 1 : widthOf(traits);
  if (element.length % width !== 0)
    return failed(`${element.length} bytes are not a multiple of ${width}, the size of a value of ${vr}`);
  const total = element.length / width;
  const bytes = readBytes(dataSet, element, Math.min(total, caps.values) * width);
  const context = valueContext(dataSet, element);
  if (vr === 'SV' || vr === 'UV') return buildIntegers(bytes, { vr, total, ...context });
  const numbers = decodeNumbers(bytes, vr, context, caps.values);
  if (traits?.kind === 'tag') return showTags(numbers.map(tagToString), total);
  return showNumbers(vr === 'FL' ? numbers.map((single) => Number(printSingle(single))) : numbers, total);
}

function showTags(tags: readonly string[], total: number): ShownValue {
  const [only] = tags;
  if (total === 1 && only !== undefined) return { value: { type: 'string', value: only } };
  return cut(tags, total, (value) => ({ type: 'strings', value }));
}

/** 64-bit integers: as numbers if JavaScript represents them exactly, otherwise as text. */
function buildIntegers(
  bytes: Uint8Array,
  { vr, total, littleEndian }: { readonly vr: string; readonly total: number; readonly littleEndian: boolean },
): ShownValue {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values: bigint[] = [];
  for (let at = 0; at < bytes.length; at += 8) {
    values.push(vr === 'SV' ? view.getBigInt64(at, littleEndian) : view.getBigUint64(at, littleEndian));
  }
  if (values.every((value) => Number.isSafeInteger(Number(value)))) return showNumbers(values.map(Number), total);
  return cut(values.map(String), total, (value) => ({ type: 'strings', value }));
}

function buildNumericText(dataSet: DataSet, element: DataElement, vr: string, caps: ValueCaps): ShownValue {
  const { texts, total } = readTexts(dataSet, element, vr, caps);
  if (texts.length === 0) return { value: { type: 'empty' } };
  const numbers: number[] = [];
  for (const [index, text] of texts.entries()) {
    const number = parseNumber(text);
    if (Number.isNaN(number)) {
      if (isMasked()) return failed(`value ${index + 1} is not a number`);
      const message = `value ${index + 1}, ${JSON.stringify(shorten(text))}, is not a number`;
      const whole = texts.join('\\');
      const shown = shorten(whole, caps.characters);
      const isCut = shown.length < whole.length || texts.length < total;
      return {
        value: { type: 'error', message, text: shown },
        ...(isCut && { truncated: true, total: Math.max(whole.length, element.length) }),
      };
    }
    numbers.push(number);
  }
  return showNumbers(numbers, total);
}

type Texts = {
  /** The first texts. */
  readonly texts: readonly string[];
  /** Total number of texts; approximate if a backslash byte may be half of a character. */
  readonly total: number;
  /** Number of bytes after the decoded ones. */
  readonly unreadBytes: number;
};

function readTexts(dataSet: DataSet, element: DataElement, vr: string, caps: ValueCaps): Texts {
  const read = Math.min(element.length, caps.textBytes);
  const bytes = readBytes(dataSet, element, read);
  // One extra value shows whether there are more.
  const texts = decodeText(bytes, vr, valueContext(dataSet, element), {
    most: caps.values + 1,
    isCut: read < element.length,
  });
  const isMultiple = vrTraits(vr)?.multiple === true;
  const isWhole = texts.length <= caps.values && read === element.length;
  const total = isWhole || !isMultiple ? texts.length : 1 + countSeparators(dataSet.context.source, element, 0);
  return { texts: texts.slice(0, caps.values), total, unreadBytes: element.length - read };
}

function showNumbers(numbers: readonly number[], total: number): ShownValue {
  const odd = numbers.findIndex((number) => !Number.isFinite(number));
  // JSON cannot represent these numbers.
  if (odd >= 0) return failed(`value ${odd + 1} is ${numbers[odd]}`);
  const [only] = numbers;
  if (total === 1 && only !== undefined) return { value: { type: 'number', value: only } };
  return cut(numbers, total, (value) => ({ type: 'numbers', value }));
}

function buildText(dataSet: DataSet, element: DataElement, vr: string, caps: ValueCaps): ShownValue {
  const { texts, total, unreadBytes } = readTexts(dataSet, element, vr, caps);
  const [only] = texts;
  if (only === undefined || (total <= 1 && only === '')) return { value: { type: 'empty' } };
  if (total <= 1) {
    // Each unread byte is counted as one character.
    const length = only.length + unreadBytes;
    const value = shorten(only, caps.characters);
    return { value: { type: 'string', value }, ...(value.length < length && { truncated: true, total: length }) };
  }
  const shown: string[] = [];
  let room = caps.characters;
  for (const text of texts) {
    if (room <= 0) break;
    shown.push(shorten(text, room));
    room -= text.length;
  }
  return {
    value: { type: 'strings', value: shown },
    ...((shown.length < total || room < 0) && { truncated: true, total }),
  };
}

function cut<T>(values: readonly T[], total: number, toValue: (values: T[]) => Leaf): ShownValue {
  return { value: toValue([...values]), ...(values.length < total && { truncated: true, total }) };
}

/** Does not split a surrogate pair. */
function shorten(text: string, length = 40): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function readBytes({ context }: DataSet, element: DataElement, length: number): Uint8Array {
  if (element.bytes !== undefined) return element.bytes.subarray(0, length);
  return context.source.read(element.offset, length).slice();
}

function valueContext(dataSet: DataSet, { vr }: DataElement): ValueContext {
  // A UN value is little endian in any data set. PS3.5 6.2.2 (CP-246).
  return { littleEndian: vr === 'UN' || dataSet.context.littleEndian, characterSet: dataSet.characterSet };
}
