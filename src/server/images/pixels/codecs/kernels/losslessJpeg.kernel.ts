// AssemblyScript, compiled to dist/kernels/losslessJpeg.wasm by scripts/buildKernels.mjs. Lossless JPEG with Huffman
// coding, ITU-T T.81 Annex H. decodeLosslessJpeg.ts declares these functions and documents what they expect.

/** The bits of the stream that are looked up at once: in most cases all of a difference. */
const LOOK_BITS: u32 = 12;
/**
 * A table: an entry for each value of the next LOOK_BITS bits, then for each length of a code the largest code (-1 if
 * there is none) and the distance from a code to the place of its symbol, then the symbols.
 *
 * An entry holds a difference in its upper half and its length in bits in its lower half; with the flag PARTIAL, the
 * number of bits of the difference that follow the code, and the length of the code, which is 0 for a longer code.
 */
const PARTIAL: u32 = 0x8000;
const LARGEST: u32 = 4 << LOOK_BITS;
const DISTANCES: u32 = LARGEST + 4 * 17;
const SYMBOLS: u32 = DISTANCES + 4 * 17;

const LONGEST_CODE: u32 = 16;
/** Differences of this many bits are always 32768, and no bits follow. T.81 H.1.2.2. */
const MOST_BITS: u32 = 16;

export function buildTable(counts: u32, symbols: u32, table: u32): u32 {
  for (let i: u32 = 0; i < 1 << LOOK_BITS; i++) store<u32>(table + 4 * i, PARTIAL);
  let code: u32 = 0;
  let index: u32 = 0;
  for (let length: u32 = 1; length <= LONGEST_CODE; length++) {
    const count: u32 = load<u8>(counts + length - 1);
    if (code + count > 1 << length) return 0;
    store<i32>(table + LARGEST + 4 * length, count > 0 ? code + count - 1 : -1);
    store<i32>(table + DISTANCES + 4 * length, index - code);
    for (let i: u32 = 0; i < count; i++) {
      const bits: u32 = load<u8>(symbols + index);
      if (bits > MOST_BITS) return 0;
      store<u8>(table + SYMBOLS + index, <u8>bits);
      if (length <= LOOK_BITS) fillEntries(table, code, length, bits);
      code += 1;
      index += 1;
    }
    code <<= 1;
  }
  return 1;
}

/** Writes the entries that begin with a code. */
function fillEntries(table: u32, code: u32, length: u32, bits: u32): void {
  const left = LOOK_BITS - length;
  const first = code << left;
  for (let rest: u32 = 0; rest < 1 << left; rest++) {
    let entry: u32;
    if (bits == 0) entry = length;
    else if (bits == MOST_BITS) entry = (32768 << 16) | length;
    else if (bits <= left) entry = (toDifference(rest >>> (left - bits), bits) << 16) | (length + bits);
    else entry = (bits << 16) | PARTIAL | length;
    store<u32>(table + 4 * (first + rest), entry);
  }
}

/** T.81 F.2.2.1: differences with a leading 0 are negative. */
@inline
function toDifference(value: u32, bits: u32): u32 {
  return value < 1 << (bits - 1) ? value + 1 - (1 << bits) : value;
}

export function decode(
  at: u32,
  end: u32,
  rows: u32,
  columns: u32,
  components: u32,
  tables: u32,
  predictor: u32,
  precision: u32,
  pointTransform: u32,
  scratch: u32,
  to: u32,
  bytesPerSample: u32,
): u32 {
  // Undecoded bits, the next one highest. The lowest `padding` of the `count` bits are beyond the end of the data.
  let bits: u64 = 0;
  let count: u32 = 0;
  let padding: u32 = 0;
  let all: u32 = 0;
  const samples = columns * components;
  const rowBytes = 2 * samples;
  const back = 2 * components;
  // Rows of 16-bit samples are decoded in their final place.
  const isDirect = bytesPerSample == 2 && pointTransform == 0;
  let row = isDirect ? to : scratch;
  let above = row;
  for (let y: u32 = 0; y < rows; y++) {
    let component: u32 = 0;
    for (let i: u32 = 0; i < samples; i++) {
      if (count < 32) {
        const four: u32 = at + 4 <= end ? bswap<u32>(load<u32>(at)) : 0xffffffff;
        // Whether none of the bytes is FF.
        if (((~four - 0x01010101) & four & 0x80808080) == 0) {
          bits |= (<u64>four) << (32 - count);
          count += 32;
          at += 4;
        } else {
          while (count <= 56) {
            const byte: u32 = at < end ? load<u8>(at) : 0xff;
            if (byte != 0xff) {
              bits |= (<u64>byte) << (56 - count);
              at += 1;
            } else if (at + 1 < end && load<u8>(at + 1) == 0) {
              bits |= (<u64>byte) << (56 - count);
              at += 2;
            } else padding += 8;
            count += 8;
          }
        }
      }
      const table = load<u32>(tables + 4 * component);
      component = component + 1 == components ? 0 : component + 1;
      const entry = load<u32>(table + 4 * <u32>(bits >>> (64 - LOOK_BITS)));
      let difference = entry >>> 16;
      let length = entry & 0xff;
      if ((entry & PARTIAL) != 0) {
        let extra = difference;
        if (length == 0) {
          length = LOOK_BITS + 1;
          while (length <= LONGEST_CODE && <i32>(bits >>> (64 - length)) > load<i32>(table + LARGEST + 4 * length)) length++;
          if (length > LONGEST_CODE) return 0;
          const code = <i32>(bits >>> (64 - length));
          extra = load<u8>(table + SYMBOLS + code + load<i32>(table + DISTANCES + 4 * length));
        }
        bits <<= length;
        count -= length;
        length = 0;
        if (extra == 0) difference = 0;
        else if (extra == MOST_BITS) difference = 32768;
        else {
          difference = toDifference(<u32>(bits >>> (64 - extra)), extra);
          length = extra;
        }
      }
      bits <<= length;
      count -= length;

      const place = row + 2 * i;
      let prediction: u32;
      if (y == 0) prediction = i < components ? 1 << (precision - pointTransform - 1) : load<u16>(place - back);
      else if (i < components) prediction = load<u16>(above + 2 * i);
      else if (predictor == 1) prediction = load<u16>(place - back);
      else prediction = predict(predictor, load<u16>(place - back), load<u16>(above + 2 * i), load<u16>(above + 2 * i - back));
      const sample = (prediction + difference) & 0xffff;
      all |= sample;
      store<u16>(place, <u16>sample);
    }
    if (padding > count) return 0;
    above = row;
    if (isDirect) row += rowBytes;
    else {
      for (let i: u32 = 0; i < samples; i++) {
        const sample = <u32>load<u16>(row + 2 * i) << pointTransform;
        if (bytesPerSample == 2) store<u16>(to + 2 * i, <u16>sample);
        else store<u8>(to + i, <u8>sample);
      }
      to += samples * bytesPerSample;
      row = row == scratch ? scratch + rowBytes : scratch;
    }
  }
  // Every sample fits, less than a byte is left, and the end of the image follows.
  if (all >>> (precision - pointTransform) != 0 || count - padding >= 8 || at + 2 > end) return 0;
  return load<u8>(at) == 0xff && load<u8>(at + 1) == 0xd9 ? 1 : 0;
}

/** T.81 table H.1: from the samples to the left, above, and above to the left. */
@inline
function predict(predictor: u32, left: i32, up: i32, corner: i32): i32 {
  if (predictor == 2) return up;
  if (predictor == 3) return corner;
  if (predictor == 4) return left + up - corner;
  if (predictor == 5) return left + ((up - corner) >> 1);
  if (predictor == 6) return up + ((left - corner) >> 1);
  return (left + up) >> 1;
}
