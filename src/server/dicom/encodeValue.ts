import { checkText } from './checkText.ts';
import { encodeText } from './encodeText.ts';
import type { ElementValue, EncapsulatedInput } from './dataSetInput.ts';
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
