import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { readItem } from './fragmentIndex.ts';
import { searchableStartOf } from './frameStart.ts';
import type { ImagePixel } from './imagePixel.ts';

/** The stream of a frame to be decoded. */
export type OpenedStream = {
  readonly stream: Uint8Array;
  /** Number of unrelated bytes before the stream. */
  readonly skippedBytes: number;
  /** The samples are not compressed, although the transfer syntax is a compressed one. */
  readonly isNative: boolean;
};

const MOST_SKIPPED_BYTES = 4096;

/** Finds the stream in a frame whose bytes may not begin with a signature of its transfer syntax. */
export function openStream(encoded: Uint8Array, pixel: ImagePixel): OpenedStream {
  const found = findBeginning(encoded, encoded.length, pixel);
  return { stream: encoded.subarray(found.skippedBytes), ...found };
}

/** The same for the first frame of a file, as user-readable warnings; only the beginning of the fragment is read. */
export function warnOfStream(source: ByteSource, offset: number, pixel: ImagePixel): readonly string[] {
  if (!pixel.encapsulated) return [];
  const tableLength = readItem(source.read(offset, 8), 0);
  if (tableLength === undefined) return [];
  const first = offset + 8 + tableLength;
  const length = readItem(source.read(first, 8), 0);
  if (length === undefined) return [];
  const opening = source.read(first + 8, Math.min(length, MOST_SKIPPED_BYTES + 12));
  const { skippedBytes, isNative } = findBeginning(opening, length, pixel);
  if (isNative)
    return ['The samples are not compressed although the transfer syntax says so; they are shown as stored.'];
  return skippedBytes === 0 ? [] : [`${skippedBytes} bytes before the start of the first image are skipped.`];
}

function findBeginning(opening: Uint8Array, length: number, pixel: ImagePixel) {
  const startsFrame = searchableStartOf(pixel.transferSyntaxUid);
  if (startsFrame === undefined || startsFrame(opening)) return { skippedBytes: 0, isNative: false };
  // Checked before the search, because uncompressed samples can contain any bytes.
  if (isNativeLength(length, pixel)) return { skippedBytes: 0, isNative: true };
  const most = Math.min(MOST_SKIPPED_BYTES, opening.length);
  for (let at = 1; at < most; at++) {
    if (opening[at] === 0xff && startsFrame(opening.subarray(at, at + 12)))
      return { skippedBytes: at, isNative: false };
  }
  return { skippedBytes: 0, isNative: false };
}

function isNativeLength(length: number, { rows, columns, samplesPerPixel, bitsAllocated }: ImagePixel): boolean {
  const size = Math.ceil((rows * columns * samplesPerPixel * bitsAllocated) / 8);
  return length === size + (size % 2) || length === size;
}
