import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { type Codec, DecodeError, fragmented } from './codec.ts';
import { decodeNative } from './native.ts';

/** Deflated Image Frame Compression: each frame is a native frame, deflated. PS3.5 A.4.13. */
export const deflatedFrame: Codec = {
  name: 'zlib',
  transferSyntaxes: fragmented({ never: ['1.2.840.10008.1.2.8.1'] }),
  beginning: undefined,
  workingBytes: ({ bytes }) => bytes * 3,
  cutStream: 'shown',
  maximumBits: 64,
  floats: false,

  async decode(encoded, pixel) {
    const { rows, columns, samplesPerPixel, bitsAllocated } = pixel;
    const size = Math.ceil((rows * columns * samplesPerPixel * bitsAllocated) / 8);
    return decodeNative(inflateFrame(encoded, size), pixel);
  },
};

function inflateFrame(encoded: Uint8Array, size: number): Uint8Array {
  // One byte of padding to an even length may follow the samples. The chunk size makes the output a single piece.
  const options = { maxOutputLength: size + 1, chunkSize: Math.max(size + 1, constants.Z_MIN_CHUNK) };
  // Some writers include the zlib header, which the standard omits.
  const forms = encoded[0] === 0x78 ? [inflateRawSync, inflateSync] : [inflateRawSync];
  let failure: unknown;
  for (const inflate of forms) {
    try {
      return inflate(encoded, options);
    } catch (error) {
      failure = error;
      if (isCut(error)) return inflate(encoded, { ...options, finishFlush: constants.Z_SYNC_FLUSH });
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new DecodeError(`the deflated frame does not give ${size} bytes: ${reason}`, { cause: failure });
}

/** Whether the stream is valid but truncated. The data it holds is then returned instead of the error. */
function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}
