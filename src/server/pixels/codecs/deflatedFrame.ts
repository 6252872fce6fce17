import { inflateRawSync, inflateSync } from 'node:zlib';
import { type Codec, DecodeError } from './codec.ts';
import { decodeNative } from './native.ts';

/** Deflated Image Frame Compression: each frame is a native frame, deflated. PS3.5 A.4.13. */
export const deflatedFrame: Codec = {
  name: 'zlib',
  transferSyntaxes: ['1.2.840.10008.1.2.8.1'],
  maximumBits: 64,
  floats: false,

  async decode(encoded, pixel) {
    const { rows, columns, samplesPerPixel, bitsAllocated } = pixel;
    const size = Math.ceil((rows * columns * samplesPerPixel * bitsAllocated) / 8);
    return decodeNative(inflateFrame(encoded, size), pixel);
  },
};

function inflateFrame(encoded: Uint8Array, size: number): Uint8Array {
  // A byte of padding to an even length may follow the samples.
  const maxOutputLength = size + 1;
  try {
    return inflateRawSync(encoded, { maxOutputLength });
  } catch (error) {
    // Some writers keep the zlib header that the standard leaves out.
    if (encoded[0] === 0x78) return inflateSync(encoded, { maxOutputLength });
    const reason = error instanceof Error ? error.message : String(error);
    throw new DecodeError(`the deflated frame does not give ${size} bytes: ${reason}`, { cause: error });
  }
}
