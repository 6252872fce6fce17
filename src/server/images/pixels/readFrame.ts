import type { DecodedFrame, DecodeOptions } from './codecs/codec.ts';
import { decodeFrame } from './decodeFrame.ts';
import type { ImageFile, ImageFiles } from './imageFiles.ts';

/**
 * Returns the stored values of one frame, counted from 0. Runs in a worker, because reading is synchronous and decoding
 * takes long.
 */
export async function readFrame(
  images: ImageFiles,
  { file, frame, options = {} }: { readonly file: ImageFile; readonly frame: number; readonly options?: DecodeOptions },
): Promise<DecodedFrame> {
  const { encoded, pixel, codec } = images.use(file, (image) => ({
    encoded: image.readEncoded(frame),
    pixel: image.pixel,
    codec: image.codec,
  }));
  return decodeFrame(encoded, { pixel, codec, frame }, options);
}
