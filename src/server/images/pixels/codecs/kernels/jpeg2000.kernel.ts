// AssemblyScript, compiled to dist/kernels/jpeg2000.wasm by scripts/buildKernels.mjs. The code-blocks, the wavelet
// transforms and the samples of JPEG 2000, ITU-T T.800 Annexes C to G. decodeJ2k.ts declares these functions and documents
// what they expect.

// The decision decoder (Annex C). A state is its probability in the highest 16 bits, the more probable symbol in bit 32,
// and below it the addresses of the states that follow if the symbol is the more probable one and if it is not.
const STATES: u32 = 64;
const PROBABILITY: u64 = 0xffff << 48;
/** The current states of the contexts. */
const CONTEXTS: u32 = 832;
const SIGN_CONTEXTS: u32 = 9;
const REFINE_CONTEXTS: u32 = 14;
const RUN_CONTEXT: u32 = CONTEXTS + 8 * 17;
const UNIFORM_CONTEXT: u32 = CONTEXTS + 8 * 18;
const CONTEXT_COUNT: u32 = 19;

/** For each kind of sub-band, from the significance of a sample's neighbors to the offset of its context. */
const ZERO_TABLES: u32 = 1024;
/** From significance and signs of four neighbors to the offset of a context, and the sign that it predicts in bit 0. */
const SIGN_TABLE: u32 = 3072;

/**
 * What is known of four samples, one below the other: bits 0 to 17 are the significance of three columns and six rows
 * around them, row by row. Then, at bit 19 + 3 * row, whether the sample is negative, whether it was refined before,
 * and whether it was coded in the first pass of this plane. Bits 18 and 31 are the signs of the samples above and below.
 */
const FLAGS: u32 = 4096;
const ABOVE_NEGATIVE: u32 = 18;
const NEGATIVE: u32 = 19;
const REFINED: u32 = 20;
const CODED: u32 = 21;
const ALL_CODED: u32 = 0x49200000;
/** Bits 0, 3, 6 and 9: the four samples of a column. */
const COLUMN: u32 = 0x249;

/** The samples, four of a column together: the sign in bit 31, and twice the magnitude. */
const VALUES: u32 = 20480;

export function prepare(): void {
  writeState(0, 0x5601, 1, 1, 1);
  writeState(1, 0x3401, 2, 6, 0);
  writeState(2, 0x1801, 3, 9, 0);
  writeState(3, 0x0ac1, 4, 12, 0);
  writeState(4, 0x0521, 5, 29, 0);
  writeState(5, 0x0221, 38, 33, 0);
  writeState(6, 0x5601, 7, 6, 1);
  writeState(7, 0x5401, 8, 14, 0);
  writeState(8, 0x4801, 9, 14, 0);
  writeState(9, 0x3801, 10, 14, 0);
  writeState(10, 0x3001, 11, 17, 0);
  writeState(11, 0x2401, 12, 18, 0);
  writeState(12, 0x1c01, 13, 20, 0);
  writeState(13, 0x1601, 29, 21, 0);
  writeState(14, 0x5601, 15, 14, 1);
  writeState(15, 0x5401, 16, 14, 0);
  writeState(16, 0x5101, 17, 15, 0);
  writeState(17, 0x4801, 18, 16, 0);
  writeState(18, 0x3801, 19, 17, 0);
  writeState(19, 0x3401, 20, 18, 0);
  writeState(20, 0x3001, 21, 19, 0);
  writeState(21, 0x2801, 22, 19, 0);
  writeState(22, 0x2401, 23, 20, 0);
  writeState(23, 0x2201, 24, 21, 0);
  writeState(24, 0x1c01, 25, 22, 0);
  writeState(25, 0x1801, 26, 23, 0);
  writeState(26, 0x1601, 27, 24, 0);
  writeState(27, 0x1401, 28, 25, 0);
  writeState(28, 0x1201, 29, 26, 0);
  writeState(29, 0x1101, 30, 27, 0);
  writeState(30, 0x0ac1, 31, 28, 0);
  writeState(31, 0x09c1, 32, 29, 0);
  writeState(32, 0x08a1, 33, 30, 0);
  writeState(33, 0x0521, 34, 31, 0);
  writeState(34, 0x0441, 35, 32, 0);
  writeState(35, 0x02a1, 36, 33, 0);
  writeState(36, 0x0221, 37, 34, 0);
  writeState(37, 0x0141, 38, 35, 0);
  writeState(38, 0x0111, 39, 36, 0);
  writeState(39, 0x0085, 40, 37, 0);
  writeState(40, 0x0049, 41, 38, 0);
  writeState(41, 0x0025, 42, 39, 0);
  writeState(42, 0x0015, 43, 40, 0);
  writeState(43, 0x0009, 44, 41, 0);
  writeState(44, 0x0005, 45, 42, 0);
  writeState(45, 0x0001, 45, 43, 0);
  writeState(46, 0x5601, 46, 46, 0);
  for (let near: u32 = 0; near < 512; near++) {
    const h = bitOf(near, 3) + bitOf(near, 5);
    const v = bitOf(near, 1) + bitOf(near, 7);
    const d = bitOf(near, 0) + bitOf(near, 2) + bitOf(near, 6) + bitOf(near, 8);
    store<u8>(ZERO_TABLES + near, <u8>(8 * edgeContext(h, v, d)));
    store<u8>(ZERO_TABLES + 512 + near, <u8>(8 * edgeContext(v, h, d)));
    store<u8>(ZERO_TABLES + 1024 + near, <u8>(8 * edgeContext(h, v, d)));
    store<u8>(ZERO_TABLES + 1536 + near, <u8>(8 * cornerContext(h + v, d)));
  }
  // Bits 1, 3, 5, 7: above, left, right and below are significant. Bits 4, 0, 2, 6: they are negative.
  for (let near: u32 = 0; near < 256; near++) {
    const h = limit(signOf(near, 3, 0) + signOf(near, 5, 2));
    const v = limit(signOf(near, 1, 4) + signOf(near, 7, 6));
    const isNegative = h < 0 || (h == 0 && v < 0);
    const context = h == 0 ? <u32>(v & 1) : <u32>(3 + h * v);
    store<u8>(SIGN_TABLE + near, <u8>(8 * (SIGN_CONTEXTS + context) + (isNegative ? 1 : 0)));
  }
}

/** The two states of a row of table C.2, one for each symbol that can be the more probable one. */
function writeState(index: u32, probability: u64, more: u32, less: u32, switches: u32): void {
  for (let symbol: u32 = 0; symbol < 2; symbol++) {
    const next = <u64>stateAddress(more, symbol) | (<u64>stateAddress(less, symbol ^ switches) << 16);
    store<u64>(stateAddress(index, symbol), (probability << 48) | (<u64>symbol << 32) | next);
  }
}

@inline
function stateAddress(index: u32, symbol: u32): u32 {
  return STATES + 16 * index + 8 * symbol;
}

@inline
function bitOf(value: u32, bit: u32): u32 {
  return (value >>> bit) & 1;
}

/** Table D.1 for LL and LH, and with the first two exchanged for HL. */
function edgeContext(h: u32, v: u32, d: u32): u32 {
  if (h == 2) return 8;
  if (h == 1) return v > 0 ? 7 : d > 0 ? 6 : 5;
  return v == 2 ? 4 : v == 1 ? 3 : d > 1 ? 2 : d;
}

/** Table D.1 for HH. */
function cornerContext(hv: u32, d: u32): u32 {
  if (d > 2) return 8;
  if (d == 2) return hv > 0 ? 7 : 6;
  if (d == 1) return hv > 1 ? 5 : 3 + hv;
  return hv > 1 ? 2 : hv;
}

function signOf(near: u32, significant: u32, negative: u32): i32 {
  if (bitOf(near, significant) == 0) return 0;
  return bitOf(near, negative) == 0 ? 1 : -1;
}

function limit(sum: i32): i32 {
  return sum > 1 ? 1 : sum < -1 ? -1 : sum;
}

/** The address of the next byte, how many bytes were made up, and what `refill` returns besides the code. */
let nextByte: u32 = 0;
let madeUp: i32 = 0;
let refilled: i32 = 0;

/**
 * Adds bytes to the code, whose highest 16 bits are compared with probabilities; `spare` is the number of bits below
 * them. C.3.4: after FF a byte has seven bits and a carry, and from a marker on there are only ones.
 */
function refill(code: u64, spare: i32): u64 {
  let at = nextByte;
  let previous: u32 = load<u8>(at - 1);
  do {
    const byte: u32 = load<u8>(at);
    if (previous != 0xff) {
      code += (<u64>byte) << (40 - spare);
      spare += 8;
    } else if (byte > 0x8f) {
      code += <u64>0xff << (40 - spare);
      spare += 8;
      madeUp += 1;
      continue;
    } else {
      code += (<u64>byte) << (41 - spare);
      spare += 7;
    }
    previous = byte;
    at += 1;
  } while (spare <= 40);
  nextByte = at;
  refilled = spare;
  return code;
}

/** The decision decoder between two passes. */
let keptInterval: u64 = 0;
let keptCode: u64 = 0;
let keptSpare: i32 = 0;

export function decodeBlock(
  from: u32,
  length: u32,
  width: u32,
  height: u32,
  band: u32,
  planes: u32,
  passes: u32,
  scale: f32,
  to: u32,
  toPitch: u32,
): i32 {
  const stripes = (height + 3) >>> 2;
  memory.fill(FLAGS, 0, ((width + 2) << 2) * (stripes + 2));
  memory.fill(VALUES, 0, (stripes * width) << 4);
  for (let i: u32 = 0; i < CONTEXT_COUNT; i++) {
    // D.7: all but three contexts begin in state 0.
    const first: u32 = i == 0 ? 4 : i == 17 ? 3 : i == 18 ? 46 : 0;
    store<u64>(CONTEXTS + 8 * i, load<u64>(stateAddress(first, 0)));
  }
  nextByte = from;
  madeUp = 0;
  keptInterval = 0x8000 << 48;
  keptCode = refill(0, -15);
  keptSpare = refilled;

  const zeroTable = ZERO_TABLES + 512 * band;
  let kind: u32 = 2;
  let plane: u32 = planes;
  for (let pass: u32 = 0; pass < passes && plane > 0; pass++) {
    if (kind == 0) propagate(width, height, plane, zeroTable);
    else if (kind == 1) refine(width, height, plane);
    else {
      cleanUp(width, height, plane, zeroTable);
      plane -= 1;
    }
    kind = kind == 2 ? 0 : kind + 1;
  }

  for (let y: u32 = 0; y < height; y++) {
    let value = VALUES + (((y >>> 2) * width) << 4) + ((y & 3) << 2);
    const row = to + y * toPitch;
    for (let x: u32 = 0; x < width; x++) {
      const sample = load<u32>(value);
      const sign: u32 = 0 - (sample >>> 31);
      const magnitude = sample & 0x7fffffff;
      if (scale == 0) store<u32>(row + 4 * x, ((magnitude >>> 1) ^ sign) - sign);
      else store<f32>(row + 4 * x, <f32>(<i32>((magnitude ^ sign) - sign)) * scale);
      value += 16;
    }
  }
  return measureRest(from + length);
}

/** Bytes of the code-block that no decision needed, or below 0, how many more than there are were needed. */
function measureRest(end: u32): i32 {
  // Whole bytes that were added to the code in advance.
  let spare = keptSpare;
  for (;;) {
    const bits = madeUp == 0 && load<u8>(nextByte - 2) == 0xff ? 7 : 8;
    if (spare < bits) break;
    spare -= bits;
    if (madeUp > 0) madeUp -= 1;
    else nextByte -= 1;
  }
  const unread = <i32>end - <i32>nextByte;
  return unread > 0 ? unread : -madeUp;
}

// The passes are exported so that they stay functions of their own: together they have more variables than the
// processor has registers.

/** D.3.1. */
export function propagate(width: u32, height: u32, plane: u32, zeroTable: u32): void {
  findSignificant(true, width, height, plane, zeroTable);
}

/** D.3.4. */
export function cleanUp(width: u32, height: u32, plane: u32, zeroTable: u32): void {
  findSignificant(false, width, height, plane, zeroTable);
}

/** D.3.3. */
export function refine(width: u32, height: u32, plane: u32): void {
  // The decision decoder is written out in each place that uses it: its variables must be local to be fast.
  let interval = keptInterval;
  let code = keptCode;
  let spare = keptSpare;
  let context: u32 = 0;
  let state: u64 = 0;
  let part: u64 = 0;
  let isLower: u64 = 0;
  let isLess: u64 = 0;
  let bit: u32 = 0;

  const pitch = (width + 2) << 2;
  const one: u32 = 1 << plane;
  const half: u32 = one >>> 1;
  let place = FLAGS + pitch + 4;
  let value = VALUES;
  for (let top: u32 = 0; top < height; top += 4) {
    const rows = min(4, height - top);
    const column: u32 = COLUMN & ((1 << (3 * rows)) - 1);
    const end = place + 4 * width;
    for (; place < end; place += 4, value += 16) {
      let flags = load<u32>(place);
      let todo = (flags >>> 4) & ~(flags >>> CODED) & column;
      if (todo == 0) continue;
      do {
        const row = ctz(todo);
        todo &= todo - 1;
        const near = flags >>> row;
        flags |= (1 << REFINED) << row;
        const offset: u32 = (near & (1 << REFINED)) != 0 ? 2 : (near & 0x1ef) != 0 ? 1 : 0;
        context = CONTEXTS + 8 * (REFINE_CONTEXTS + offset);
        state = load<u64>(context);
        part = state & PROBABILITY;
        interval -= part;
        if (<u32>(code < part) | <u32>(<i64>interval >= 0)) {
          isLower = <u64>(code < part);
          isLess = isLower ^ <u64>(interval < part);
          interval ^= (interval ^ part) & (0 - isLower);
          code -= part & (isLower - 1);
          bit = <u32>(state >>> 32) ^ <u32>isLess;
          store<u64>(context, load<u64>(<u32>(state >>> (isLess << 4)) & 0xffff));
          const shift = clz(interval);
          interval <<= shift;
          code <<= shift;
          spare -= <i32>shift;
          if (spare < 0) {
            code = refill(code, spare);
            spare = refilled;
          }
        } else {
          code -= part;
          bit = <u32>(state >>> 32);
        }
        const sample = value + 4 * ((row * 11) >>> 5);
        store<u32>(sample, load<u32>(sample) + ((bit & 1) << plane) - half);
      } while (todo != 0);
      store<u32>(place, flags);
    }
    place += 8;
  }
  keptInterval = interval;
  keptCode = code;
  keptSpare = spare;
}

@inline
function findSignificant(isFirst: bool, width: u32, height: u32, plane: u32, zeroTable: u32): void {
  // The decision decoder is written out in each place that uses it: its variables must be local to be fast.
  let interval = keptInterval;
  let code = keptCode;
  let spare = keptSpare;
  let context: u32 = 0;
  let state: u64 = 0;
  let part: u64 = 0;
  let isLower: u64 = 0;
  let isLess: u64 = 0;
  let bit: u32 = 0;

  const pitch = (width + 2) << 2;
  const one: u32 = 1 << plane;
  const half: u32 = one >>> 1;
  let place = FLAGS + pitch + 4;
  let value = VALUES;
  for (let top: u32 = 0; top < height; top += 4) {
    const rows = min(4, height - top);
    const column: u32 = COLUMN & ((1 << (3 * rows)) - 1);
    const end = place + 4 * width;
    for (; place < end; place += 4, value += 16) {
      let flags = load<u32>(place);
      let todo: u32 = 0;
      let isFound = false;
      if (isFirst) {
        if (flags == 0) continue;
        const lines = flags | (flags >>> 1) | (flags >>> 2);
        todo = (lines | (lines >>> 3) | (lines >>> 6)) & ~(flags >>> 4) & column;
      } else if (flags == 0 && rows == 4) {
        state = load<u64>(RUN_CONTEXT);
        part = state & PROBABILITY;
        interval -= part;
        if (<u32>(code < part) | <u32>(<i64>interval >= 0)) {
          isLower = <u64>(code < part);
          isLess = isLower ^ <u64>(interval < part);
          interval ^= (interval ^ part) & (0 - isLower);
          code -= part & (isLower - 1);
          bit = <u32>(state >>> 32) ^ <u32>isLess;
          store<u64>(RUN_CONTEXT, load<u64>(<u32>(state >>> (isLess << 4)) & 0xffff));
          const shift = clz(interval);
          interval <<= shift;
          code <<= shift;
          spare -= <i32>shift;
          if (spare < 0) {
            code = refill(code, spare);
            spare = refilled;
          }
        } else {
          code -= part;
          bit = <u32>(state >>> 32);
        }
        if ((bit & 1) == 0) continue;
        // The row of the first significant sample, in two bits.
        let found: u32 = 0;
        for (let i: u32 = 0; i < 2; i++) {
          state = load<u64>(UNIFORM_CONTEXT);
          part = state & PROBABILITY;
          interval -= part;
          if (<u32>(code < part) | <u32>(<i64>interval >= 0)) {
            isLower = <u64>(code < part);
            isLess = isLower ^ <u64>(interval < part);
            interval ^= (interval ^ part) & (0 - isLower);
            code -= part & (isLower - 1);
            bit = <u32>(state >>> 32) ^ <u32>isLess;
            store<u64>(UNIFORM_CONTEXT, load<u64>(<u32>(state >>> (isLess << 4)) & 0xffff));
            const shift = clz(interval);
            interval <<= shift;
            code <<= shift;
            spare -= <i32>shift;
            if (spare < 0) {
              code = refill(code, spare);
              spare = refilled;
            }
          } else {
            code -= part;
            bit = <u32>(state >>> 32);
          }
          found = (found << 1) | (bit & 1);
        }
        isFound = true;
        todo = COLUMN & ~((1 << (3 * found)) - 1);
      } else todo = ~((flags >>> 4) | (flags >>> CODED)) & column;

      while (todo != 0) {
        const row = ctz(todo);
        todo &= todo - 1;
        if (!isFound) {
          context = CONTEXTS + load<u8>(zeroTable + ((flags >>> row) & 0x1ff));
          state = load<u64>(context);
          part = state & PROBABILITY;
          interval -= part;
          if (<u32>(code < part) | <u32>(<i64>interval >= 0)) {
            isLower = <u64>(code < part);
            isLess = isLower ^ <u64>(interval < part);
            interval ^= (interval ^ part) & (0 - isLower);
            code -= part & (isLower - 1);
            bit = <u32>(state >>> 32) ^ <u32>isLess;
            store<u64>(context, load<u64>(<u32>(state >>> (isLess << 4)) & 0xffff));
            const shift = clz(interval);
            interval <<= shift;
            code <<= shift;
            spare -= <i32>shift;
            if (spare < 0) {
              code = refill(code, spare);
              spare = refilled;
            }
          } else {
            code -= part;
            bit = <u32>(state >>> 32);
          }
          if (isFirst) flags |= (1 << CODED) << row;
          if ((bit & 1) == 0) continue;
        }
        isFound = false;

        const left = load<u32>(place - 4);
        const right = load<u32>(place + 4);
        const above = row == 0 ? flags >>> (ABOVE_NEGATIVE - 4) : flags >>> (row + 12);
        const near =
          ((flags >>> row) & 0xaa) |
          ((left >>> (NEGATIVE + row)) & 1) |
          ((right >>> (NEGATIVE - 2 + row)) & 4) |
          (above & 16) |
          ((flags >>> (16 + row)) & 64);
        const expected: u32 = load<u8>(SIGN_TABLE + near);
        context = CONTEXTS + (expected & 0xf8);
        state = load<u64>(context);
        part = state & PROBABILITY;
        interval -= part;
        if (<u32>(code < part) | <u32>(<i64>interval >= 0)) {
          isLower = <u64>(code < part);
          isLess = isLower ^ <u64>(interval < part);
          interval ^= (interval ^ part) & (0 - isLower);
          code -= part & (isLower - 1);
          bit = <u32>(state >>> 32) ^ <u32>isLess;
          store<u64>(context, load<u64>(<u32>(state >>> (isLess << 4)) & 0xffff));
          const shift = clz(interval);
          interval <<= shift;
          code <<= shift;
          spare -= <i32>shift;
          if (spare < 0) {
            code = refill(code, spare);
            spare = refilled;
          }
        } else {
          code -= part;
          bit = <u32>(state >>> 32);
        }
        const negative: u32 = (bit ^ expected) & 1;
        store<u32>(value + 4 * ((row * 11) >>> 5), (negative << 31) | one | half);
        flags |= (0x10 | (negative << NEGATIVE)) << row;
        store<u32>(place - 4, left | (0x20 << row));
        store<u32>(place + 4, right | (0x08 << row));
        if (row == 0) {
          const north = place - pitch;
          store<u32>(north - 4, load<u32>(north - 4) | (1 << 17));
          store<u32>(north, load<u32>(north) | (negative << 31) | (1 << 16));
          store<u32>(north + 4, load<u32>(north + 4) | (1 << 15));
        } else if (row == 9) {
          const south = place + pitch;
          store<u32>(south - 4, load<u32>(south - 4) | (1 << 2));
          store<u32>(south, load<u32>(south) | (negative << ABOVE_NEGATIVE) | (1 << 1));
          store<u32>(south + 4, load<u32>(south + 4) | 1);
        }
        // The sample below now has a significant neighbor.
        if (isFirst) todo |= (8 << row) & ~(flags >>> 4) & column;
      }
      store<u32>(place, isFirst ? flags : flags & ~ALL_CODED);
    }
    place += 8;
  }
  keptInterval = interval;
  keptCode = code;
  keptSpare = spare;
}

/** F.3, with the reversible filter of F.3.8.1 on integers, or the other one of F.3.8.2 on floating-point numbers. */
export function joinBands(
  plane: u32,
  pitch: u32,
  width: u32,
  height: u32,
  lowWidth: u32,
  lowHeight: u32,
  scratch: u32,
  isReversible: bool,
): void {
  if (width > 1)
    for (let y: u32 = 0; y < height; y++) {
      const row = plane + y * pitch;
      if (isReversible) joinRow(row, width, lowWidth, scratch);
      else joinRealRow(row, width, lowWidth, scratch);
    }
  if (height > 1)
    for (let x: u32 = 0; x < width; x += 16) {
      const top = plane + 4 * x;
      const columns = min(16, width - x);
      if (isReversible) joinColumns(top, pitch, columns, height, lowHeight, scratch);
      else joinRealColumns(top, pitch, columns, height, lowHeight, scratch);
    }
}

function joinRow(row: u32, width: u32, lowWidth: u32, scratch: u32): void {
  const high = row + 4 * lowWidth;
  const lastHigh = width - lowWidth - 1;
  for (let i: u32 = 0; i < lowWidth; i++) {
    const before = load<i32>(high + 4 * (i == 0 ? 0 : i - 1));
    const after = load<i32>(high + 4 * min(i, lastHigh));
    store<i32>(scratch + 8 * i, load<i32>(row + 4 * i) - ((before + after + 2) >> 2));
  }
  for (let i: u32 = 0; i <= lastHigh; i++) {
    const before = load<i32>(scratch + 8 * i);
    const after = load<i32>(scratch + 8 * min(i + 1, lowWidth - 1));
    store<i32>(scratch + 8 * i + 4, load<i32>(high + 4 * i) + ((before + after) >> 1));
  }
  memory.copy(row, scratch, 4 * width);
}

/** Up to 16 columns at once. Lanes beyond the last column are computed but not stored. */
function joinColumns(top: u32, pitch: u32, columns: u32, height: u32, lowHeight: u32, scratch: u32): void {
  const high = top + pitch * lowHeight;
  const lastHigh = height - lowHeight - 1;
  const bytes = ((columns + 3) >>> 2) << 4;
  const two = i32x4.splat(2);
  for (let i: u32 = 0; i < lowHeight; i++) {
    const low = top + pitch * i;
    const before = high + pitch * (i == 0 ? 0 : i - 1);
    const after = high + pitch * min(i, lastHigh);
    const to = scratch + 128 * i;
    for (let at: u32 = 0; at < bytes; at += 16) {
      const sum = i32x4.add(i32x4.add(v128.load(before + at), v128.load(after + at)), two);
      v128.store(to + at, i32x4.sub(v128.load(low + at), i32x4.shr_s(sum, 2)));
    }
  }
  for (let i: u32 = 0; i <= lastHigh; i++) {
    const before = scratch + 128 * i;
    const after = scratch + 128 * min(i + 1, lowHeight - 1);
    for (let at: u32 = 0; at < bytes; at += 16) {
      const sum = i32x4.add(v128.load(before + at), v128.load(after + at));
      v128.store(before + 64 + at, i32x4.add(v128.load(high + pitch * i + at), i32x4.shr_s(sum, 1)));
    }
  }
  copyColumns(top, pitch, columns, height, scratch);
}

function copyColumns(top: u32, pitch: u32, columns: u32, height: u32, scratch: u32): void {
  for (let y: u32 = 0; y < height; y++) {
    const row = top + pitch * y;
    const from = scratch + 64 * y;
    if (columns == 16) {
      v128.store(row, v128.load(from));
      v128.store(row + 16, v128.load(from + 16));
      v128.store(row + 32, v128.load(from + 32));
      v128.store(row + 48, v128.load(from + 48));
    } else memory.copy(row, from, 4 * columns);
  }
}

/** Table F.4. As in OpenJPEG, the gain of high sub-bands of Table E.1 is part of the last factor. */
const ALPHA: f32 = -1.586134342;
const BETA: f32 = -0.052980118;
const GAMMA: f32 = 0.882911075;
const DELTA: f32 = 0.443506852;
const LOW_GAIN: f32 = 1.230174105;
const HIGH_GAIN: f32 = 1.625732422;

function joinRealRow(row: u32, width: u32, lowWidth: u32, scratch: u32): void {
  const high = row + 4 * lowWidth;
  for (let i: u32 = 0; i < lowWidth; i++) store<f32>(scratch + 8 * i, load<f32>(row + 4 * i) * LOW_GAIN);
  for (let i: u32 = 0; i < width - lowWidth; i++) store<f32>(scratch + 8 * i + 4, load<f32>(high + 4 * i) * HIGH_GAIN);
  liftRow(scratch, 0, width, -DELTA);
  liftRow(scratch, 1, width, -GAMMA);
  liftRow(scratch, 0, width, -BETA);
  liftRow(scratch, 1, width, -ALPHA);
  memory.copy(row, scratch, 4 * width);
}

/** Adds to every second sample the sum of its neighbors, times a factor. */
function liftRow(row: u32, first: u32, width: u32, factor: f32): void {
  for (let i = first; i < width; i += 2) {
    const at = row + 4 * i;
    const left = load<f32>(i == 0 ? at + 4 : at - 4);
    const added = i + 1 < width ? (left + load<f32>(at + 4)) * factor : left * (factor + factor);
    store<f32>(at, load<f32>(at) + added);
  }
}

function joinRealColumns(top: u32, pitch: u32, columns: u32, height: u32, lowHeight: u32, scratch: u32): void {
  const bytes = ((columns + 3) >>> 2) << 4;
  for (let y: u32 = 0; y < height; y++) {
    const isLow = (y & 1) == 0;
    const from = top + pitch * ((y >>> 1) + (isLow ? 0 : lowHeight));
    const gain = f32x4.splat(isLow ? LOW_GAIN : HIGH_GAIN);
    for (let at: u32 = 0; at < bytes; at += 16)
      v128.store(scratch + 64 * y + at, f32x4.mul(v128.load(from + at), gain));
  }
  liftColumns(scratch, bytes, 0, height, -DELTA);
  liftColumns(scratch, bytes, 1, height, -GAMMA);
  liftColumns(scratch, bytes, 0, height, -BETA);
  liftColumns(scratch, bytes, 1, height, -ALPHA);
  copyColumns(top, pitch, columns, height, scratch);
}

function liftColumns(scratch: u32, bytes: u32, first: u32, height: u32, factor: f32): void {
  const once = f32x4.splat(factor);
  const twice = f32x4.splat(factor + factor);
  for (let y = first; y < height; y += 2) {
    const row = scratch + 64 * y;
    const above = y == 0 ? row + 64 : row - 64;
    for (let at: u32 = 0; at < bytes; at += 16) {
      const upper = v128.load(above + at);
      const added =
        y + 1 < height
          ? f32x4.mul(f32x4.add(upper, v128.load(row + 64 + at)), once)
          : f32x4.mul(upper, twice);
      v128.store(row + at, f32x4.add(v128.load(row + at), added));
    }
  }
}

/** G.2.2, and G.3.2. */
export function joinColors(first: u32, second: u32, third: u32, count: u32, isReversible: bool): void {
  if (!isReversible) return joinRealColors(first, second, third, count);
  for (let at: u32 = 0; at < 4 * count; at += 16) {
    const blue = v128.load(second + at);
    const red = v128.load(third + at);
    const green = i32x4.sub(v128.load(first + at), i32x4.shr_s(i32x4.add(blue, red), 2));
    v128.store(first + at, i32x4.add(red, green));
    v128.store(second + at, green);
    v128.store(third + at, i32x4.add(blue, green));
  }
}

function joinRealColors(first: u32, second: u32, third: u32, count: u32): void {
  for (let at: u32 = 0; at < 4 * count; at += 16) {
    const y = v128.load(first + at);
    const blue = v128.load(second + at);
    const red = v128.load(third + at);
    const green = f32x4.sub(y, f32x4.mul(blue, f32x4.splat(0.34413)));
    v128.store(first + at, f32x4.add(y, f32x4.mul(red, f32x4.splat(1.402))));
    v128.store(second + at, f32x4.sub(green, f32x4.mul(red, f32x4.splat(0.71414))));
    v128.store(third + at, f32x4.add(y, f32x4.mul(blue, f32x4.splat(1.772))));
  }
}

/** Rounds floating-point numbers in place, half to even. */
export function roundSamples(plane: u32, count: u32): void {
  for (let at = plane; at < plane + 4 * count; at += 16)
    v128.store(at, i32x4.trunc_sat_f32x4_s(f32x4.nearest(v128.load(at))));
}

export function storeSamples(
  plane: u32,
  pitch: u32,
  width: u32,
  height: u32,
  raise: i32,
  least: i32,
  most: i32,
  to: u32,
  step: u32,
  bytesPerSample: u32,
): void {
  for (let y: u32 = 0; y < height; y++) {
    const row = plane + y * pitch;
    if (bytesPerSample == 2) {
      for (let x: u32 = 0; x < width; x++) {
        store<u16>(to, <u16>max(least, min(most, load<i32>(row + 4 * x) + raise)));
        to += step;
      }
    } else {
      for (let x: u32 = 0; x < width; x++) {
        store<u8>(to, <u8>max(least, min(most, load<i32>(row + 4 * x) + raise)));
        to += step;
      }
    }
  }
}
