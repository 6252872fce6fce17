import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { type Codec, type DecodedWords, DecodeError, type DecodingChange, damageFromPixels } from './codec.ts';
import { expandChroma, interleavePlanes } from './colorLayout.ts';
import { unpackBits } from './packedBits.ts';

/** Uncompressed frames. The reader has already converted the bytes to little-endian order and aligned the first bit. */
export const native: Codec = {
  name: 'native',
  transferSyntaxes: [
    { uid: '1.2.840.10008.1.2', loses: 'never', storage: 'native' },
    { uid: '1.2.840.10008.1.2.1', loses: 'never', storage: 'native' },
    { uid: '1.2.840.10008.1.2.2', loses: 'never', storage: 'native' },
    { uid: '1.2.840.10008.1.2.1.99', loses: 'never', storage: 'deflated' },
    // Encapsulated Uncompressed: one fragment per frame.
    { uid: '1.2.840.10008.1.2.1.98', loses: 'never', storage: 'fragments' },
  ],
  beginning: undefined,
  workingBytes: ({ bytes }) => bytes * 3,
  cutStream: 'shown',
  maximumBits: 64,
  floats: true,

  async decode(encoded, pixel) {
    return decodeNative(encoded, pixel);
  },
};

export function decodeNative(encoded: Uint8Array, pixel: ImagePixel): DecodedWords {
  const { rows, columns, samplesPerPixel, bitsAllocated, planarConfiguration } = pixel;
  const pixels = rows * columns;
  const isHalved = isHalfChromaFrame(encoded, pixel);
  const count = pixels * (isHalved ? 2 : samplesPerPixel);
  const needed = Math.ceil((count * bitsAllocated) / 8);
  const isShort = encoded.length < needed;
  // Less than one row would show nothing.
  if (isShort && encoded.length < needed / rows) {
    throw new DecodeError(`the frame has ${encoded.length} bytes, but ${rows} x ${columns} pixels need ${needed}`);
  }
  const changes: DecodingChange[] = [];
  let words = toWords(isShort ? padded(encoded, needed) : encoded, count, pixel);
  if (isHalved) {
    words = expandChroma(words, pixels);
    changes.push('chroma_expanded');
  } else if (samplesPerPixel > 1 && planarConfiguration === 1) {
    words = interleavePlanes(words, samplesPerPixel);
    changes.push('interleaved');
  }
  const { photometricInterpretation: stored } = pixel;
  // YBR_FULL_422 means subsampled, which the samples no longer are. YBR_PARTIAL_422 has no name for expanded samples.
  const photometricInterpretation = stored === 'YBR_FULL_422' ? 'YBR_FULL' : stored;
  return {
    rows,
    columns,
    words,
    precision: bitsAllocated,
    signed: false,
    lossy: false,
    photometricInterpretation,
    changes,
    damage: measureShortage(encoded.length, pixel, isHalved),
  };
}

/** The damage of a frame of which only this many bytes are there. */
export function measureShortage(bytes: number, pixel: ImagePixel, isHalved = false): FrameDamage | undefined {
  const { rows, columns, samplesPerPixel, bitsAllocated } = pixel;
  const needed = Math.ceil((rows * columns * (isHalved ? 2 : samplesPerPixel) * bitsAllocated) / 8);
  return bytes < needed ? damageFromPixels(countWholePixels(bytes, pixel, isHalved), pixel) : undefined;
}

function padded(encoded: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(size);
  whole.set(encoded);
  return whole;
}

/** Number of leading pixels whose samples all lie within the given number of bytes. */
function countWholePixels(bytes: number, pixel: ImagePixel, isHalved: boolean): number {
  const { rows, columns, samplesPerPixel, bitsAllocated, planarConfiguration } = pixel;
  const samples = Math.floor((bytes * 8) / bitsAllocated);
  if (isHalved) return Math.floor(samples / 4) * 2;
  // With separate planes, the last plane decides.
  if (planarConfiguration === 1) return Math.max(0, samples - (samplesPerPixel - 1) * rows * columns);
  return Math.floor(samples / samplesPerPixel);
}

/**
 * The reader trimmed the frame to its size, so the length distinguishes 4:2:2 from expanded data that kept the name.
 */
function isHalfChromaFrame(encoded: Uint8Array, pixel: ImagePixel): boolean {
  const { photometricInterpretation, rows, columns, bitsAllocated } = pixel;
  if (photometricInterpretation !== 'YBR_FULL_422' && photometricInterpretation !== 'YBR_PARTIAL_422') return false;
  // More than two samples per pixel is expanded data, complete or truncated.
  return encoded.length <= Math.ceil((rows * columns * 2 * bitsAllocated) / 8);
}

function toWords(encoded: Uint8Array, count: number, { bitsAllocated, sampleKind }: ImagePixel): DecodedWords['words'] {
  if (bitsAllocated % 8 !== 0 || ![1, 2, 4, 8].includes(bitsAllocated / 8))
    return unpackBits(encoded, count, bitsAllocated);
  const size = bitsAllocated / 8;
  const aligned = encoded.byteOffset % size === 0 ? encoded : encoded.slice();
  const { buffer, byteOffset } = aligned;
  switch (bitsAllocated) {
    case 8:
      return new Uint8Array(buffer, byteOffset, count);
    case 16:
      return new Uint16Array(buffer, byteOffset, count);
    case 32:
      if (sampleKind === 'float32') return new Float32Array(buffer, byteOffset, count);
      return new Uint32Array(buffer, byteOffset, count);
    default:
      if (sampleKind === 'float64') return new Float64Array(buffer, byteOffset, count);
      return new BigUint64Array(buffer, byteOffset, count);
  }
}
