import { grainOf, isValidWindow } from '../../../shared/chooseVoi.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { createGrayTables } from '../../../shared/grayTable.ts';
import { listPercentiles } from '../../../shared/percentile.ts';
import { findColorRows, findTablePicture, grayValuesOf, presentFrame } from '../../../shared/presentation.ts';
import { presentState } from '../../../shared/presentState.ts';
import { isFloatSamples } from '../../../shared/sampleArray.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { findBrowserJpeg } from './browserJpeg.ts';
import type { DecodedFrame, DecodeOptions } from './codecs/codec.ts';
import { decodeFrame } from './decodeFrame.ts';
import type {
  DecodedPicture,
  DisplayFrame,
  DisplayRequest,
  EncodedFrame,
  FramePercentiles,
  FrameRequest,
  PackedFrame,
  PackRequest,
  PercentilesRequest,
  PictureRequest,
  StoredFrame,
  ThumbnailRequest,
} from './frameTasks.ts';
import type { ImageFiles, OpenImage } from './imageFiles.ts';
import { packFrame } from './packFrame.ts';
import { encodeJpeg } from './jpeg/encodeJpeg.ts';
import { findPictureInFile } from './pictureInFile.ts';
import { samplesIn } from './png/deflateRows.ts';
import { encodePng } from './png/encodePng.ts';
import { findRawPresentation } from './presentation/rawPresentation.ts';
import { readPresentation, toFrameToPresent } from './presentation/readPresentation.ts';
import { readStateLook } from './presentation/readStateLook.ts';
import { redactionsOfFrame } from './redactFrame.ts';
import { enoughForSize, type Picture, rowReader, shrinkPicture } from './shrinkPicture.ts';

/** The frame tasks of a worker. It caches the files that it read last. */
export type FrameRenderer = {
  readonly encoded: (request: FrameRequest, context: TaskContext) => EncodedFrame;
  readonly display: (request: DisplayRequest, context: TaskContext) => Promise<DisplayFrame>;
  readonly decodedPicture: (request: DisplayRequest, context: TaskContext) => Promise<DecodedPicture>;
  readonly raw: (request: FrameRequest, context: TaskContext) => Promise<StoredFrame>;
  readonly packed: (request: PackRequest, context: TaskContext) => Promise<PackedFrame>;
  readonly thumbnail: (request: ThumbnailRequest, context: TaskContext) => Promise<DisplayFrame>;
  readonly percentiles: (request: PercentilesRequest, context: TaskContext) => Promise<FramePercentiles>;
};

/** Larger buffers are not kept for the next picture. */
const MOST_SPARE_BYTES = 32 * 2 ** 20;

type WindowedRequest = PictureRequest & Pick<DisplayRequest, 'choice' | 'state'>;

type WindowedPicture = Picture & Pick<DisplayFrame, 'window'> & { readonly iccProfile: Uint8Array | undefined };

export function createFrameRenderer(images: ImageFiles, mostSpareBytes = Infinity): FrameRenderer {
  const tables = createGrayTables();
  const spareBytes = createSpareBytes(Math.min(MOST_SPARE_BYTES, mostSpareBytes));

  const decodeImage = async ({ file, frame }: FrameRequest, context: TaskContext) => {
    const { encoded, ...image } = images.use(file, (open) => {
      return { ...readImage(open, frame), encoded: open.readEncoded(frame) };
    });
    return { image, decoded: await decode(encoded, image, context) };
  };

  const decodeStored = async (request: FrameRequest, context: TaskContext): Promise<StoredFrame> => {
    const { image, decoded } = await decodeImage(request, context);
    return describeStored(decoded, image);
  };

  /** Encodes the picture of a frame with `encode`: while it is read if possible, otherwise after decoding. */
  const render = async (
    request: WindowedRequest,
    context: TaskContext,
    encode: (picture: WindowedPicture) => Uint8Array,
    options: DecodeOptions = {},
  ): Promise<DisplayFrame> => {
    const finish = (picture: WindowedPicture, faults: () => FrameFaults) => {
      const bytes = context.transfer(encode(picture));
      // Samples that are read while they are encoded are counted by then.
      return toDisplayFrame(bytes, picture, faults());
    };
    const { file, frame, state, decoded: known } = request;
    const found = images.use(file, (open) => {
      const image = readImage(open, frame);
      const picture =
        known === undefined && state === undefined
          ? findPictureInFile(open, image.presentation, request, tables)
          : undefined;
      if (picture !== undefined)
        return { finished: finish(picture, () => ({ damage: undefined, outOfRange: picture.outOfRange() })) };
      return { image, stored: known ?? open.readEncoded(frame, spareBytes.take()) };
    });
    if (found.finished !== undefined) return found.finished;

    const { image, stored } = found;
    const decoded = stored instanceof Uint8Array ? await decode(stored, image, context, options) : stored;
    const picture = drawPicture(decoded, image, request);
    context.throwIfCancelled();
    const finished = finish(picture, () => decoded);
    if (stored instanceof Uint8Array) spareBytes.giveBack(stored);
    return finished;
  };

  /** Draws a decoded frame, whose samples stay as they are. */
  const drawPicture = (
    decoded: DecodedFrame,
    image: ReadImage,
    { choice, state, frame }: WindowedRequest,
  ): WindowedPicture => {
    const toPresent = toFrameToPresent(decoded, image.pixel, image.presentation);
    const look = state && readStateLook(state, frame, image.pixel);
    const inTable = look === undefined ? findTablePicture(toPresent, choice, tables) : undefined;
    const picture =
      look !== undefined
        ? presentState(toPresent, look, choice, tables)
        : inTable
          ? { ...inTable, samples: samplesIn(inTable.pixels) }
          : (findColorRows(toPresent) ?? presentFrame(toPresent, choice, tables));
    return { ...picture, iccProfile: look?.iccProfile ?? image.presentation.iccProfile };
  };

  return {
    encoded({ file, frame }, context) {
      return images.use(file, (image) => {
        if (redactionsOfFrame(image.pixel, frame).length > 0) {
          throw new ViewerError('masked', 'parts of the frame are redacted, so it is not sent as it is stored');
        }
        return { bytes: context.transfer(image.readEncoded(frame)), isCompressed: image.pixel.encapsulated };
      });
    },

    async display(request, context) {
      const { file, frame, isSourceWanted } = request;
      // A stored JPEG may have a comment, which a masked run would send as it is.
      const jpeg =
        isSourceWanted && !isMasked() ? images.use(file, (image) => findBrowserJpeg(image, frame)) : undefined;
      if (jpeg !== undefined) {
        return { bytes: context.transfer(jpeg), mediaType: 'image/jpeg', window: undefined, damage: undefined };
      }
      const { pixelAspectRatio } = request;
      return render(request, context, (picture) => encodePng({ ...picture, pixelAspectRatio }));
    },

    async decodedPicture(request, context) {
      const { image, decoded } = await decodeImage(request, context);
      const encode = (): DisplayFrame => {
        const picture = drawPicture(decoded, image, request);
        const bytes = encodePng({ ...picture, pixelAspectRatio: request.pixelAspectRatio });
        return toDisplayFrame(context.transfer(bytes), picture, decoded);
      };
      return { picture: tryTo(encode), stored: moveStored(describeStored(decoded, image), context) };
    },

    async raw(request, context) {
      return moveStored(await decodeStored(request, context), context);
    },

    async packed(request, context) {
      const packed = packFrame(request.stored ?? (await decodeStored(request, context)));
      return { ...packed, bytes: context.transfer(packed.bytes) };
    },

    thumbnail(request, context) {
      const { size, pixelAspectRatio, jpegQuality: quality } = request;
      const encode = ({ iccProfile, ...picture }: WindowedPicture) => {
        const small = shrinkPicture(picture, size, pixelAspectRatio);
        if (quality === undefined) return encodePng({ ...small, iccProfile });
        const { rows, columns, channels } = small;
        return encodeJpeg({ rows, columns, channels, readRows: rowReader(small), quality });
      };
      const made = render(request, context, encode, { enoughPixels: enoughForSize(size, pixelAspectRatio) });
      return quality === undefined ? made : made.then((frame) => ({ ...frame, mediaType: 'image/jpeg' }));
    },

    async percentiles({ file, frame, decoded: known }, context) {
      const { image, stored } = images.use(file, (open) => {
        return { image: readImage(open, frame), stored: known ?? open.readEncoded(frame) };
      });
      const decoded = stored instanceof Uint8Array ? await decode(stored, image, context) : stored;
      const toPresent = toFrameToPresent(decoded, image.pixel, image.presentation);
      const { voi } = image.presentation;
      return {
        ...listPercentiles(grayValuesOf({ ...toPresent, samples: intactSamples(decoded) })),
        hasOwnVoi: voi.windows.some(isValidWindow) || voi.tables.length > 0,
        voiLutFunction: voi.shape,
        grain: grainOf(toPresent.modality, isFloatSamples(decoded.samples)),
      };
    },
  };
}

function describeStored(decoded: DecodedFrame, { presentation }: ReadImage): StoredFrame {
  const { modality, voi, padding } = presentation;
  return {
    decoded,
    rescaleSlope: modality.kind === 'rescale' ? modality.slope : 1,
    rescaleIntercept: modality.kind === 'rescale' ? modality.intercept : 0,
    defaultWindow: voi.windows.find(isValidWindow),
    padding,
    sampleKind: isFloatSamples(decoded.samples) ? 'float' : 'integer',
    voiLutFunction: voi.shape,
    presentation: findRawPresentation(decoded.photometricInterpretation, presentation),
  };
}

/** The samples can no longer be used here. */
function moveStored({ decoded, ...description }: StoredFrame, context: TaskContext): StoredFrame {
  const samples = context.transfer(decoded.samples);
  const planes = decoded.planes.map((plane) => context.transfer(plane));
  return { decoded: { ...decoded, samples, planes }, ...description };
}

type FrameFaults = Pick<DecodedFrame, 'damage' | 'outOfRange'>;

function toDisplayFrame(bytes: Uint8Array, { window }: WindowedPicture, faults: FrameFaults): DisplayFrame {
  return { bytes, mediaType: 'image/png', window, damage: faults.damage, outOfRange: faults.outOfRange };
}

function tryTo<Result>(make: () => Result): Result | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** The samples that are as stored: a decoder fills the other rows of a damaged frame, mostly with one value. */
function intactSamples({ samples, damage, columns }: DecodedFrame): DecodedFrame['samples'] {
  return damage === undefined ? samples : samples.subarray(0, damage.intactRows * columns);
}

/** The properties of an image and one of its frames, for decoding or presentation after its file is closed. */
type ReadImage = ReturnType<typeof readImage>;

function readImage({ object, pixel, codec }: OpenImage, frame: number) {
  return { pixel, codec, frame, presentation: readPresentation(object.dataSet, pixel, frame) };
}

async function decode(encoded: Uint8Array, image: ReadImage, context: TaskContext, options: DecodeOptions = {}) {
  context.throwIfCancelled();
  const decoded = await decodeFrame(encoded, image, { ...options, planes: image.presentation.embeddedOverlayBits });
  context.throwIfCancelled();
  return decoded;
}

/** Memory of a frame that has been encoded, for reuse by the next one. */
type SpareBytes = {
  /** The memory is not handed out again until it is given back. */
  take(): Uint8Array;
  /** Takes back the whole buffer behind these bytes, which must no longer be used. */
  giveBack(bytes: Uint8Array): void;
};

const NONE = new Uint8Array(0);

/**
 * Reading into new memory takes three times as long, because the system has to find and clear it. Buffers larger than
 * `mostBytes` are not kept.
 */
function createSpareBytes(mostBytes: number): SpareBytes {
  let kept = NONE;
  return {
    take() {
      const taken = kept;
      kept = NONE;
      return taken;
    },
    giveBack({ buffer }) {
      if (buffer.byteLength <= mostBytes && buffer instanceof ArrayBuffer) kept = new Uint8Array(buffer);
    },
  };
}
