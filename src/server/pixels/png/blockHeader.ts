import { assignCodes, buildCodeLengths, type CodeLengths } from './huffman.ts';

/** Bits on their way into bytes, lowest first. */
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
/** The one distance that occurs, 1, has the shortest code there is. */
const DISTANCE_LENGTHS = [1];
const FEWEST_SYMBOLS = 257;
const FEWEST_LENGTHS = 4;
/** RFC 1951 3.2.7: the order in which the lengths of the code for lengths are written. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The beginning of a block with codes of its own. */
export function writeBlockHeader(writer: BitWriter, lengths: CodeLengths, { isLast }: { isLast: boolean }): void {
  const symbols = Math.max(FEWEST_SYMBOLS, trimZeros(lengths));
  const tokens = packLengths([...lengths.subarray(0, symbols), ...DISTANCE_LENGTHS]);
  const counts = new Uint32Array(19);
  for (const { symbol } of tokens) counts[symbol]! += 1;
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
  for (const { symbol, extra, extraBits } of tokens) {
    writeBits(writer, tokenCodes[symbol]!, tokenLengths[symbol]!);
    writeBits(writer, extra, extraBits);
  }
}

/** How many there are up to the last that is not 0. */
function trimZeros(values: ArrayLike<number>): number {
  let count = values.length;
  while (count > 0 && values[count - 1] === 0) count--;
  return count;
}

type LengthToken = { readonly symbol: number; readonly extra: number; readonly extraBits: number };

/** Repeated lengths written short: 16 repeats the one before 3 to 6 times, 17 and 18 are 3 to 10 and 11 to 138 zeros. */
function packLengths(lengths: readonly number[]): LengthToken[] {
  const tokens: LengthToken[] = [];
  for (let i = 0; i < lengths.length;) {
    const length = lengths[i]!;
    let same = 1;
    while (i + same < lengths.length && lengths[i + same] === length) same++;
    i += same;
    if (length > 0) {
      tokens.push({ symbol: length, extra: 0, extraBits: 0 });
      same--;
    }
    while (same >= 3) {
      const taken = Math.min(same, length > 0 ? 6 : 138);
      tokens.push(repeat(length, taken));
      same -= taken;
    }
    for (; same > 0; same--) tokens.push({ symbol: length, extra: 0, extraBits: 0 });
  }
  return tokens;
}

function repeat(length: number, times: number): LengthToken {
  if (length > 0) return { symbol: 16, extra: times - 3, extraBits: 2 };
  return times > 10 ? { symbol: 18, extra: times - 11, extraBits: 7 } : { symbol: 17, extra: times - 3, extraBits: 3 };
}
