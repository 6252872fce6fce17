import type { ElementValue, EncapsulatedInput } from './dataSetInput.ts';
import { singleByteTable } from './singleByteCharacterSets.ts';
import { vrTraits } from './vr.ts';

/** What the bytes of a value depend on besides the value. */
export type ElementContext = {
  readonly littleEndian: boolean;
  readonly explicit: boolean;
  /** Values of the Specific Character Set in effect. */
  readonly characterSets: readonly string[];
  /** Whether Pixel Representation is 1. */
  readonly signed: boolean;
  readonly bitsAllocated: number;
};

export function isEncapsulated(value: ElementValue): value is EncapsulatedInput {
  return typeof value === 'object' && 'fragments' in value;
}

/** The VR as written, and the bytes of the value before padding. Throws on values that the standard forbids. */
export function encodeValue(
  { vr: choice, value }: { vr: string; value: ElementValue },
  context: ElementContext,
): { vr: string; bytes: Uint8Array } {
  const vr = chooseVr(choice, value, context);
  const traits = vrTraits(vr);
  if (traits === undefined) throw new TypeError(`${vr} is not a value representation`);
  if (value instanceof Uint8Array) return { vr, bytes: value };
  if (ArrayBuffer.isView(value) && traits.kind === 'bytes') return { vr, bytes: toByteOrder(value, context) };
  const values = toList(value);
  if (traits.kind === 'text' || traits.kind === 'numeric text') {
    const texts = values.flatMap((item) => toText(vr, item, traits.multiple));
    for (const text of texts) checkText(vr, text);
    return { vr, bytes: encodeText(texts.join('\\'), traits.localized ? context.characterSets : []) };
  }
  if (traits.kind === 'tag') return { vr, bytes: encodeTags(values, context.littleEndian) };
  const numeric = traits.kind === 'number' ? vr : NUMBERS_IN_BYTES[vr];
  if (values.length > 0 && numeric === undefined) {
    throw new TypeError(`${vr} takes ${vr === 'SQ' ? 'a list of items' : 'a Uint8Array'}`);
  }
  return { vr, bytes: encodeNumbers(numeric ?? vr, values, context.littleEndian) };
}

const NUMBERS_IN_BYTES: { readonly [vr: string]: string } = { OW: 'US', OL: 'UL', OV: 'UV', OF: 'FL', OD: 'FD' };

/** Resolves choices of the dictionary according to PS3.5 Annex A. */
function chooseVr(choice: string, value: ElementValue, { signed, bitsAllocated, explicit }: ElementContext): string {
  switch (choice) {
    case 'US or SS':
      return signed ? 'SS' : 'US';
    case 'US or OW':
    case 'US or SS or OW':
      return ArrayBuffer.isView(value) ? 'OW' : 'US';
    case 'OB or OW':
      return explicit && bitsAllocated <= 8 && (value instanceof Uint8Array || !ArrayBuffer.isView(value))
        ? 'OB'
        : 'OW';
    default:
      return choice;
  }
}

function toList(value: ElementValue): readonly (string | number | bigint)[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [value];
  if (isNumberArray(value)) return Array.from<number | bigint>(value);
  if (isList(value)) return value;
  throw new TypeError('a list of items needs the VR SQ');
}

function isNumberArray(value: ElementValue): value is ArrayBufferView & Iterable<number | bigint> {
  return ArrayBuffer.isView(value) && Symbol.iterator in value;
}

function isList(value: ElementValue): value is readonly (string | number | bigint)[] {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object');
}

function toText(vr: string, value: string | number | bigint, multiple: boolean): string[] {
  if (typeof value === 'string') return multiple ? value.split('\\') : [value];
  if (vr !== 'DS' && vr !== 'IS') throw new TypeError(`${vr} takes text, not the number ${value}`);
  return [typeof value === 'number' ? decimalString(value) : String(value)];
}

/** Prints a number in at most 16 characters, the limit of DS, with as many digits as fit. */
function decimalString(value: number): string {
  let text = String(value);
  for (let digits = 16; text.length > 16 && digits > 0; digits -= 1) text = String(Number(value.toPrecision(digits)));
  return text;
}

function encodeTags(values: readonly (string | number | bigint)[], littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [index, value] of values.entries()) {
    const tag = typeof value === 'string' && /^[0-9A-Fa-f]{8}$/.test(value) ? parseInt(value, 16) : Number(value);
    if (!Number.isInteger(tag) || tag < 0 || tag > 0xffffffff) throw new RangeError(`${value} is not a tag`);
    view.setUint16(index * 4, tag >>> 16, littleEndian);
    view.setUint16(index * 4 + 2, tag & 0xffff, littleEndian);
  }
  return new Uint8Array(view.buffer);
}

const INTEGER_BOUNDS: { readonly [vr: string]: readonly [bigint, bigint] } = {
  SS: [-(2n ** 15n), 2n ** 15n - 1n],
  US: [0n, 2n ** 16n - 1n],
  SL: [-(2n ** 31n), 2n ** 31n - 1n],
  UL: [0n, 2n ** 32n - 1n],
  SV: [-(2n ** 63n), 2n ** 63n - 1n],
  UV: [0n, 2n ** 64n - 1n],
};

function encodeNumbers(vr: string, values: readonly (string | number | bigint)[], littleEndian: boolean): Uint8Array {
  const width = vrTraits(vr)?.unit ?? 1;
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (const [index, value] of values.entries()) {
    if (typeof value === 'string') throw new TypeError(`${vr} takes numbers, not the text ${JSON.stringify(value)}`);
    const at = index * width;
    if (vr === 'FL') view.setFloat32(at, Number(value), littleEndian);
    else if (vr === 'FD') view.setFloat64(at, Number(value), littleEndian);
    else setInteger(view, at, { vr, width, value: toInteger(vr, value), littleEndian });
  }
  return new Uint8Array(view.buffer);
}

function toInteger(vr: string, value: number | bigint): bigint {
  const [low, high] = INTEGER_BOUNDS[vr] ?? [0n, 0n];
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError(`${value} is not an integer`);
  const integer = BigInt(value);
  if (integer < low || integer > high) throw new RangeError(`${value} is outside ${low} to ${high} of ${vr}`);
  return integer;
}

function setInteger(
  view: DataView,
  at: number,
  { width, value, littleEndian }: { vr: string; width: number; value: bigint; littleEndian: boolean },
): void {
  if (width === 2) view.setUint16(at, Number(BigInt.asUintN(16, value)), littleEndian);
  else if (width === 4) view.setUint32(at, Number(BigInt.asUintN(32, value)), littleEndian);
  else view.setBigUint64(at, BigInt.asUintN(64, value), littleEndian);
}

/**
 * The bytes of a typed array, swapped if the byte order of the syntax is not little endian like that of this machine.
 */
function toByteOrder(array: ArrayBufferView, { littleEndian }: ElementContext): Uint8Array {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength).slice();
  const width = 'BYTES_PER_ELEMENT' in array ? Number(array.BYTES_PER_ELEMENT) : 1;
  if (littleEndian || width === 1) return bytes;
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
  return bytes;
}

/**
 * Encodes text in the character set that Specific Character Set names: UTF-8 or a single-byte set. With several values
 * or a multi-byte set, text beyond ASCII needs code extensions and is refused; pass its bytes instead.
 */
function encodeText(text: string, characterSets: readonly string[]): Uint8Array {
  if (isAscii(text)) return Uint8Array.from(text, (character) => character.charCodeAt(0));
  const [term = ''] = characterSets;
  if (characterSets.length <= 1 && term === 'ISO_IR 192') return new TextEncoder().encode(text);
  const table = characterSets.length <= 1 ? singleByteTable(term) : undefined;
  if (table === undefined) {
    const named = characterSets.length === 0 ? 'the default character set' : characterSets.join('\\');
    throw new TypeError(`${JSON.stringify(text)} cannot be written in ${named}: give its bytes as a Uint8Array`);
  }
  return Uint8Array.from(Array.from(text), (character) => {
    const byte = character < '\x80' ? character.charCodeAt(0) : 0xa0 + table.indexOf(character);
    if (byte < 0xa0 && character >= '\x80')
      throw new TypeError(`${term} has no character ${JSON.stringify(character)}`);
    return byte;
  });
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text);
}

type Rule = { readonly maxLength?: number; readonly pattern?: RegExp; readonly what?: string };

/** The rules of PS3.5 table 6.2-1 for one value. */
const RULES: { readonly [vr: string]: Rule } = {
  AE: { maxLength: 16, pattern: /^[ -[\]-~]*$/ },
  AS: { pattern: /^\d{3}[DWMY]$/, what: 'an age such as 018M' },
  CS: { maxLength: 16, pattern: /^[A-Z0-9 _]*$/, what: 'upper case letters, digits, space and underscore' },
  DA: { pattern: /^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/, what: 'a date such as 20260131' },
  DS: { maxLength: 16, pattern: /^ *[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? *$/, what: 'a decimal number' },
  DT: { maxLength: 26, pattern: /^\d{4}(\d\d){0,5}(\.\d{1,6})?([+-]\d{4})?$/, what: 'a date and time' },
  IS: { maxLength: 12, pattern: /^ *[+-]?\d+ *$/, what: 'an integer' },
  LO: { maxLength: 64 },
  LT: { maxLength: 10_240 },
  PN: { maxLength: 64 * 3 + 2 },
  SH: { maxLength: 16 },
  ST: { maxLength: 1024 },
  TM: { pattern: /^([01]\d|2[0-3])([0-5]\d(([0-5]\d|60)(\.\d{1,6})?)?)?$/, what: 'a time such as 131500.25' },
  UI: { maxLength: 64, pattern: /^(0|[1-9]\d*)(\.(0|[1-9]\d*))*$/, what: 'a unique identifier' },
  UR: { pattern: /^([!-~]+)? *$/, what: 'a URI' },
};

/** Throws if a text value breaks the rules of its VR. An empty value is always allowed. */
function checkText(vr: string, value: string): void {
  if (value === '') return;
  const { maxLength, pattern, what } = RULES[vr] ?? {};
  const length = countCharacters(value);
  if (maxLength !== undefined && length > maxLength) {
    throw new RangeError(`${length} characters are more than the ${maxLength} of ${vr}`);
  }
  if (pattern?.test(value) === false)
    throw new TypeError(`${JSON.stringify(value)} is not ${what ?? `allowed in ${vr}`}`);
  if (vr === 'IS' && Math.abs(Number(value)) > 2 ** 31) throw new RangeError(`${value} does not fit 32 bits`);
  if (vr === 'PN') checkPersonName(value);
}

/** Counts code points, as the standard does. */
function countCharacters(text: string): number {
  return Array.from(text).length;
}

function checkPersonName(value: string): void {
  const groups = value.split('=');
  if (groups.length > 3) throw new RangeError('a person name has at most 3 component groups');
  for (const group of groups) {
    if (countCharacters(group) > 64) throw new RangeError('a component group of PN has at most 64 characters');
    if (group.split('^').length > 5) throw new RangeError('a component group of PN has at most 5 components');
  }
}
