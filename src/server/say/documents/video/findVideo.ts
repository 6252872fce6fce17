import { ViewerError } from '../../../../shared/contract/errors.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import type { PixelDataLocation } from '../../../standard/dicom/readDataSet.ts';
import { isVideoSyntax } from '../../../standard/dicom/transferSyntax.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import { createFragmentIndex, readItem } from '../../../images/pixels/fragmentIndex.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { type FilePlaces, lengthOfValue } from '../storedValue.ts';
import { readMp4, type ReadStream } from './readMp4.ts';
import { sniffVideo, SNIFFED_VIDEO_BYTES } from './sniffVideo.ts';
import type { FoundVideo } from './videoTasks.ts';

/** A stream in more fragments is refused: their list would be longer than the stream. */
const MOST_FRAGMENTS = 500_000;

/** Implements `findVideoTask`. */
export function findVideo(file: DocumentFile): FoundVideo {
  return withVideo(file, (video) => video.found);
}

export type OpenVideo = { readonly found: FoundVideo; readonly dataSet: DataSet; readonly read: ReadStream };

/** Opens the stream of a file: all fragments after the offset table, less the padding at its end. PS3.5 8.2.5 to 8.2.10. */
export function withVideo<Result>(file: DocumentFile, use: (video: OpenVideo) => Result): Result {
  if (!isVideoSyntax(file.transferSyntaxUid)) {
    throw new ViewerError('bad_request', 'the transfer syntax of this object is not one of a video');
  }
  return withSame(file.source, (opened) => {
    const { pixelData, dataSet } = readDicom(opened, { measure: false });
    if (pixelData === undefined || pixelData.length === 0) {
      throw new ViewerError('no_pixel_data', 'the file contains no Pixel Data');
    }
    const stored = listPlaces(pixelData);
    const storedLength = lengthOfValue({ places: stored });
    if (storedLength === 0) throw new ViewerError('no_pixel_data', 'the Pixel Data has no fragments');
    const read = readAcross(pixelData, stored);
    const format = sniffVideo(read(0, SNIFFED_VIDEO_BYTES));
    const { end, ...facts } = format === 'mp4' ? readMp4(read, storedLength) : { end: storedLength };
    const [last] = read(storedLength - 1, 1);
    // Values have an even length. Within the boxes of an MP4 file, a zero at the end is part of it.
    const isPadded = format === 'mp4' ? end === storedLength - 1 : storedLength % 188 === 1 || format !== 'ts';
    const length = isPadded && last === 0 && storedLength > 1 ? storedLength - 1 : storedLength;
    return use({ found: { ...facts, format, length, places: cutEnd(stored, storedLength - length) }, dataSet, read });
  });
}

function listPlaces({ source, offset, length, encapsulated }: PixelDataLocation): FilePlaces {
  if (!encapsulated) return { starts: Float64Array.of(offset), ends: Float64Array.of(offset + length) };
  const table = readItem(source.read(offset, 8), 0);
  if (table === undefined) throw new ViewerError('malformed_content', 'the Pixel Data does not begin with an item');
  const start = offset + 8 + table;
  const end = offset + length;
  if (start > end) throw new ViewerError('malformed_content', 'the offset table is longer than the Pixel Data');
  const index = createFragmentIndex({ start, end, startsFrame: () => true });
  index.extendTo(source, MOST_FRAGMENTS + 1);
  if (index.count > MOST_FRAGMENTS) {
    throw new ViewerError('unsupported_video', `the video is in more than ${MOST_FRAGMENTS} fragments`);
  }
  const { cut } = index;
  const count = index.count + (cut === undefined ? 0 : 1);
  const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
  for (let at = 0; at < count; at += 1) {
    const range = at < index.count ? index.range(at) : cut!;
    starts[at] = range.position;
    ends[at] = range.position + range.length;
  }
  return { starts, ends };
}

/** Reads the stream as if it were in one piece. */
function readAcross({ source }: PixelDataLocation, { starts, ends }: FilePlaces): ReadStream {
  const befores = new Float64Array(starts.length + 1);
  for (let at = 0; at < starts.length; at += 1) befores[at + 1] = befores[at]! + ends[at]! - starts[at]!;
  const total = befores[starts.length]!;
  return (position, length) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, total - position)));
    let at = findPlace(befores, position);
    for (let filled = 0; filled < bytes.length; at += 1) {
      const from = starts[at]! + position + filled - befores[at]!;
      const count = Math.min(bytes.length - filled, ends[at]! - from);
      const part = source.read(from, count);
      bytes.set(part, filled);
      if (part.length < count) return bytes.subarray(0, filled + part.length);
      filled += count;
    }
    return bytes;
  };
}

/** The last place that begins at or before a position. */
function findPlace(befores: Float64Array, position: number): number {
  let low = 0;
  let high = befores.length - 2;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (befores[middle]! <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function cutEnd({ starts, ends }: FilePlaces, bytes: number): FilePlaces {
  const cut = ends.slice();
  for (let at = cut.length - 1, left = bytes; at >= 0 && left > 0; at -= 1) {
    const taken = Math.min(left, cut[at]! - starts[at]!);
    cut[at]! -= taken;
    left -= taken;
  }
  return { starts, ends: cut };
}
