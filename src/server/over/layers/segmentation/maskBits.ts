import type { BitFrame } from '../../../images/pixels/readBits.ts';
import type { MaskBox } from './maskBox.ts';

/** Number of bits that are set, of each byte. */
const SET_BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

export function countSetBits({ rows, columns, bits }: BitFrame): number {
  const count = Math.min(rows * columns, bits.length * 8);
  const whole = count >>> 3;
  let sum = 0;
  for (let byte = 0; byte < whole; byte += 1) sum += SET_BITS[bits[byte]!]!;
  return count % 8 === 0 ? sum : sum + SET_BITS[bits[whole]! & (2 ** (count % 8) - 1)]!;
}

/** The smallest box around the bits that are set. Each row is looked at from both ends, byte by byte. */
export function findBitBox({ rows, columns, bits }: BitFrame): MaskBox | undefined {
  let [top, bottom, left, right] = [-1, -1, columns, -1];
  const count = Math.min(rows * columns, bits.length * 8);
  for (let row = 0, start = 0; start < count; row += 1, start += columns) {
    const end = Math.min(count, start + columns);
    const first = findFirstBit(bits, start, end);
    if (first === -1) continue;
    if (top < 0) top = row;
    bottom = row;
    left = Math.min(left, first - start);
    right = Math.max(right, findLastBit(bits, start, end) - start);
  }
  return bottom < 0 ? undefined : { top, left, rows: bottom - top + 1, columns: right - left + 1 };
}

/** The first bit from `from` up to but not including `end` that is set; -1 if none is. */
export function findFirstBit(bits: Uint8Array, from: number, end: number): number {
  let byte = from >>> 3;
  let held = bits[byte]! & (0xff << (from & 7));
  for (const last = (end - 1) >>> 3; held === 0 && byte < last;) held = bits[++byte]!;
  // The lowest bit that is set.
  const at = byte * 8 + 31 - Math.clz32(held & -held);
  return held === 0 || at >= end ? -1 : at;
}

function findLastBit(bits: Uint8Array, from: number, end: number): number {
  let byte = (end - 1) >>> 3;
  let held = bits[byte]! & (0xff >>> (7 - ((end - 1) & 7)));
  for (const first = from >>> 3; held === 0 && byte > first;) held = bits[--byte]!;
  const at = byte * 8 + 31 - Math.clz32(held);
  return held === 0 || at < from ? -1 : at;
}

/** A range of bits, in bytes or in a part of them. */
export type BitRange = { readonly bits: Uint8Array; readonly at: number };

/** Adds `count` bits to others, as their union. */
export function addBits(from: BitRange, to: BitRange, count: number): void {
  let [source, target] = [from.at, to.at];
  const [held, joined] = [from.bits, to.bits];
  for (let left = count; left > 0;) {
    const inTarget = target & 7;
    const take = left < 8 - inTarget ? left : 8 - inTarget;
    const byte = source >>> 3;
    // Beyond the end, undefined is 0 here.
    const both = held[byte]! | (held[byte + 1]! << 8);
    joined[target >>> 3]! |= ((both >>> (source & 7)) & ((1 << take) - 1)) << inTarget;
    source += take;
    target += take;
    left -= take;
  }
}
