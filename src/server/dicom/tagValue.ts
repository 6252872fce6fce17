import type { TagNode } from '../../shared/contract/tags.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import { decodeStrings, parseNumber } from './decodeValue.ts';
import { vrTraits } from './vr.ts';

/** How much of a value is shown. */
export type ValueCaps = { readonly characters: number; readonly numbers: number };

export const PREVIEW_CAPS: ValueCaps = { characters: 1024, numbers: 128 };
export const SELECTION_CAPS: ValueCaps = { characters: 1024 * 1024, numbers: 65_536 };

/** Text that is longer than this is not read to its end. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

type Leaf = Exclude<TagNode['value'], { type: 'sequence' }>;
export type ShownValue = { readonly value: Leaf; readonly truncated?: true; readonly total?: number };

/** The value of an element that is no sequence. What cannot be decoded is an `error` in its place. */
export function buildTagValue(dataSet: DataSet, element: DataElement, caps: ValueCaps): ShownValue {
  const { fragments, length, declaredLength } = element;
  if (fragments !== undefined)
    return { value: { type: 'binary', length: fragments.bytes, fragments: fragments.count } };
  if (length === 0 && declaredLength === 0) return { value: { type: 'empty' } };
  const vr = element.vr.length === 2 ? element.vr : dataSet.readAs(element.tag);
  const kind = vrTraits(vr)?.kind ?? 'bytes';
  if (kind === 'bytes') return { value: { type: 'binary', length } };
  if (length < declaredLength) return failed(`only ${length} of ${declaredLength} bytes are there`);
  try {
    if (kind === 'number') return buildNumbers(dataSet, element, vr, caps);
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
  const width = vrTraits(vr)?.unit ?? 1;
  if (element.length % width !== 0)
    return failed(`${element.length} bytes are not a multiple of the ${width} of ${vr}`);
  const total = element.length / width;
  const bytes = readBytes(dataSet, element, Math.min(total, caps.numbers) * width);
  if (vr === 'SV' || vr === 'UV') return buildIntegers(dataSet, bytes, vr, total);
  return showNumbers(decodeStrings(bytes, vr, valueContext(dataSet)).map(Number), total);
}

/** 64 bits: numbers as long as JavaScript has them exactly, else text. */
function buildIntegers(dataSet: DataSet, bytes: Uint8Array, vr: string, total: number): ShownValue {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { littleEndian } = dataSet.context;
  const values: bigint[] = [];
  for (let at = 0; at < bytes.length; at += 8) {
    values.push(vr === 'SV' ? view.getBigInt64(at, littleEndian) : view.getBigUint64(at, littleEndian));
  }
  if (values.every((value) => Number.isSafeInteger(Number(value)))) return showNumbers(values.map(Number), total);
  return cut(values.map(String), total, (value) => ({ type: 'strings', value }));
}

function buildNumericText(dataSet: DataSet, element: DataElement, vr: string, caps: ValueCaps): ShownValue {
  const bytes = readBytes(dataSet, element, Math.min(element.length, MAX_TEXT_BYTES));
  const texts = decodeStrings(bytes, vr, valueContext(dataSet));
  if (texts.length === 0) return { value: { type: 'empty' } };
  const numbers: number[] = [];
  for (const [index, text] of texts.slice(0, caps.numbers).entries()) {
    const number = parseNumber(text);
    if (Number.isNaN(number)) {
      const message = `value ${index + 1}, ${JSON.stringify(shorten(text))}, is not a number`;
      const whole = texts.join('\\');
      const shown = shorten(whole, caps.characters);
      const isCut = shown.length < whole.length;
      return { value: { type: 'error', message, text: shown }, ...(isCut && { truncated: true, total: whole.length }) };
    }
    numbers.push(number);
  }
  return showNumbers(numbers, texts.length + countSeparators(dataSet, element, bytes.length));
}

/** Backslashes from a place in the value to its end, read piece by piece. */
function countSeparators({ context }: DataSet, { offset, length }: DataElement, from: number): number {
  let count = 0;
  for (let at = from; at < length;) {
    const piece = context.source.read(offset + at, Math.min(PIECE_BYTES, length - at));
    if (piece.length === 0) break;
    for (const byte of piece) if (byte === 0x5c) count += 1;
    at += piece.length;
  }
  return count;
}

function showNumbers(numbers: readonly number[], total: number): ShownValue {
  const odd = numbers.findIndex((number) => !Number.isFinite(number));
  // JSON has no such numbers.
  if (odd >= 0) return failed(`value ${odd + 1} is ${numbers[odd]}`);
  const [only] = numbers;
  if (total === 1 && only !== undefined) return { value: { type: 'number', value: only } };
  return cut(numbers, total, (value) => ({ type: 'numbers', value }));
}

function buildText(dataSet: DataSet, element: DataElement, vr: string, caps: ValueCaps): ShownValue {
  const bytes = readBytes(dataSet, element, Math.min(element.length, MAX_TEXT_BYTES));
  const texts = decodeStrings(bytes, vr, valueContext(dataSet));
  const [only] = texts;
  if (only === undefined || (texts.length === 1 && only === '')) return { value: { type: 'empty' } };
  if (texts.length === 1) {
    // Beyond what is read a character is taken for a byte.
    const total = only.length + (element.length - bytes.length);
    const value = shorten(only, caps.characters);
    return { value: { type: 'string', value }, ...(value.length < total && { truncated: true, total }) };
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
    ...((shown.length < texts.length || room < 0) && { truncated: true, total: texts.length }),
  };
}

function cut<T>(values: readonly T[], total: number, toValue: (values: T[]) => Leaf): ShownValue {
  return { value: toValue([...values]), ...(values.length < total && { truncated: true, total }) };
}

/** Without cutting a character in two that takes a pair of code units. */
function shorten(text: string, length = 40): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function readBytes({ context }: DataSet, element: DataElement, length: number): Uint8Array {
  if (element.bytes !== undefined) return element.bytes.subarray(0, length);
  return context.source.read(element.offset, length).slice();
}

function valueContext(dataSet: DataSet): { littleEndian: boolean; characterSet: DataSet['characterSet'] } {
  return { littleEndian: dataSet.context.littleEndian, characterSet: dataSet.characterSet };
}
