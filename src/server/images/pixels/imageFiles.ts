import { createByteCache } from '../../../shared/byteCache.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import {
  type ByteSource,
  createReadWindow,
  type StoredFrameWish,
  type SentFrame,
  type UnpackWish,
} from '../../bytes/origins/byteSource.ts';
import {
  findRedactions,
  type KnownSource,
  type OpenSource,
  openSame,
  type Redaction,
  requireUnchanged,
} from '../../bytes/origins/origins.ts';
import { InflatedSource } from '../../standard/dicom/inflatedSource.ts';
import { type DicomObject, readDicom, type ReadOptions } from '../../standard/dicom/readDataSet.ts';
import { isPetTag } from '../../standard/dicom/readPetAttributes.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { ExplicitVrLittleEndian, ImplicitVrLittleEndian } from '../../standard/dicom/transferSyntax.ts';
import type { Codec } from './codecs/codec.ts';
import { findStoredWords, readFragments, readNativeFrame, type StoredWords } from './encodedFrame.ts';
import { createFrameIndex } from './frameIndex.ts';
import { countNativeFrames, countWholeNativeFrames, mostFrames, nativeFrameBits } from './frameLayout.ts';
import { frameStartOf } from './frameStart.ts';
import { describePixels, type ImagePixel } from './imagePixel.ts';
import { FRAME_DISPLAY_SHUTTER_SEQUENCE } from './presentation/readShutters.ts';
import { redactionsOfFrame } from './redactFrame.ts';
import { toImagePixel } from './support.ts';

/** A file of the catalog. */
export type ImageFile = KnownSource;

/** An image while its file is open. */
export type OpenImage = {
  readonly object: DicomObject;
  readonly pixel: ImagePixel;
  readonly codec: Codec;
  /** Reads the stored bytes of one frame (counted from 0) into memory that the caller owns: `spare`, or new memory. */
  readEncoded(frame: number, spare?: Uint8Array): Uint8Array;
  /** Location of the samples of one frame if they can be read piece by piece. */
  findWords(frame: number): StoredWords | undefined;
};

/** Opens images, and caches the headers and frame positions of the most recent ones. */
export interface ImageFiles {
  /** Throws `file_gone` if the file has changed since it was scanned. The image is valid only within `read`. */
  use<Result>(file: ImageFile, read: (image: OpenImage) => Result): Result;
  /**
   * Keeps the image used last until `work` ends, within the memory that the task has reserved. A deflated file that is
   * too large for the cache would otherwise be inflated again for each of its frames.
   */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
}

type Remembered = { readonly image: OpenImage; readonly source: ReopenedSource };

/** Estimated memory of a few hundred CT headers. */
const MOST_HEADER_BYTES = 16 * 1024 * 1024;
/**
 * Minimum number of files to keep regardless of header size, so that a dozen files, such as the levels of a slide, can
 * be used in turn.
 */
const FEWEST_FILES = 16;
/** Total limit for inflated data sets, which stay in memory between two frames. */
const MOST_INFLATED_BYTES = 64 * 1024 * 1024;

/** Each thread has one, limited to its share of the memory that the thread may keep. */
export function createImageFiles(keptBytes = Infinity): ImageFiles {
  const headerBytes = Math.min(MOST_HEADER_BYTES, keptBytes / 3);
  const plain = createByteCache<Remembered>(headerBytes);
  const inflated = createByteCache<Remembered>(Math.min(MOST_INFLATED_BYTES, (keptBytes * 2) / 3));
  // Returned after use: a file that is read while another one is open has its own window.
  const windows: Uint8Array[] = [];

  let isHolding = false;
  let held: { readonly key: string; readonly known: Remembered } | undefined;

  const recall = (key: string, file: OpenSource) => {
    const known = plain.get(key) ?? inflated.get(key) ?? (held?.key === key ? held.known : undefined);
    if (known !== undefined) known.source.file = file;
    return known;
  };
  const remember = (key: string, known: Remembered) => {
    const inflatedBytes = inflatedBytesOf(known);
    if (inflatedBytes > 0) inflated.set(key, known, inflatedBytes + Math.min(headerBytesOf(known), headerBytes));
    else plain.set(key, known, Math.min(headerBytesOf(known), headerBytes / FEWEST_FILES));
  };

  return {
    use(file, read) {
      const redacted = findRedactions(file);
      const window = windows.pop() ?? createReadWindow();
      const opened = openSame(file, window);
      const key = redacted === undefined ? opened.state : `${opened.state}\0${redacted.revision}`;
      let known = recall(key, opened);
      try {
        if (known === undefined) {
          const source = new ReopenedSource(opened);
          known = { image: openImage(source, redacted?.redactions), source };
          remember(key, known);
        }
        if (isHolding) held = { key, known };
        const result = read(known.image);
        requireUnchanged(opened);
        return result;
      } finally {
        if (known !== undefined) known.source.file = undefined;
        opened.close();
        windows.push(window);
      }
    },
    async hold(work) {
      isHolding = true;
      try {
        return await work();
      } finally {
        isHolding = false;
        held = undefined;
      }
    },
  };
}

/** A parsed header takes a few times its length, and some thousand bytes at least. */
function headerBytesOf({ image: { object } }: Remembered): number {
  return 16_384 + 4 * (object.pixelData?.offset ?? 0);
}

/** The data set of a deflated file is cached as a whole, unless it is unpacked on the disk. */
function inflatedBytesOf({ image }: Remembered): number {
  const { source } = image.object.dataSet.context;
  return source instanceof InflatedSource ? Math.max(1, source.heldBytes) : 0;
}

/** In items of top-level sequences, only the elements that affect the appearance of a frame. */
const LOOK_IN_ITEMS: ReadonlySet<number> = new Set([
  Tag.PixelValueTransformationSequence,
  Tag.FrameVOILUTSequence,
  FRAME_DISPLAY_SHUTTER_SEQUENCE,
  Tag.OpticalPathIdentificationSequence,
  Tag.OpticalPathIdentifier,
  Tag.ICCProfile,
  Tag.LUTDescriptor,
  Tag.LUTData,
]);

const READ_OPTIONS: ReadOptions = {
  until: Tag.FloatPixelData,
  filter: { element: (depth, tag) => depth !== 1 || LOOK_IN_ITEMS.has(tag) || isPetTag(tag), item: () => true },
  // With the default limit, the last of tens of thousands of frames would lose their own window and rescale.
  limits: { maxElements: 1_000_000 },
};

/** Reads the header of an image. Throws an error that tells the client why the image cannot be shown. */
export function openImage(source: ByteSource, redactions: readonly Redaction[] = []): OpenImage {
  const object = readDicom(source, READ_OPTIONS);
  const { dataSet, transferSyntaxUid, pixelData } = object;
  const { pixel: declared, codec } = toImagePixel(describePixels(dataSet, transferSyntaxUid, pixelData));
  const pixel = redactions.length === 0 ? declared : { ...declared, redactions };
  if (pixelData === undefined) throw new ViewerError('no_pixel_data', 'the file has no pixel data');
  const most = mostFrames(source.size);
  const numberOfFrames = Math.min(pixel.numberOfFrames, most);
  if (!pixel.encapsulated) {
    const frames = Math.min(countNativeFrames(pixel, pixelData.length), most);
    const wholeFrames = countWholeNativeFrames(pixel, pixelData.length);
    const readEncoded = (frame: number, spare?: Uint8Array) => {
      checkFrame(frame, frames);
      const sent = frame < wholeFrames ? readSentNative(source, object, { pixel, frame }) : undefined;
      return sent ?? readNativeFrame(pixelData, { pixel, frame, spare });
    };
    const findWords = (frame: number) => {
      checkFrame(frame, frames);
      if (source.isSequential === true) return undefined;
      const isReadable = frame < wholeFrames && redactionsOfFrame(pixel, frame).length === 0;
      return isReadable ? findStoredWords(pixelData, pixel, frame) : undefined;
    };
    return { object, pixel, codec, readEncoded, findWords };
  }
  const { offset, length } = pixelData;
  const index = createFrameIndex({
    transferSyntaxUid,
    numberOfFrames,
    offset,
    length,
    extended: findExtended(object, numberOfFrames),
  });
  const readEncoded = (frame: number) => {
    checkFrame(frame, numberOfFrames);
    const sent = readSentStream(source, object, { pixel, frame });
    if (sent !== undefined) return sent;
    const ranges = index.find(pixelData.source, frame);
    if (ranges === undefined) throw new ViewerError('pixel_decode_failed', `frame ${frame} is incomplete in the file`);
    return readFragments(pixelData.source, ranges);
  };
  return { object, pixel, codec, readEncoded, findWords: () => undefined };
}

type FrameOfImage = { readonly pixel: ImagePixel; readonly frame: number };

/** Syntaxes in which little-endian frames have the same bytes. */
const SAME_BYTES: ReadonlySet<string> = new Set([ImplicitVrLittleEndian, ExplicitVrLittleEndian]);

/** A native frame that the server sends by itself; undefined if its bytes have to be read where they are. */
function readSentNative(
  source: ByteSource,
  { transferSyntaxUid, pixelData }: DicomObject,
  { pixel, frame }: FrameOfImage,
): Uint8Array | undefined {
  if (source.readFrame === undefined || pixelData?.source !== source || !SAME_BYTES.has(transferSyntaxUid)) {
    return undefined;
  }
  const length = nativeFrameBits(pixel, pixelData.length) / 8;
  // Servers differ in how they cut frames that begin inside of a byte.
  if (!Number.isInteger(length)) return undefined;
  // A part may be padded to an even length.
  const sent = source.readFrame({ frame, mostBytes: length + 1 });
  if (sent === undefined || !SAME_BYTES.has(sent.transferSyntaxUid ?? transferSyntaxUid)) return undefined;
  const isWhole = sent.bytes.length === length || sent.bytes.length === length + (length % 2);
  return isWhole ? sent.bytes.subarray(0, length) : undefined;
}

/** The same for a compressed frame. */
function readSentStream(
  source: ByteSource,
  { transferSyntaxUid, pixelData }: DicomObject,
  { pixel, frame }: FrameOfImage,
): Uint8Array | undefined {
  if (source.readFrame === undefined || pixelData?.source !== source) return undefined;
  const { rows, columns, samplesPerPixel, bitsAllocated } = pixel;
  // No encoder makes twice as much of a frame.
  const mostBytes = 2 ** 20 + (rows * columns * samplesPerPixel * bitsAllocated) / 4;
  const sent = source.readFrame({ frame, mostBytes });
  if (sent === undefined || sent.bytes.length === 0) return undefined;
  const isStart = frameStartOf(transferSyntaxUid)?.(sent.bytes);
  // A server that does not tell what it sends may have decoded it.
  const isSame = sent.transferSyntaxUid === undefined ? isStart : sent.transferSyntaxUid === transferSyntaxUid;
  return isSame === true && isStart !== false ? sent.bytes : undefined;
}

function findExtended({ dataSet }: DicomObject, numberOfFrames: number) {
  // One extra byte shows whether the table is too long to be valid.
  const most = numberOfFrames * 8 + 1;
  const offsets = dataSet.bytes(Tag.ExtendedOffsetTable, most);
  const lengths = dataSet.bytes(Tag.ExtendedOffsetTableLengths, most);
  return offsets === undefined || lengths === undefined ? undefined : { offsets, lengths };
}

function checkFrame(frame: number, frames: number): void {
  if (frame >= frames) throw new ViewerError('frame_out_of_range', `frame ${frame} is outside 0 to ${frames - 1}`);
}

/** A source whose file is open only while in use; what was read from it can be cached in between. */
class ReopenedSource implements ByteSource {
  file: OpenSource | undefined;
  readonly size: number;
  /** Known after the header was read, which later uses need not do. */
  #isSequential = false;

  constructor(file: OpenSource) {
    this.file = file;
    this.size = file.size;
  }

  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    return this.#open().read(position, length, spare);
  }

  peek(position: number, length: number): Uint8Array {
    return this.#open().peek(position, length);
  }

  get isSequential(): boolean {
    this.#isSequential ||= this.file?.isSequential === true;
    return this.#isSequential;
  }

  readFrame(wish: StoredFrameWish): SentFrame | undefined {
    return this.#open().readFrame?.(wish);
  }

  unpack(wish: UnpackWish): ByteSource | undefined {
    return this.#open().unpack?.(wish);
  }

  #open(): OpenSource {
    if (this.file === undefined) throw new Error('the file is closed');
    return this.file;
  }
}
