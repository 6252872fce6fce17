import type { ImagePixel } from '../imagePixel.ts';
import { type Codec, type DecodedWords, DecodeError } from './codec.ts';
import { unpackBits, unpackSingleBits } from './packedBits.ts';

const HEADER_BYTES = 64;
const MAXIMUM_SEGMENTS = 15;

/** RLE Lossless: byte planes, most significant first, each packed on its own. PS3.5 Annex G. */
export const rle: Codec = {
  name: 'RLE',
  transferSyntaxes: ['1.2.840.10008.1.2.5'],
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
  const words =
    bitsAllocated === 1
      ? decodeSingleBits(segments[0]!, count)
      : toWords(decodePlanes(segments, count, bytesPerSample), count, bytesPerSample);
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
  };
}

function findSegments(encoded: Uint8Array, expected: number): Uint8Array[] {
  if (encoded.length < HEADER_BYTES) throw new DecodeError(`${encoded.length} bytes are no RLE header of 64`);
  const header = new DataView(encoded.buffer, encoded.byteOffset, HEADER_BYTES);
  const count = header.getUint32(0, true);
  if (count !== expected || count > MAXIMUM_SEGMENTS) {
    throw new DecodeError(`the RLE header has ${count} segments, the data set needs ${expected}`);
  }
  const starts = Array.from({ length: count }, (_, i) => header.getUint32(4 + 4 * i, true));
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? encoded.length;
    if (start < HEADER_BYTES || start >= end || end > encoded.length) {
      throw new DecodeError(`RLE segment ${i} lies at ${start} to ${end} of ${encoded.length} bytes`);
    }
    return encoded.subarray(start, end);
  });
}

/** Little-endian samples, color-by-pixel. */
function decodePlanes(segments: readonly Uint8Array[], count: number, bytesPerSample: number): Uint8Array {
  const samplesPerPixel = segments.length / bytesPerSample;
  const bytes = new Uint8Array(count * bytesPerSample);
  for (const [index, segment] of segments.entries()) {
    const sample = Math.floor(index / bytesPerSample);
    const byte = bytesPerSample - 1 - (index % bytesPerSample);
    const written = unpackRuns(segment, bytes, {
      first: sample * bytesPerSample + byte,
      step: samplesPerPixel * bytesPerSample,
    });
    if (written < count / samplesPerPixel) throw shortSegment(index, written, count / samplesPerPixel);
  }
  return bytes;
}

/** Samples of one bit are packed eight to a byte before they are run-length coded; some writers give each a byte. */
function decodeSingleBits(segment: Uint8Array, count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  const written = unpackRuns(segment, bytes, { first: 0, step: 1 });
  const packedBytes = Math.ceil(count / 8);
  if (written < packedBytes) throw shortSegment(0, written, packedBytes);
  return written < count ? unpackSingleBits(bytes, count) : bytes;
}

function shortSegment(index: number, written: number, needed: number): DecodeError {
  return new DecodeError(`RLE segment ${index} unpacks to ${written} bytes, ${needed} are needed`);
}

/** PackBits, PS3.5 G.3.2. Returns how many bytes fitted into every `step`-th place of `to`. */
function unpackRuns(from: Uint8Array, to: Uint8Array, { first, step }: { first: number; step: number }): number {
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
  return (at - first) / step;
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
