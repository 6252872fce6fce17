import type { SampleArray } from '../../../shared/sampleArray.ts';
import type { DecodedWords, DecodingChange } from './codecs/codec.ts';
import type { ImagePixel } from './imagePixel.ts';

export type StoredValues = {
  readonly samples: SampleArray;
  /** Bits of one element of `samples`; 1 for one-bit data, although each sample takes a byte. */
  readonly bitsAllocated: number;
  readonly changes: readonly DecodingChange[];
  /** How many samples were outside the range of Bits Stored, and are another value or the nearest limit now. */
  readonly outOfRange: number;
};

/**
 * Returns the stored values of a frame: the Bits Stored below High Bit, as unsigned or two's complement integers. PS3.5
 * 8.1.1. May reuse the memory of `decoded.words`.
 */
export function toStoredValues(
  decoded: DecodedWords,
  pixel: ImagePixel,
  /** Bits of the words that hold overlays. */
  overlayBits: readonly number[] = [],
): StoredValues {
  const { words, precision, lossy } = decoded;
  if (words instanceof Float32Array || words instanceof Float64Array) {
    return { samples: words, bitsAllocated: words.BYTES_PER_ELEMENT * 8, changes: [], outOfRange: 0 };
  }
  const container = containerBits(pixel.bitsAllocated);
  const bitsAllocated = pixel.bitsAllocated === 1 ? 1 : container;
  const changes: DecodingChange[] = precision < pixel.bitsStored ? ['widened'] : [];
  if (words instanceof BigUint64Array)
    return { samples: maskLongWords(words, pixel), bitsAllocated, changes, outOfRange: 0 };

  const overshoots = lossy && precision > pixel.bitsStored && pixel.highBit < pixel.bitsStored;
  if (!overshoots) {
    // Counted before the words are masked, which may happen in place.
    const outOfRange = countOutOfRange(words, { precision, pixel, overlayBits });
    return { samples: maskWords(words, container, decoded, pixel), bitsAllocated, changes, outOfRange };
  }
  const { samples, count } = clampWords(words, container, decoded, pixel);
  return { samples, bitsAllocated, changes: count > 0 ? [...changes, 'clamped'] : changes, outOfRange: count };
}

/** Extracts one bit of every stored word, as 0 or 1: an overlay plane that shares the words with the samples. */
export function extractPlane({ words }: DecodedWords, bit: number): Uint8Array {
  const plane = new Uint8Array(words.length);
  if (words instanceof BigUint64Array || words instanceof Float32Array || words instanceof Float64Array) return plane;
  if (bit >= words.BYTES_PER_ELEMENT * 8) return plane;
  for (let i = 0; i < plane.length; i++) plane[i] = (words[i]! >>> bit) & 1;
  return plane;
}

type IntegerWords = Uint8Array | Uint16Array | Uint32Array;
type IntegerSamples = IntegerWords | Int8Array | Int16Array | Int32Array;

/** The smallest element size that holds a sample of this many bits. */
function containerBits(bits: number): 8 | 16 | 32 | 64 {
  if (bits <= 8) return 8;
  if (bits <= 16) return 16;
  return bits <= 32 ? 32 : 64;
}

type PaddedWords = {
  readonly precision: number;
  readonly pixel: ImagePixel;
  readonly overlayBits: readonly number[];
};

/** Words whose bits above Bits Stored are neither 0 nor copies of the sign, apart from those of overlays. */
export function countOutOfRange(words: IntegerWords, { precision, pixel, overlayBits }: PaddedWords): number {
  const { bitsStored, highBit, pixelRepresentation } = pixel;
  const spare = Math.min(precision, words.BYTES_PER_ELEMENT * 8) - bitsStored;
  if (spare <= 0 || highBit !== bitsStored - 1) return 0;
  const isSigned = pixelRepresentation === 1;
  if (!isSigned && hasNoBitsAbove(words, 2 ** bitsStored - 1)) return 0;
  const above = overlayBits.reduce((bits, bit) => bits & ~(1 << bit), (2 ** spare - 1) << bitsStored);
  const signed = above | (1 << highBit);
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    const padding = words[i]! & above;
    if (padding !== 0 && !(isSigned && (words[i]! & signed) === signed)) count++;
  }
  return count;
}

function maskWords(words: IntegerWords, container: number, decoded: DecodedWords, pixel: ImagePixel): SampleArray {
  const { precision, signed } = decoded;
  const { bitsStored, pixelRepresentation } = pixel;
  const shift = precision > pixel.highBit ? pixel.highBit + 1 - bitsStored : 0;
  const samples = createSamples(words, container, pixelRepresentation);
  // A signed stream with fewer bits than declared has its sign bit further down; others are sign-extended according to
  // the data set.
  const signBits = signed ? Math.min(precision, bitsStored) : bitsStored;
  if (pixelRepresentation === 1) {
    const spare = 32 - signBits;
    if (signBits === container && shift === 0 && words.buffer === samples.buffer) return samples;
    for (let i = 0; i < words.length; i++) samples[i] = ((words[i]! >>> shift) << spare) >> spare;
    return samples;
  }
  if (precision <= bitsStored && words.buffer === samples.buffer) return samples;
  const mask = bitsStored === 32 ? 0xffffffff : 2 ** bitsStored - 1;
  if (shift === 0 && words.buffer === samples.buffer && hasNoBitsAbove(words, mask)) return samples;
  for (let i = 0; i < words.length; i++) samples[i] = (words[i]! >>> shift) & mask;
  return samples;
}

/**
 * Whether the padding bits are already 0, as most writers leave them. Checking takes a fraction of the time of
 * clearing.
 */
function hasNoBitsAbove(words: IntegerWords, mask: number): boolean {
  const pairs = words instanceof Uint16Array && words.byteOffset % 4 === 0 ? words.length >>> 1 : 0;
  const ofPairs = joinPairs(new Int32Array(words.buffer, pairs === 0 ? 0 : words.byteOffset, pairs));
  let all = (ofPairs & 0xffff) | (ofPairs >>> 16);
  for (let i = pairs * 2; i < words.length; i++) all |= words[i]!;
  return (all & ~mask) === 0;
}

/** Bitwise OR of all elements. It takes a single array type, because V8 generates slower code for several. */
function joinPairs(pairs: Int32Array): number {
  let all = 0;
  const inFours = pairs.length & ~3;
  for (let i = 0; i < inFours; i += 4) all |= pairs[i]! | pairs[i + 1]! | pairs[i + 2]! | pairs[i + 3]!;
  for (let i = inFours; i < pairs.length; i++) all |= pairs[i]!;
  return all;
}

function clampWords(words: IntegerWords, container: number, decoded: DecodedWords, pixel: ImagePixel) {
  const { precision, signed } = decoded;
  const { bitsStored, pixelRepresentation } = pixel;
  const samples = createSamples(words, container, pixelRepresentation);
  const isSigned = signed || pixelRepresentation === 1;
  const spare = 32 - precision;
  const low = pixelRepresentation === 1 ? -(2 ** (bitsStored - 1)) : 0;
  const high = pixelRepresentation === 1 ? 2 ** (bitsStored - 1) - 1 : 2 ** bitsStored - 1;
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    const value = isSigned ? (words[i]! << spare) >> spare : words[i]!;
    if (value < low || value > high) count++;
    samples[i] = value < low ? low : value > high ? high : value;
  }
  return { samples, count };
}

/** A view of the same memory if the element size matches, otherwise new memory. */
function createSamples(words: IntegerWords, container: number, pixelRepresentation: 0 | 1): IntegerSamples {
  const isSame = words.BYTES_PER_ELEMENT * 8 === container;
  const buffer = isSame ? words.buffer : new ArrayBuffer((words.length * container) / 8);
  const offset = isSame ? words.byteOffset : 0;
  const isSigned = pixelRepresentation === 1;
  const { length } = words;
  switch (container) {
    case 8:
      return isSigned ? new Int8Array(buffer, offset, length) : new Uint8Array(buffer, offset, length);
    case 16:
      return isSigned ? new Int16Array(buffer, offset, length) : new Uint16Array(buffer, offset, length);
    default:
      return isSigned ? new Int32Array(buffer, offset, length) : new Uint32Array(buffer, offset, length);
  }
}

function maskLongWords(words: BigUint64Array, { bitsStored, highBit, pixelRepresentation }: ImagePixel): SampleArray {
  const shift = BigInt(highBit + 1 - bitsStored);
  if (pixelRepresentation === 0) {
    if (bitsStored < 64)
      for (let i = 0; i < words.length; i++) words[i] = BigInt.asUintN(bitsStored, words[i]! >> shift);
    return words;
  }
  const samples = new BigInt64Array(words.buffer, words.byteOffset, words.length);
  if (bitsStored < 64)
    for (let i = 0; i < words.length; i++) samples[i] = BigInt.asIntN(bitsStored, words[i]! >> shift);
  return samples;
}
