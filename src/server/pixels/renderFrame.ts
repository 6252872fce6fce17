import { isValidWindow } from '../../shared/chooseVoi.ts';
import { createGrayTables } from '../../shared/grayTable.ts';
import { presentFrame } from '../../shared/presentation.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import type { DecodeOptions } from './codecs/codec.ts';
import { decodeFrame } from './decodeFrame.ts';
import type { DisplayFrame, DisplayRequest, FrameRequest, RawFrame, ThumbnailRequest } from './frameTasks.ts';
import { createImageFiles } from './imageFiles.ts';
import { encodePng } from './png/encodePng.ts';
import { readPresentation, toFrameToPresent } from './presentation/readPresentation.ts';
import { shrinkPicture } from './shrinkPicture.ts';

/** What runs in a worker for one frame. It remembers the files that it has read last. */
export type FrameRenderer = {
  readonly display: (request: DisplayRequest, context: TaskContext) => Promise<DisplayFrame>;
  readonly raw: (request: FrameRequest, context: TaskContext) => Promise<RawFrame>;
  readonly thumbnail: (request: ThumbnailRequest, context: TaskContext) => Promise<Uint8Array>;
};

export function createFrameRenderer(): FrameRenderer {
  const images = createImageFiles();
  const tables = createGrayTables();

  const decode = async ({ file, frame }: FrameRequest, context: TaskContext, options: DecodeOptions = {}) => {
    const { encoded, pixel, codec, presentation } = images.use(file, (image) => ({
      encoded: image.readEncoded(frame),
      pixel: image.pixel,
      codec: image.codec,
      presentation: readPresentation(image.object.dataSet, image.pixel, frame),
    }));
    context.throwIfCancelled();
    const planes = presentation.embeddedOverlayBits;
    const decoded = await decodeFrame(encoded, { pixel, codec, frame }, { ...options, planes });
    context.throwIfCancelled();
    return { decoded, pixel, presentation };
  };

  return {
    async display(request, context) {
      const { decoded, pixel, presentation } = await decode(request, context);
      const picture = presentFrame(toFrameToPresent(decoded, pixel, presentation), request.choice, tables);
      context.throwIfCancelled();
      const { iccProfile } = presentation;
      const png = encodePng({ ...picture, iccProfile, pixelAspectRatio: request.pixelAspectRatio });
      return { png: context.transfer(png), window: picture.window };
    },

    async raw(request, context) {
      const { decoded, presentation } = await decode(request, context);
      const { samples, rows, columns, samplesPerPixel, bitsAllocated, pixelRepresentation } = decoded;
      const { modality, voi, padding } = presentation;
      return {
        bytes: context.transfer(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)),
        rows,
        columns,
        samplesPerPixel,
        bitsAllocated,
        pixelRepresentation,
        photometricInterpretation: decoded.photometricInterpretation,
        rescaleSlope: modality.kind === 'rescale' ? modality.slope : 1,
        rescaleIntercept: modality.kind === 'rescale' ? modality.intercept : 0,
        defaultWindow: voi.windows.find(isValidWindow),
        padding,
      };
    },

    async thumbnail(request, context) {
      const { decoded, pixel, presentation } = await decode(request, context, { enoughPixels: request.size });
      const picture = presentFrame(toFrameToPresent(decoded, pixel, presentation), { kind: 'default' }, tables);
      const { iccProfile } = presentation;
      const small = shrinkPicture(picture, request.size);
      return context.transfer(encodePng({ ...small, iccProfile, pixelAspectRatio: request.pixelAspectRatio }));
    },
  };
}
