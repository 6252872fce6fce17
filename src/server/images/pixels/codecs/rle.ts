import type { ImagePixel } from '../imagePixel.ts';
import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import { type Codec, type DecodedWords, DecodeError, fragmented, damageFromPixels, unmeasuredDamage } from './codec.ts';
import { type PlanesOfPixels, type UnpackedPlane, type UnpackedPlanes, unpackPlanes } from './kernels/unpackPlanes.ts';
import { unpackBits, unpackSingleBits } from './packedBits.ts';

export const RLE_LOSSLESS = '1.2.840.10008.1.2.5';

const HEADER_BYTES = 64;
const MAXIMUM_SEGMENTS = 15;

/** RLE Lossless: byte planes, most significant first, each packed separately. PS3.5 Annex G. */
export const rle: Codec = {
  name: 'RLE',
  transferSyntaxes: fragmented({ never: [RLE_LOSSLESS] }),
  beginning: undefined,
  workingBytes: ({ bytes }) => bytes * 3,
  cutStream: 'shown',
  maximumBits: 64,
  floats: false,

  async decode(encoded, pixel) {
    return decodeRle(encoded, pixel);
  },
};

export function decodeRle(encoded: Uint8Array, pixel: ImagePixel): DecodedWords {
  const { rows, columns, samplesPerPixel, bitsAllocated, photometricInterpretation: stored } = pixel;
  const bytesPerSample = Math.ceil(bitsAllocated / 8);
  const segments = findSegments(encoded, samplesPerPixel * bytesPerSample);
  const count = rows * columns * samplesPerPixel;
  const { words, damage } =
    bitsAllocated === 1 ? decodeSingleBits(segments[0]!, pixel) : decodePlanes(segments, count, pixel);
  const photometricInterpretation = stored === 'YBR_FULL_422' ? 'YBR_FULL' : stored;
  const isPlanar = samplesPerPixel > 1;
  return {
    rows,
    columns,
    words,
    precision: bitsAllocated,
    signed: false,
    lossy: false,
    photometricInterpretation,
    changes: isPlanar ? ['interleaved'] : [],
    damage,
  };
}

type Segment = {
  readonly bytes: Uint8Array;
  /** Whether the data ends in or before this segment. */
  readonly isLast: boolean;
};

type Unpacked = { readonly words: DecodedWords['words']; readonly damage: FrameDamage | undefined };

function findSegments(encoded: Uint8Array, expected: number): Segment[] {
  if (encoded.length < HEADER_BYTES)
    throw new DecodeError(`${encoded.length} bytes are too short for an RLE header of 64`);
  const header = new DataView(encoded.buffer, encoded.byteOffset, HEADER_BYTES);
  const count = header.getUint32(0, true);
  if (count !== expected || count > MAXIMUM_SEGMENTS) {
    throw new DecodeError(`the RLE header has ${count} segments, but the data set needs ${expected}`);
  }
  const starts = Array.from({ length: count }, (_, i) => header.getUint32(4 + 4 * i, true));
  return starts.map((start, i) => {
    const next = starts[i + 1];
    const end = next ?? encoded.length;
    // Later segments of a truncated frame lie outside it.
    if (start < HEADER_BYTES || (next !== undefined && start >= next) || (i === 0 && start >= encoded.length)) {
      throw new DecodeError(`RLE segment ${i} is at ${start} to ${end} of ${encoded.length} bytes`);
    }
    return { bytes: encoded.subarray(Math.min(start, encoded.length), end), isLast: end >= encoded.length };
  });
}

/** Little-endian samples, color-by-pixel. */
function decodePlanes(segments: readonly Segment[], count: number, pixel: ImagePixel): Unpacked {
  const { samplesPerPixel } = pixel;
  const bytesPerSample = segments.length / samplesPerPixel;
  const pixels = count / samplesPerPixel;
  const places = segments.map((_, index) => {
    const sample = Math.floor(index / bytesPerSample);
    return sample * bytesPerSample + (bytesPerSample - 1 - (index % bytesPerSample));
  });
  const packed = segments.map((segment) => segment.bytes);
  const { bytes, planes } = unpackPlanes(packed, { pixels, places }) ?? unpackSlowly(packed, { pixels, places });
  let whole = pixels;
  let isCorrupt = false;
  for (const [index, { written, rest }] of planes.entries()) {
    const segment = segments[index]!;
    // Less than one row would show nothing.
    if (index === 0 && written < Math.min(pixel.columns, pixels)) throw shortSegment(index, written, pixels);
    if (written < pixels && !segment.isLast) isCorrupt = true;
    if (holdsMore(rest) && !keepsToRows(segment.bytes, pixel)) isCorrupt = true;
    whole = Math.min(whole, written);
  }
  const words = toWords(bytes, count, bytesPerSample);
  if (isCorrupt) return { words, damage: unmeasuredDamage('corrupt') };
  return { words, damage: whole < pixels ? damageFromPixels(whole, pixel) : undefined };
}

/** The same as `unpackPlanes`, in JavaScript. */
export function unpackSlowly(packed: readonly Uint8Array[], { pixels, places }: PlanesOfPixels): UnpackedPlanes {
  const step = packed.length;
  const bytes = new Uint8Array(pixels * step);
  return { bytes, planes: packed.map((plane, i) => unpackRuns(plane, bytes, { first: places[i]!, step })) };
}

/** Whether more than padding follows the last needed byte of a segment. */
function holdsMore(rest: Uint8Array): boolean {
  return rest.length > 1 && rest.some((byte) => byte !== 0 && byte !== 128);
}

/**
 * Whether every run and literal of a segment ends within its row, as PS3.5 G.3.1 requires. Then the decoder of G.3.2
 * stops at the end of the last row and does not read what follows. If bytes are lost or wrong, values are read as
 * lengths, which do not respect the rows. Some writers ignore the rule, so this is checked only for a segment that is
 * too long.
 */
function keepsToRows(packed: Uint8Array, { rows, columns }: ImagePixel): boolean {
  let row = 0;
  let column = 0;
  for (let i = 0; row < rows && i < packed.length;) {
    const control = packed[i]!;
    if (control !== 128) column += control < 128 ? control + 1 : 257 - control;
    i += control < 128 ? control + 2 : control === 128 ? 1 : 2;
    if (column > columns) return false;
    if (column === columns) {
      row++;
      column = 0;
    }
  }
  return true;
}

/** One-bit samples are packed eight to a byte before run-length coding; some writers use a byte for each. */
function decodeSingleBits(segment: Segment, pixel: ImagePixel): Unpacked {
  const count = pixel.rows * pixel.columns;
  const bytes = new Uint8Array(count);
  const { written } = unpackRuns(segment.bytes, bytes, { first: 0, step: 1 });
  const packedBytes = Math.ceil(count / 8);
  if (written === count && count > 1) return { words: bytes, damage: undefined };
  if (written < Math.ceil(pixel.columns / 8)) throw shortSegment(0, written, packedBytes);
  const isPacked = written <= packedBytes + 1 || bytes.some((byte) => byte > 1);
  if (!isPacked) return { words: bytes, damage: damageFromPixels(written, pixel) };
  const words = unpackSingleBits(bytes, count);
  // It is unknown which of the two forms was truncated.
  return { words, damage: written < packedBytes ? unmeasuredDamage('truncated') : undefined };
}

function shortSegment(index: number, written: number, needed: number): DecodeError {
  return new DecodeError(`RLE segment ${index} decodes to ${written} bytes, but ${needed} are needed`);
}

/**
 * PackBits, PS3.5 G.3.2. Fills every `step`-th byte of `to`; returns the number of bytes written and the unread input.
 */
function unpackRuns(from: Uint8Array, to: Uint8Array, { first, step }: { first: number; step: number }): UnpackedPlane {
  let at = first;
  let i = 0;
  while (i < from.length && at < to.length) {
    const control = from[i++]!;
    if (control < 128) {
      const end = Math.min(i + control + 1, from.length);
      for (; i < end && at < to.length; at += step) to[at] = from[i++]!;
    } else if (control > 128 && i < from.length) {
      const value = from[i++]!;
      for (let left = 257 - control; left > 0 && at < to.length; left--, at += step) to[at] = value;
    }
  }
  return { written: (at - first) / step, rest: from.subarray(i) };
}

function toWords(bytes: Uint8Array, count: number, bytesPerSample: number): DecodedWords['words'] {
  switch (bytesPerSample) {
    case 1:
      return bytes;
    case 2:
      return new Uint16Array(bytes.buffer);
    case 4:
      return new Uint32Array(bytes.buffer);
    case 8:
      return new BigUint64Array(bytes.buffer);
    default:
      return unpackBits(bytes, count, bytesPerSample * 8);
  }
}
