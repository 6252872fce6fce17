// AssemblyScript, compiled to dist/kernels/deflate.wasm by scripts/buildKernels.mjs. These loops over all bytes of a
// picture are most of the work of encoding a PNG. The terms are those of RFC 1951; deflateKernel.ts declares these
// functions and documents what each of them expects.
import {
  CODES,
  COUNT_TABLE_BYTES,
  COUNTS,
  END_OF_BLOCK,
  LENGTH_BITS,
  LEVELS,
  LONGEST_RUN,
  PAIRS,
  RUNS,
  STATE,
  STEPS,
} from './deflateLayout';

const SHORTEST_RUN: u32 = 3;

export function lookUp(samples: u32, count: u32, to: u32): void {
  const end = to + count;
  while (to < end) {
    store<u8>(to, load<u8>(load<u16>(samples, 0), LEVELS), 0);
    store<u8>(to, load<u8>(load<u16>(samples, 2), LEVELS), 1);
    store<u8>(to, load<u8>(load<u16>(samples, 4), LEVELS), 2);
    store<u8>(to, load<u8>(load<u16>(samples, 6), LEVELS), 3);
    store<u8>(to, load<u8>(load<u16>(samples, 8), LEVELS), 4);
    store<u8>(to, load<u8>(load<u16>(samples, 10), LEVELS), 5);
    store<u8>(to, load<u8>(load<u16>(samples, 12), LEVELS), 6);
    store<u8>(to, load<u8>(load<u16>(samples, 14), LEVELS), 7);
    samples += 16;
    to += 8;
  }
}

/** The number of the PNG filter "Up". */
const FILTER_UP: u8 = 2;

/** Processes sixteen bytes at once. Bytes written beyond the end of a row are overwritten by the next row. */
export function filterUp(pixels: u32, rows: u32, bytesPerRow: u32, to: u32): void {
  for (; rows > 0; rows--) {
    store<u8>(to, FILTER_UP);
    to += 1;
    const above = pixels - bytesPerRow;
    for (let column: u32 = 0; column < bytesPerRow; column += 16) {
      v128.store(to + column, i8x16.sub(v128.load(pixels + column), v128.load(above + column)));
    }
    pixels += bytesPerRow;
    to += bytesPerRow;
  }
}

const ADLER_PRIME: u32 = 65_521;
/** In a block of this many bytes, the sum of every sixteenth byte fits in a signed 16-bit number. */
const ADLER_BLOCK: u32 = 2048;

/**
 * For sixteen bytes x0 to x15, the second sum grows by sixteen times the first sum plus 16 x0 + 15 x1 + ... + x15.
 * `firsts` sums the bytes, `before` sums `firsts` as it was before each sixteen, `low` and `high` sum all x0, all x1,
 * and so on.
 */
export function adler32(at: u32, length: u32, state: u32): u32 {
  const end = at + length;
  let a: u32 = state & 0xffff;
  let b: u32 = state >>> 16;
  while (at + 16 <= end) {
    const start = at;
    const stop = min<u32>(end - 15, at + ADLER_BLOCK);
    let firsts = i32x4.splat(0);
    let before = i32x4.splat(0);
    let low = i16x8.splat(0);
    let high = i16x8.splat(0);
    while (at < stop) {
      const bytes = v128.load(at);
      before = i32x4.add(before, firsts);
      firsts = i32x4.add(firsts, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
      low = i16x8.add(low, i16x8.extend_low_i8x16_u(bytes));
      high = i16x8.add(high, i16x8.extend_high_i8x16_u(bytes));
      at += 16;
    }
    b += (at - start) * a;
    const weighted = i32x4.add(
      i32x4.dot_i16x8_s(low, i16x8(16, 15, 14, 13, 12, 11, 10, 9)),
      i32x4.dot_i16x8_s(high, i16x8(8, 7, 6, 5, 4, 3, 2, 1)),
    );
    b += (sumOfLanes(before) << 4) + sumOfLanes(weighted);
    a += sumOfLanes(firsts);
    a %= ADLER_PRIME;
    b %= ADLER_PRIME;
  }
  for (; at < end; at++) {
    a = (a + load<u8>(at)) % ADLER_PRIME;
    b = (b + a) % ADLER_PRIME;
  }
  return (b << 16) | a;
}

@inline
function sumOfLanes(lanes: v128): u32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

// `count` and `emit` must find the same symbols. Eight or more zeros are coded as one zero and runs of the previous
// byte; everything else is coded byte by byte. Medical pictures have hardly any other repetition that is worth
// searching for.

/** The end of the zeros that begin at `at`, of which the first eight are known. */
@inline
function endOfZeros(at: u32, end: u32): u32 {
  at += 8;
  while (at + 8 <= end && load<u64>(at) == 0) at += 8;
  while (at < end && load<u8>(at) == 0) at++;
  return at;
}

@inline
function countSymbol(symbol: u32): void {
  const place = symbol << 2;
  store<u32>(place, load<u32>(place, COUNTS) + 1, COUNTS);
}

@inline
function runEntry(run: u32): u32 {
  return load<u32>(run << 2, RUNS);
}

/**
 * Neighbouring bytes are counted in separate tables, because increments of the same counter would have to wait for each
 * other.
 */
export function count(at: u32, length: u32): void {
  const end = at + length;
  while (at + 8 <= end) {
    if (load<u64>(at) == 0) {
      const next = endOfZeros(at, end);
      let zeros = next - at - 1;
      countSymbol(0);
      while (zeros >= SHORTEST_RUN) {
        const run = min<u32>(zeros, LONGEST_RUN);
        countSymbol(runEntry(run) & 0xffff);
        zeros -= run;
      }
      for (; zeros > 0; zeros--) countSymbol(0);
      at = next;
    } else {
      let place: u32 = (<u32>load<u8>(at, 0)) << 2;
      store<u32>(place, load<u32>(place, COUNTS) + 1, COUNTS);
      place = (<u32>load<u8>(at, 1)) << 2;
      store<u32>(place, load<u32>(place, COUNTS + COUNT_TABLE_BYTES) + 1, COUNTS + COUNT_TABLE_BYTES);
      place = (<u32>load<u8>(at, 2)) << 2;
      store<u32>(place, load<u32>(place, COUNTS + 2 * COUNT_TABLE_BYTES) + 1, COUNTS + 2 * COUNT_TABLE_BYTES);
      place = (<u32>load<u8>(at, 3)) << 2;
      store<u32>(place, load<u32>(place, COUNTS + 3 * COUNT_TABLE_BYTES) + 1, COUNTS + 3 * COUNT_TABLE_BYTES);
      place = (<u32>load<u8>(at, 4)) << 2;
      store<u32>(place, load<u32>(place, COUNTS) + 1, COUNTS);
      place = (<u32>load<u8>(at, 5)) << 2;
      store<u32>(place, load<u32>(place, COUNTS + COUNT_TABLE_BYTES) + 1, COUNTS + COUNT_TABLE_BYTES);
      place = (<u32>load<u8>(at, 6)) << 2;
      store<u32>(place, load<u32>(place, COUNTS + 2 * COUNT_TABLE_BYTES) + 1, COUNTS + 2 * COUNT_TABLE_BYTES);
      place = (<u32>load<u8>(at, 7)) << 2;
      store<u32>(place, load<u32>(place, COUNTS + 3 * COUNT_TABLE_BYTES) + 1, COUNTS + 3 * COUNT_TABLE_BYTES);
      at += 8;
    }
  }
  for (; at < end; at++) countSymbol(load<u8>(at));
}

/**
 * Appends the code of the second byte to that of the first. Codes are moved up by a multiplication, because vectors
 * have no shift by lane.
 */
export function pairUp(): void {
  let to: u32 = 0;
  for (let second: u32 = 0; second < 4 * 256; second += 4) {
    const entry = load<u32>(second, CODES);
    if (entry == 0) {
      to += 4 * 256;
      continue;
    }
    const length = i32x4.splat(entry & ((1 << LENGTH_BITS) - 1));
    const code = i32x4.splat(entry >>> LENGTH_BITS);
    for (let first: u32 = 0; first < 4 * 256; first += 16) {
      const moved = i32x4.add(i32x4.mul(code, v128.load(first, STEPS)), length);
      v128.store(to, i32x4.add(v128.load(first, CODES), moved), PAIRS);
      to += 16;
    }
  }
}

/**
 * The bits that are not yet written, and their number. Only the lowest 6 bits of the number are used, as in a shift.
 */
let bits: u64 = 0;
let bitCount: u64 = 0;

/** The whole entry is added to `bitCount`, because its lowest bits are the length. */
@inline
function append(entry: u64): void {
  bits |= (entry >>> LENGTH_BITS) << bitCount;
  bitCount += entry;
}

/**
 * Writes the complete bytes and returns the position of the next one. At most 7 bits remain, which leaves room for two
 * pairs.
 */
@inline
function flush(to: u32): u32 {
  store<u64>(to, bits);
  to += (<u32>bitCount & 63) >>> 3;
  bits >>>= bitCount & 56;
  bitCount &= 7;
  return to;
}

@inline
function symbolEntry(symbol: u32): u64 {
  return load<u32>(symbol << 2, CODES);
}

@inline
function pairEntry(bytes: u16): u64 {
  return load<u32>((<u32>bytes) << 2, PAIRS);
}

/** The position at which `emitPairs` stopped writing. */
let nextTo: u32 = 0;

/**
 * Encodes eight bytes at a time while the next eight are not all zero. Returns the position at which it stopped
 * reading.
 */
@inline
function emitPairs(at: u32, end: u32, to: u32): u32 {
  // Local copies stay in registers: this loop is most of the work.
  let local = bits;
  let count = bitCount;
  do {
    let entry = pairEntry(load<u16>(at, 0));
    local |= (entry >>> LENGTH_BITS) << count;
    count += entry;
    entry = pairEntry(load<u16>(at, 2));
    local |= (entry >>> LENGTH_BITS) << count;
    count += entry;
    store<u64>(to, local);
    to += (<u32>count & 63) >>> 3;
    local >>>= count & 56;
    count &= 7;
    entry = pairEntry(load<u16>(at, 4));
    local |= (entry >>> LENGTH_BITS) << count;
    count += entry;
    entry = pairEntry(load<u16>(at, 6));
    local |= (entry >>> LENGTH_BITS) << count;
    count += entry;
    store<u64>(to, local);
    to += (<u32>count & 63) >>> 3;
    local >>>= count & 56;
    count &= 7;
    at += 8;
  } while (at + 8 <= end && load<u64>(at) != 0);
  bits = local;
  bitCount = count;
  nextTo = to;
  return at;
}

export function emit(at: u32, length: u32, to: u32, firstBits: u32, firstCount: u32): u32 {
  const end = at + length;
  bits = firstBits;
  bitCount = firstCount;
  while (at + 8 <= end) {
    if (load<u64>(at) == 0) {
      const next = endOfZeros(at, end);
      let zeros = next - at - 1;
      append(symbolEntry(0));
      to = flush(to);
      while (zeros >= SHORTEST_RUN) {
        const run = min<u32>(zeros, LONGEST_RUN);
        const entry = runEntry(run);
        append(symbolEntry(entry & 0xffff));
        append(entry >>> 16);
        to = flush(to);
        zeros -= run;
      }
      for (; zeros > 0; zeros--) {
        append(symbolEntry(0));
        to = flush(to);
      }
      at = next;
    } else {
      at = emitPairs(at, end, to);
      to = nextTo;
    }
  }
  for (; at < end; at++) {
    append(symbolEntry(load<u8>(at)));
    to = flush(to);
  }
  append(symbolEntry(END_OF_BLOCK));
  to = flush(to);
  store<u32>(STATE, <u32>bits);
  store<u32>(STATE + 4, <u32>bitCount);
  return to;
}
