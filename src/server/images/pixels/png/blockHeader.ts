import { assignCodes, buildCodeLengths, type CodeLengths } from './huffman.ts';

/** Collects bits into bytes, lowest first. */
export type BitWriter = { readonly bytes: number[]; bits: number; bitCount: number };

export function writeBits(writer: BitWriter, value: number, count: number): void {
  writer.bits |= value << writer.bitCount;
  writer.bitCount += count;
  while (writer.bitCount >= 8) {
    writer.bytes.push(writer.bits & 0xff);
    writer.bits >>>= 8;
    writer.bitCount -= 8;
  }
}

const DYNAMIC_CODES = 2;
/** The only distance that occurs, 1, has the shortest possible code. */
const DISTANCE_LENGTHS = [1];
const FEWEST_SYMBOLS = 257;
const FEWEST_LENGTHS = 4;
/** RFC 1951 3.2.7: the order in which the lengths of the length code are written. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Writes the header of a block with its own codes. */
export function writeBlockHeader(writer: BitWriter, lengths: CodeLengths, { isLast }: { isLast: boolean }): void {
  const symbols = Math.max(FEWEST_SYMBOLS, trimZeros(lengths));
  const tokens = packLengths(lengths.subarray(0, symbols));
  const counts = new Uint32Array(LENGTH_ORDER.length);
  for (const token of tokens) counts[symbolOf(token)]! += 1;
  const tokenLengths = buildCodeLengths(counts, 7);
  const tokenCodes = assignCodes(tokenLengths);
  const ordered = LENGTH_ORDER.map((symbol) => tokenLengths[symbol]!);
  const written = Math.max(FEWEST_LENGTHS, trimZeros(ordered));

  writeBits(writer, isLast ? 1 : 0, 1);
  writeBits(writer, DYNAMIC_CODES, 2);
  writeBits(writer, symbols - FEWEST_SYMBOLS, 5);
  writeBits(writer, DISTANCE_LENGTHS.length - 1, 5);
  writeBits(writer, written - FEWEST_LENGTHS, 4);
  for (const length of ordered.slice(0, written)) writeBits(writer, length, 3);
  for (const token of tokens) {
    const symbol = symbolOf(token);
    writeBits(writer, tokenCodes[symbol]!, tokenLengths[symbol]!);
    if (symbol >= REPEAT) writeBits(writer, token >>> 8, EXTRA_BITS[symbol - REPEAT]!);
  }
}

/** Number of values up to the last one that is not 0. */
function trimZeros(values: ArrayLike<number>): number {
  let count = values.length;
  while (count > 0 && values[count - 1] === 0) count--;
  return count;
}

/** Symbol 16 repeats the previous length 3 to 6 times; 17 and 18 stand for 3 to 10 and 11 to 138 zeros. */
const REPEAT = 16;
const EXTRA_BITS = [2, 3, 7] as const;

/** A symbol of the length code, and in the bits from 8 up the number that is written after it. */
type LengthToken = number;

function symbolOf(token: LengthToken): number {
  return token & 0xff;
}

/** The lengths of all symbols, then of the only distance, with repetitions shortened. */
function packLengths(lengths: CodeLengths): LengthToken[] {
  const tokens: LengthToken[] = [];
  for (let i = 0; i < lengths.length;) {
    const length = lengths[i]!;
    let same = 1;
    while (lengths[i + same] === length) same++;
    i += same;
    if (length > 0) {
      tokens.push(length);
      same--;
    }
    while (same >= 3) {
      const taken = Math.min(same, length > 0 ? 6 : 138);
      tokens.push(repeat(length, taken));
      same -= taken;
    }
    for (; same > 0; same--) tokens.push(length);
  }
  tokens.push(...DISTANCE_LENGTHS);
  return tokens;
}

function repeat(length: number, times: number): LengthToken {
  if (length > 0) return REPEAT | ((times - 3) << 8);
  return times > 10 ? (REPEAT + 2) | ((times - 11) << 8) : (REPEAT + 1) | ((times - 3) << 8);
}
