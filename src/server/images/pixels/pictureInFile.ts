import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { GrayTables } from '../../../shared/grayTable.ts';
import { findStatedTable, type TablePicture } from '../../../shared/presentation.ts';
import type { StoredWords } from './encodedFrame.ts';
import type { OpenImage } from './imageFiles.ts';
import type { ImagePixel } from './imagePixel.ts';
import type { SampleSource } from './png/deflateRows.ts';
import type { FramePresentation } from './presentation/readPresentation.ts';
import { countOutOfRange } from './storedValues.ts';

export type PictureInFile = Omit<TablePicture, 'pixels'> & {
  readonly samples: SampleSource;
  readonly iccProfile: Uint8Array | undefined;
  /** Of the samples that were read: how many are outside the range of Bits Stored. */
  readonly outOfRange: () => number;
};

/**
 * A gray picture whose samples are read from the file while it is encoded, so that the whole frame is never in memory.
 * Undefined if the whole frame is needed first: to decode it, to find its window, or to draw more than samples. Valid
 * while the image is open.
 */
export function findPictureInFile(
  image: OpenImage,
  presentation: FramePresentation,
  { frame, choice }: { readonly frame: number; readonly choice: WindowChoice },
  tables: GrayTables,
): PictureInFile | undefined {
  const { pixel } = image;
  const { rows, columns, bitsStored, photometricInterpretation } = pixel;
  const words = image.findWords(frame);
  const isPlain = pixel.highBit === bitsStored - 1 && presentation.embeddedOverlayBits.length === 0;
  if (words === undefined || !isPlain) return undefined;
  const look = { ...presentation, rows, columns, bitsStored, photometricInterpretation };
  const width = { bytes: words.bytesPerWord, signed: pixel.pixelRepresentation === 1, bits: bitsStored };
  const found = findStatedTable(look, width, choice, tables);
  if (found === undefined) return undefined;
  const { samples, outOfRange } = readingSamples(words, rows * columns, pixel);
  return { ...found, rows, columns, channels: 1, samples, outOfRange, iccProfile: presentation.iccProfile };
}

function readingSamples(
  { source, position, bytesPerWord }: StoredWords,
  length: number,
  pixel: ImagePixel,
): Pick<PictureInFile, 'samples' | 'outOfRange'> {
  let count = 0;
  // Rows may be read again.
  let counted = 0;
  const samples: SampleSource = {
    length,
    bytesPerSample: bytesPerWord,
    copyTo(bytes, from) {
      const read = source.read(position + from * bytesPerWord, bytes.length, bytes);
      if (read.length < bytes.length) throw new ViewerError('file_gone', 'the file has become shorter');
      if (read.buffer !== bytes.buffer) bytes.set(read);
      const end = from + bytes.length / bytesPerWord;
      if (end <= counted) return;
      const words = viewWords(bytes.subarray((Math.max(from, counted) - from) * bytesPerWord), bytesPerWord);
      count += countOutOfRange(words, { precision: pixel.bitsAllocated, pixel, overlayBits: [] });
      counted = end;
    },
  };
  return { samples, outOfRange: () => count };
}

function viewWords(bytes: Uint8Array, bytesPerWord: number): Uint8Array | Uint16Array {
  if (bytesPerWord === 1) return bytes;
  const { buffer, byteOffset, length } = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
  return new Uint16Array(buffer, byteOffset, length / 2);
}
