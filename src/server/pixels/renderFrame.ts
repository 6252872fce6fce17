import { isValidWindow } from '../../shared/chooseVoi.ts';
import { createGrayTables } from '../../shared/grayTable.ts';
import { findTablePicture, presentFrame } from '../../shared/presentation.ts';
import { isFloatSamples } from '../../shared/sampleArray.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import { findBrowserJpeg } from './browserJpeg.ts';
import type { DecodeOptions } from './codecs/codec.ts';
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
import { createImageFiles } from './imageFiles.ts';
import { packFrame } from './packFrame.ts';
import { encodePng } from './png/encodePng.ts';
import { findRawPresentation } from './presentation/rawPresentation.ts';
import { readPresentation, toFrameToPresent } from './presentation/readPresentation.ts';
import { enoughForSize, shrinkPicture } from './shrinkPicture.ts';
import { createSpareBytes } from './spareBytes.ts';

/** What runs in a worker for one frame. It remembers the files that it has read last. */
export type FrameRenderer = {
  readonly display: (request: DisplayRequest, context: TaskContext) => Promise<DisplayFrame>;
  readonly raw: (request: FrameRequest, context: TaskContext) => Promise<StoredFrame>;
  readonly packed: (request: PackRequest, context: TaskContext) => Promise<PackedFrame>;
  readonly thumbnail: (request: ThumbnailRequest, context: TaskContext) => Promise<DisplayFrame>;
};

type ReadAndDecodeOptions = DecodeOptions & { readonly spare?: Uint8Array };

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

  /** The frame as it was decoded before, or by decoding it. `release` it when the picture is made. */
  const recallOrDecode = async (request: PictureRequest, context: TaskContext, options?: DecodeOptions) => {
    const { file, frame, decoded: known } = request;
    if (known === undefined) {
      const { encoded, ...found } = await decode(request, context, { ...options, spare: spareBytes.take() });
      return { ...found, release: () => spareBytes.giveBack(encoded) };
    }
    return images.use(file, ({ object, pixel }) => {
      const presentation = readPresentation(object.dataSet, pixel, frame);
      return { decoded: known, pixel, presentation, release: () => undefined };
    });
  };

  return {
    async display(request, context) {
      const { file, frame, isSourceWanted } = request;
      const jpeg = isSourceWanted ? images.use(file, (image) => findBrowserJpeg(image, frame)) : undefined;
      if (jpeg !== undefined) return { bytes: context.transfer(jpeg), mediaType: 'image/jpeg', window: undefined };
      const { decoded, pixel, presentation, release } = await recallOrDecode(request, context);
      const toPresent = toFrameToPresent(decoded, pixel, presentation);
      const { choice } = request;
      const picture = findTablePicture(toPresent, choice, tables) ?? presentFrame(toPresent, choice, tables);
      context.throwIfCancelled();
      const { iccProfile } = presentation;
      const png = encodePng({ ...picture, iccProfile, pixelAspectRatio: request.pixelAspectRatio });
      release();
      return { bytes: context.transfer(png), mediaType: 'image/png', window: picture.window };
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

    async thumbnail(request, context) {
      const { size, choice, pixelAspectRatio } = request;
      const enoughPixels = enoughForSize(size, pixelAspectRatio);
      const { decoded, pixel, presentation, release } = await recallOrDecode(request, context, { enoughPixels });
      const picture = presentFrame(toFrameToPresent(decoded, pixel, presentation), choice, tables);
      const { iccProfile } = presentation;
      const png = encodePng({ ...shrinkPicture(picture, size, pixelAspectRatio), iccProfile });
      release();
      return { bytes: context.transfer(png), mediaType: 'image/png', window: picture.window };
    },
  };
}
