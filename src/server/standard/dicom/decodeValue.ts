import { type CharacterSet, decodeLatin1, splitValues } from './characterSet.ts';
import { tagToString } from './tag.ts';
import { type VrTraits, vrTraits } from './vr.ts';

/** What the meaning of the bytes of a value depends on. */
export type ValueContext = { readonly littleEndian: boolean; readonly characterSet: CharacterSet };

/**
 * The first values as text without padding; numbers and tags are printed. At most `bytesOfValues` bytes are decoded:
 * for a longer value pass one more byte, to show that it is cut. The value at the cut ends with `…`.
 */
export function decodeStrings(bytes: Uint8Array, vr: string, context: ValueContext, most: number): string[] {
  const traits = vrTraits(vr);
  if (bytes.length === 0 || traits === undefined || traits.kind === 'sequence' || most < 1) return [];
  if (traits.kind === 'tag') return decodeNumbers(bytes, vr, context, most).map(tagToString);
  if (traits.kind === 'number' || traits.kind === 'bytes') {
    return decodeNumbers(bytes, vr, context, most).map(vr === 'FL' || vr === 'OF' ? printSingle : String);
  }
  const reach = bytesOfValues(vr, most);
  if (bytes.length <= reach) return decodeText(bytes, vr, context, { most, isCut: false });
  // One extra value shows whether the cut is inside the last wanted value.
  const values = decodeText(bytes.subarray(0, reach), vr, context, { most: most + 1, isCut: true });
  if (values.length > most) values.pop();
  // If there is padding at the cut, the value has ended before it.
  else if (!isPadding(bytes[reach - 1] ?? 0)) values.push(`${values.pop() ?? ''}${CUT}`);
  return values;
}

/** The first values of text; `isCut` if the bytes are only the beginning of it. */
export function decodeText(
  bytes: Uint8Array,
  vr: string,
  context: ValueContext,
  { most, isCut }: { readonly most: number; readonly isCut: boolean },
): string[] {
  const end = endOfText(bytes);
  if (end === 0) return [];
  const { multiple = false, localized = false } = vrTraits(vr) ?? {};
  const values = localized
    ? context.characterSet.decode(bytes.subarray(0, end), { multiple, personName: vr === 'PN', most, isCut })
    : splitValues(decodeLatin1(bytes, end), { multiple, most });
  for (let index = 0; index < values.length; index += 1) values[index] = trimValue(values[index]!, vr);
  return values;
}

/** Marks text that is too long to be read to its end. */
const CUT = '\u2026';

/** The decimal with the fewest digits that reads back as the same 32 bits: 3.1 rather than 3.0999999046325684. */
export function printSingle(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  // Fewer than eight characters have so few digits that the search below would find the same.
  const exact = String(value);
  if (exact.length < 8) return exact;
  // Single precision keeps six digits of a normal number, so the search starts there. A denormal one may have fewer.
  for (let digits = Math.abs(value) < LEAST_NORMAL ? 1 : 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

const LEAST_NORMAL = 2 ** -126;

/** The first values as numbers; NaN for text that is not a number. */
export function decodeNumbers(bytes: Uint8Array, vr: string, context: ValueContext, most: number): number[] {
  const traits = vrTraits(vr);
  if (bytes.length === 0 || traits === undefined || traits.kind === 'sequence') return [];
  if (traits.kind === 'text' || traits.kind === 'numeric text') {
    return decodeStrings(bytes, vr, context, most).map(parseNumber);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const width = widthOf(traits);
  const numbers: number[] = [];
  for (let at = 0; at + width <= bytes.length && numbers.length < most; at += width)
    numbers.push(readNumber(view, at, vr, context.littleEndian));
  return numbers;
}

/** Number of bytes of an element that are searched for its first `most` values. */
export function bytesOfValues(vr: string, most: number): number {
  const traits = vrTraits(vr);
  if (traits === undefined || traits.kind === 'sequence') return 0;
  if (traits.kind === 'text' || traits.kind === 'numeric text') {
    return FEW_BYTES + (traits.multiple ? most : 1) * traits.mostBytes;
  }
  return most * widthOf(traits);
}

/** Allowance for a few values that are longer than permitted. */
const FEW_BYTES = 1024;

/** Bytes per value of a VR that is not text. */
export function widthOf({ kind, unit }: VrTraits): number {
  return kind === 'tag' ? 4 : unit;
}

/** Parses a decimal or integer string as real writers print it; NaN if it is not a number. */
export function parseNumber(text: string): number {
  const trimmed = text.trim();
  // The standard allows 16 characters; the regular expression is slow on a long run of digits.
  return trimmed.length <= 64 && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

function readNumber(view: DataView, at: number, vr: string, littleEndian: boolean): number {
  switch (vr) {
    case 'US':
    case 'OW':
      return view.getUint16(at, littleEndian);
    case 'SS':
      return view.getInt16(at, littleEndian);
    case 'UL':
    case 'OL':
      return view.getUint32(at, littleEndian);
    case 'SL':
      return view.getInt32(at, littleEndian);
    case 'FL':
    case 'OF':
      return view.getFloat32(at, littleEndian);
    case 'FD':
    case 'OD':
      return view.getFloat64(at, littleEndian);
    case 'UV':
    case 'OV':
      return Number(view.getBigUint64(at, littleEndian));
    case 'SV':
      return Number(view.getBigInt64(at, littleEndian));
    case 'AT':
      return view.getUint16(at, littleEndian) * 0x10000 + view.getUint16(at + 2, littleEndian);
    default:
      return view.getUint8(at);
  }
}

/** Finds the end before the padding of the whole value: spaces, and NULs, which some writers use for any text. */
function endOfText(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && isPadding(bytes[end - 1] ?? 0)) end -= 1;
  return end;
}

/** Spaces around a value are insignificant, except leading spaces in long text. PS3.5 table 6.2-1. */
function trimValue(value: string, vr: string): string {
  // Loops, because a regular expression takes quadratic time on a long run of padding.
  let end = value.length;
  while (end > 0 && isPadding(value.charCodeAt(end - 1))) end -= 1;
  let start = 0;
  if (!KEEPS_LEADING_SPACES.has(vr)) while (start < end && value.charCodeAt(start) === 0x20) start += 1;
  return value.slice(start, end);
}

const KEEPS_LEADING_SPACES: ReadonlySet<string> = new Set(['ST', 'LT', 'UT', 'UC', 'UR', 'PN']);

function isPadding(code: number): boolean {
  return code === 0x20 || code === 0;
}
