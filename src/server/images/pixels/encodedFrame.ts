import { type ByteSource, ownBytes } from '../../bytes/origins/byteSource.ts';
import { alignBits } from './codecs/packedBits.ts';
import type { FragmentRange } from './fragmentIndex.ts';
import { nativeFrameBits } from './frameLayout.ts';
import type { ImagePixel } from './imagePixel.ts';

export type NativePixelData = {
  readonly source: ByteSource;
  readonly offset: number;
  readonly length: number;
  readonly littleEndian: boolean;
};

/** `spare` is memory of the caller that may be used instead of a new allocation. */
type FrameToRead = { readonly pixel: ImagePixel; readonly frame: number; readonly spare?: Uint8Array | undefined };

/**
 * Reads the bytes of one native frame, and no more of the file: little-endian, starting with the first bit of the
 * frame. The caller owns the memory.
 */
export function readNativeFrame(pixelData: NativePixelData, { pixel, frame, spare }: FrameToRead): Uint8Array {
  const { source, offset, length } = pixelData;
  const bits = nativeFrameBits(pixel, length);
  const unit = pixelData.littleEndian ? 1 : swappedBytes(pixel);
  // Computed with floating-point arithmetic, because sizes exceed 32 bits.
  const firstByte = Math.floor((frame * bits) / 8);
  const endByte = Math.ceil(((frame + 1) * bits) / 8);
  // Bytes are swapped in units counted from the start of the value; a frame of odd length may begin inside one.
  const from = firstByte - (firstByte % unit);
  const to = Math.min(Math.ceil(endByte / unit) * unit, length);
  const read = source.read(offset + from, to - from, spare);
  const bytes = read.buffer === spare?.buffer ? read : ownBytes(read);
  swapBytes(bytes, unit);
  return alignBits(bytes.subarray(firstByte - from, endByte - from), (frame * bits) % 8);
}

/** Words of one or two bytes, little-endian, as stored in a file. */
export type StoredWords = { readonly source: ByteSource; readonly position: number; readonly bytesPerWord: 1 | 2 };

/** Location of the contiguous samples of a native frame; undefined if they must be unpacked. */
export function findStoredWords(pixelData: NativePixelData, pixel: ImagePixel, frame: number): StoredWords | undefined {
  const { source, offset, length, littleEndian } = pixelData;
  const { bitsAllocated, samplesPerPixel } = pixel;
  if (!littleEndian || samplesPerPixel !== 1 || (bitsAllocated !== 8 && bitsAllocated !== 16)) return undefined;
  const position = offset + (frame * nativeFrameBits(pixel, length)) / 8;
  return { source, position, bytesPerWord: bitsAllocated === 8 ? 1 : 2 };
}

/** Joins the fragments of one frame in memory that the caller owns. */
export function readFragments(source: ByteSource, ranges: readonly FragmentRange[]): Uint8Array {
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) return ownBytes(source.read(only.position, only.length));
  const whole = new Uint8Array(ranges.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const { position, length } of ranges) {
    whole.set(source.read(position, length), at);
    at += length;
  }
  return whole;
}

/**
 * Number of bytes that big-endian data stores in reverse order: samples of 16, 32 and 64 bits as a whole; all others in
 * words if the VR is OW, and not at all if it is OB. PS3.5 7.3 and A.3.
 */
function swappedBytes({ bitsAllocated, pixelDataVr }: ImagePixel): number {
  if (bitsAllocated === 16 || bitsAllocated === 32 || bitsAllocated === 64) return bitsAllocated / 8;
  return pixelDataVr === 'OW' ? 2 : 1;
}

function swapBytes(bytes: Uint8Array, unit: number): void {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length - (bytes.length % unit));
  if (unit === 2) whole.swap16();
  else if (unit === 4) whole.swap32();
  else if (unit === 8) whole.swap64();
}
