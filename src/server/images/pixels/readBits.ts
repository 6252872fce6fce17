import type { FrameDamage } from '../../../shared/frameDamage.ts';
import { measureShortage } from './codecs/native.ts';
import type { ImageFile, ImageFiles } from './imageFiles.ts';
import { redactionsOfFrame } from './redactFrame.ts';

/** A frame of one bit for each pixel as it is stored: row by row without gaps, the lowest bit of a byte first. */
export type BitFrame = {
  readonly rows: number;
  readonly columns: number;
  /** May end before the last row. */
  readonly bits: Uint8Array;
  readonly damage: FrameDamage | undefined;
};

/**
 * The bits of a frame without a byte for each: a file of a few kilobytes can have frames of 200 million pixels. Undefined
 * if the frame is stored in another way or has redactions, so that it must be decoded.
 */
export function readBits(images: ImageFiles, file: ImageFile, frame: number): BitFrame | undefined {
  return images.use(file, (open) => {
    const { pixel } = open;
    const { rows, columns, samplesPerPixel, bitsAllocated, bitsStored, highBit, pixelRepresentation } = pixel;
    const isPlain = bitsAllocated === 1 && bitsStored === 1 && highBit === 0 && pixelRepresentation === 0;
    if (!isPlain || samplesPerPixel !== 1 || pixel.encapsulated) return undefined;
    if (redactionsOfFrame(pixel, frame).length > 0) return undefined;
    const bits = open.readEncoded(frame);
    // Less than one row is an error, which the decoder explains.
    if (bits.length * 8 < columns) return undefined;
    return { rows, columns, bits, damage: measureShortage(bits.length, pixel) };
  });
}
