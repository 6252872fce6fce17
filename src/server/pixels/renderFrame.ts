import { isValidWindow } from '../../shared/chooseVoi.ts';
import { createGrayTables } from '../../shared/grayTable.ts';
import { findTablePicture, presentFrame } from '../../shared/presentation.ts';
import { isFloatSamples } from '../../shared/sampleArray.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import { findBrowserJpeg } from './browserJpeg.ts';
import type { DecodedFrame, DecodeOptions } from './codecs/codec.ts';
import { decodeFrame } from './decodeFrame.ts';
import type {
  DisplayFrame,
  DisplayRequest,
  FrameRequest,
  PackedFrame,
  PackRequest,
  PictureRequest,
  StoredFrame,
  ThumbnailRequest,
} from './frameTasks.ts';
import { createImageFiles, type OpenImage } from './imageFiles.ts';
import { packFrame } from './packFrame.ts';
import { findPictureInFile } from './pictureInFile.ts';
import { samplesIn } from './png/deflateRows.ts';
import { encodePng } from './png/encodePng.ts';
import { findRawPresentation } from './presentation/rawPresentation.ts';
import { readPresentation, toFrameToPresent } from './presentation/readPresentation.ts';
import { enoughForSize, type Picture, shrinkPicture } from './shrinkPicture.ts';
import { createSpareBytes } from './spareBytes.ts';

/** What runs in a worker for one frame. It remembers the files that it has read last. */
export type FrameRenderer = {
  readonly display: (request: DisplayRequest, context: TaskContext) => Promise<DisplayFrame>;
  readonly raw: (request: FrameRequest, context: TaskContext) => Promise<StoredFrame>;
  readonly packed: (request: PackRequest, context: TaskContext) => Promise<PackedFrame>;
  readonly thumbnail: (request: ThumbnailRequest, context: TaskContext) => Promise<DisplayFrame>;
};

type ReadAndDecodeOptions = DecodeOptions & { readonly spare?: Uint8Array };

type WindowedRequest = PictureRequest & Pick<DisplayRequest, 'choice'>;

type WindowedPicture = Picture & Pick<DisplayFrame, 'window'> & { readonly iccProfile: Uint8Array | undefined };

export function createFrameRenderer(): FrameRenderer {
  const images = createImageFiles();
  const tables = createGrayTables();
  const spareBytes = createSpareBytes();

  const decode = async ({ file, frame }: FrameRequest, context: TaskContext, options: ReadAndDecodeOptions = {}) => {
    const { encoded, pixel, codec, presentation } = images.use(file, (image) => ({
      encoded: image.readEncoded(frame, options.spare),
      pixel: image.pixel,
      codec: image.codec,
      presentation: readPresentation(image.object.dataSet, image.pixel, frame),
    }));
    context.throwIfCancelled();
    const planes = presentation.embeddedOverlayBits;
    const decoded = await decodeFrame(encoded, { pixel, codec, frame }, { ...options, planes });
    context.throwIfCancelled();
    return { encoded, decoded, pixel, presentation };
  };

  const decodeStored = async (request: FrameRequest, context: TaskContext): Promise<StoredFrame> => {
    const { decoded, presentation } = await decode(request, context);
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
  };

  const decodePicture = async (request: WindowedRequest, context: TaskContext, options: DecodeOptions) => {
    const { decoded: known, choice } = request;
    const spare = spareBytes.take();
    const { decoded, pixel, presentation, encoded } =
      known === undefined ? await decode(request, context, { ...options, spare }) : recall(request, known);
    const frame = toFrameToPresent(decoded, pixel, presentation);
    const inTable = findTablePicture(frame, choice, tables);
    const picture = inTable ? { ...inTable, samples: samplesIn(inTable.pixels) } : presentFrame(frame, choice, tables);
    context.throwIfCancelled();
    return { picture: { ...picture, iccProfile: presentation.iccProfile }, memory: encoded ?? spare };
  };

  /** The frame as it was decoded before. */
  const recall = ({ file, frame }: FrameRequest, decoded: DecodedFrame) =>
    images.use(file, ({ object, pixel }) => {
      return { decoded, pixel, presentation: readPresentation(object.dataSet, pixel, frame), encoded: undefined };
    });

  /** What `encode` makes of the picture of a frame: while it is read where that is possible, else when it is decoded. */
  const render = async (
    request: WindowedRequest,
    context: TaskContext,
    encode: (picture: WindowedPicture) => Uint8Array,
    options: DecodeOptions = {},
  ): Promise<DisplayFrame> => {
    const finish = (picture: WindowedPicture): DisplayFrame => {
      return { bytes: context.transfer(encode(picture)), mediaType: 'image/png', window: picture.window };
    };
    const finishWhileRead = (image: OpenImage) => {
      const picture = findPictureInFile(image, request, tables);
      return picture && finish(picture);
    };
    const early = request.decoded === undefined ? images.use(request.file, finishWhileRead) : undefined;
    if (early !== undefined) return early;
    const { picture, memory } = await decodePicture(request, context, options);
    const late = finish(picture);
    spareBytes.giveBack(memory);
    return late;
  };

  return {
    async display(request, context) {
      const { file, frame, isSourceWanted } = request;
      const jpeg = isSourceWanted ? images.use(file, (image) => findBrowserJpeg(image, frame)) : undefined;
      if (jpeg !== undefined) return { bytes: context.transfer(jpeg), mediaType: 'image/jpeg', window: undefined };
      const { pixelAspectRatio } = request;
      return render(request, context, (picture) => encodePng({ ...picture, pixelAspectRatio }));
    },

    async raw(request, context) {
      const { decoded, ...description } = await decodeStored(request, context);
      const samples = context.transfer(decoded.samples);
      const planes = decoded.planes.map((plane) => context.transfer(plane));
      return { decoded: { ...decoded, samples, planes }, ...description };
    },

    async packed(request, context) {
      const packed = packFrame(request.stored ?? (await decodeStored(request, context)));
      return { ...packed, bytes: context.transfer(packed.bytes) };
    },

    thumbnail(request, context) {
      const { size, pixelAspectRatio } = request;
      const encode = ({ iccProfile, ...picture }: WindowedPicture) =>
        encodePng({ ...shrinkPicture(picture, size, pixelAspectRatio), iccProfile });
      return render(request, context, encode, { enoughPixels: enoughForSize(size, pixelAspectRatio) });
    },
  };
}
