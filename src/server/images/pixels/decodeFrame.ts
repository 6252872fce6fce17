import { ViewerError } from '../../../shared/contract/errors.ts';
import { type Codec, type DecodedFrame, DecodeError, type DecodeOptions } from './codecs/codec.ts';
import { decodeNative } from './codecs/native.ts';
import { webAssembly } from './codecs/webAssembly.ts';
import type { ImagePixel } from './imagePixel.ts';
import { redactFrame } from './redactFrame.ts';
import { openStream } from './openStream.ts';
import { extractPlane, toStoredValues } from './storedValues.ts';

export type FrameDecoding = {
  readonly pixel: ImagePixel;
  readonly codec: Codec;
  /** Counted from 0; decides which redactions apply. */
  readonly frame: number;
};

/** Decodes the stored bytes of one frame into stored values. May modify the bytes. */
export async function decodeFrame(
  encoded: Uint8Array,
  { pixel, codec, frame }: FrameDecoding,
  options: DecodeOptions = {},
): Promise<DecodedFrame> {
  try {
    const { stream, isNative } = openStream(encoded, pixel);
    const decoded = isNative ? decodeNative(stream, pixel) : await codec.decode(stream, pixel, options);
    const expected = decoded.rows * decoded.columns * pixel.samplesPerPixel;
    if (decoded.words.length !== expected) {
      throw new DecodeError(`${decoded.words.length} samples were decoded, but ${expected} are needed`);
    }
    // Extracted before the samples are masked, which may happen in place.
    const planes = (options.planes ?? []).map((bit) => extractPlane(decoded, bit));
    const { samples, bitsAllocated, changes, outOfRange } = toStoredValues(decoded, pixel, options.planes);
    const stored = {
      rows: decoded.rows,
      columns: decoded.columns,
      samplesPerPixel: pixel.samplesPerPixel,
      bitsAllocated,
      pixelRepresentation: pixel.pixelRepresentation,
      photometricInterpretation: decoded.photometricInterpretation,
      samples,
      changes: [...decoded.changes, ...changes],
      damage: decoded.damage,
      outOfRange,
      planes,
    };
    redactFrame(stored, pixel, frame);
    return stored;
  } catch (error) {
    throw toViewerError(error, { codec, frame });
  }
}

function toViewerError(error: unknown, { codec, frame }: Pick<FrameDecoding, 'codec' | 'frame'>): unknown {
  // A WebAssembly trap, or memory that cannot grow, is caused by the stream and is not a bug here.
  const isDecoding =
    error instanceof DecodeError || error instanceof webAssembly.RuntimeError || error instanceof RangeError;
  if (!isDecoding) return error;
  return new ViewerError('pixel_decode_failed', `frame ${frame}, ${codec.name}: ${error.message}`, { cause: error });
}
