import { type CharacterSet, decodeLatin1, splitValues } from './characterSet.ts';
import { tagToString } from './tag.ts';
import { vrTraits } from './vr.ts';

/** What the meaning of a value's bytes depends on. */
export type ValueContext = { readonly littleEndian: boolean; readonly characterSet: CharacterSet };

/** All values as text, padding removed; numbers and tags are printed. */
export function decodeStrings(bytes: Uint8Array, vr: string, context: ValueContext): string[] {
  const traits = vrTraits(vr);
  if (bytes.length === 0 || traits === undefined || traits.kind === 'sequence') return [];
  if (traits.kind === 'tag') return decodeNumbers(bytes, vr, context).map(tagToString);
  if (traits.kind === 'number' || traits.kind === 'bytes') return decodeNumbers(bytes, vr, context).map(String);
  const end = endOfText(bytes);
  if (end === 0) return [];
  const { multiple, localized } = traits;
  const values = localized
    ? context.characterSet.decode(bytes.subarray(0, end), { multiple, personName: vr === 'PN' })
    : splitValues(decodeLatin1(bytes, end), { multiple });
  return values.map((value) => trimValue(value, vr));
}

/** All values as numbers; NaN stands where text is no number. */
export function decodeNumbers(bytes: Uint8Array, vr: string, context: ValueContext): number[] {
  const traits = vrTraits(vr);
  if (bytes.length === 0 || traits === undefined || traits.kind === 'sequence') return [];
  if (traits.kind === 'text' || traits.kind === 'numeric text') {
    return decodeStrings(bytes, vr, context).map(parseNumber);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const width = traits.kind === 'tag' ? 4 : traits.unit;
  const numbers: number[] = [];
  for (let at = 0; at + width <= bytes.length; at += width)
    numbers.push(readNumber(view, at, vr, context.littleEndian));
  return numbers;
}

/** A decimal or integer string as writers in the field print it; NaN where it is none. */
export function parseNumber(text: string): number {
  const trimmed = text.trim();
  // The standard allows 16 characters; the pattern is slow on a long run of digits.
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

/** Padding at the end of the whole value: spaces, and the NULs that some writers use for any text. */
function endOfText(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && isPadding(bytes[end - 1] ?? 0)) end -= 1;
  return end;
}

/** Spaces around a value mean nothing, but in long text those before it do. PS3.5 table 6.2-1. */
function trimValue(value: string, vr: string): string {
  // Loops, because a pattern takes quadratic time on a long run of padding.
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
