import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import { type AppliedWindow, describeVoi } from '../../../../shared/presentation.ts';
import { type ColorMapName, colorTableOf } from '../../../kit/state/colorMaps.ts';
import type { Matrix, Size } from '../../../kit/state/viewState.ts';
import { colorDrawn } from '../colorDrawn.ts';
import type { GpuPath } from './gpuPath.ts';
import type { LargeFramePainter } from './largeFrames.ts';
import type { GrayFrame, LoadedFrame, PictureFrame } from '../loadedFrame.ts';
import type { GrayLook, GrayPainter, PaintPipeline } from '../paintGray.ts';
import { buildSampleGrid } from '../sampleGrid.ts';

export type Drawing = {
  readonly frame: LoadedFrame;
  /** Columns and rows of the full frame; a preview has fewer. */
  readonly image: Size;
  readonly choice: WindowChoice;
  readonly invert: boolean;
  /** For gray images. */
  readonly colorMap: ColorMapName;
  readonly interpolation: Interpolation;
  readonly imageToCanvas: Matrix;
  readonly canvas: Size;
  /** The user is changing the view, so speed comes before quality. */
  readonly isMoving: boolean;
};

export type Interpolation = 'auto' | 'smooth' | 'nearest';

export type DrawnFrame = {
  readonly window: AppliedWindow | undefined;
  readonly quality: 'exact' | 'sampled' | 'preview';
};

/** Draws the frames of one cell. */
export interface FrameDrawer {
  draw(context: CanvasRenderingContext2D, drawing: Drawing): DrawnFrame;
  /** Discards painted pictures, because the canvases have lost their content. */
  forget(): void;
}

export type FrameDrawerOptions = {
  readonly cell: string;
  readonly painter: GrayPainter;
  readonly largeFrames: LargeFramePainter;
  readonly gpu: GpuPath;
  readonly createCanvas: (size: Size) => HTMLCanvasElement;
  /** Called when a better picture of the same drawing is available. */
  readonly onBetter: () => void;
};

/**
 * Up to this size a whole frame is windowed in a few milliseconds; larger frames are first sampled and then painted in
 * a worker.
 */
const SMALL_PIXELS = 2_000_000;

type Colored = GrayLook & { readonly bitmap: ImageBitmap; readonly picture: CanvasImageSource | undefined };

type Painted = { readonly frame: GrayFrame; readonly pipeline: PaintPipeline; readonly picture: CanvasImageSource };

export function createFrameDrawer(options: FrameDrawerOptions): FrameDrawer {
  const { cell, painter, largeFrames, gpu, createCanvas, onBetter } = options;
  let surface: HTMLCanvasElement | undefined;
  let memory: ImageData | undefined;
  let painted: Painted | undefined;
  let colored: Colored | undefined;
  let asked: Pick<Painted, 'frame' | 'pipeline'> | undefined;
  let tabled: (Pick<Painted, 'frame' | 'pipeline'> & { readonly table: Uint8Array | undefined }) | undefined;

  const isPainted = (frame: GrayFrame, pipeline: PaintPipeline) =>
    painted?.frame === frame && isSamePipeline(painted.pipeline, pipeline);

  /** The result is not kept, because the card paints it again faster than it could be copied. */
  const paintOnGpu = (frame: GrayFrame, pipeline: PaintPipeline): CanvasImageSource | undefined => {
    const { painter: gpuPainter } = gpu.getState();
    if (gpuPainter === undefined) return undefined;
    if (tabled?.frame !== frame || !isSamePipeline(tabled.pipeline, pipeline)) {
      tabled = { frame, pipeline, table: painter.tableOf(frame, pipeline) };
    }
    return tabled.table && gpuPainter.paint(frame, tabled.table, colorTableOf(pipeline.colorMap));
  };

  const paintHere = (frame: GrayFrame, pipeline: PaintPipeline): CanvasImageSource => {
    if (painted !== undefined && isPainted(frame, pipeline)) return painted.picture;
    const { columns: width, rows: height } = frame;
    if (surface?.width !== width || surface.height !== height) surface = createCanvas({ width, height });
    memory = toSize(memory, { width, height });
    painter.paintWhole(frame, pipeline, pixelsOf(memory));
    getContext(surface).putImageData(memory, 0, 0);
    painted = { frame, pipeline, picture: surface };
    return surface;
  };

  const askWorker = async (frame: GrayFrame, pipeline: PaintPipeline) => {
    if (asked?.frame === frame && isSamePipeline(asked.pipeline, pipeline)) return;
    asked = { frame, pipeline };
    const picture = await largeFrames.paint(cell, frame, pipeline);
    if (picture === undefined) return;
    if (painted?.picture instanceof ImageBitmap) painted.picture.close();
    painted = { frame, pipeline, picture };
    onBetter();
  };

  const drawGray = (context: CanvasRenderingContext2D, frame: GrayFrame, drawing: Drawing): DrawnFrame => {
    const { imageToCanvas, canvas, isMoving } = drawing;
    const pipeline = painter.pipelineOf(frame, drawing.choice, drawing);
    const window = describeVoi(pipeline.voi);
    const exact = (frame.coarseness ?? 1) > 1 ? 'preview' : 'exact';
    const onGpu = paintOnGpu(frame, pipeline);
    if (onGpu !== undefined) {
      drawPicture(context, onGpu, drawing);
      return { window, quality: exact };
    }
    if (frame.rows * frame.columns <= SMALL_PIXELS) {
      drawPicture(context, paintHere(frame, pipeline), drawing);
      return { window, quality: exact };
    }
    if (painted !== undefined && isPainted(frame, pipeline)) {
      drawPicture(context, painted.picture, drawing);
      return { window, quality: exact };
    }
    memory = toSize(memory, canvas);
    painter.paintSampled(frame, pipeline, buildSampleGrid(imageToCanvas, drawing.image, canvas), pixelsOf(memory));
    context.putImageData(memory, 0, 0);
    if (isNearest(drawing)) return { window, quality: exact };
    if (!isMoving) void askWorker(frame, pipeline);
    return { window, quality: 'sampled' };
  };

  /** A gray picture from the server in colors. Undefined while the worker colors a large one. */
  const colorPicture = (bitmap: ImageBitmap, { invert, colorMap }: GrayLook): CanvasImageSource | undefined => {
    if (colored?.bitmap === bitmap && colored.invert === invert && colored.colorMap === colorMap) {
      return colored.picture;
    }
    if (colored?.picture instanceof ImageBitmap) colored.picture.close();
    const { width, height } = bitmap;
    colored = { bitmap, invert, colorMap, picture: undefined };
    if (width * height > SMALL_PIXELS) {
      void askForColors(colored);
      return undefined;
    }
    const canvas = createCanvas({ width, height });
    const context = getContext(canvas);
    context.drawImage(bitmap, 0, 0);
    context.putImageData(colorDrawn(context, canvas, colored), 0, 0);
    colored = { ...colored, picture: canvas };
    return canvas;
  };

  const askForColors = async (wanted: Colored) => {
    const { bitmap, invert, colorMap } = wanted;
    const picture = await largeFrames.color(cell, bitmap, { invert, colorMap });
    if (colored !== wanted || picture === undefined) {
      picture?.close();
      return;
    }
    colored = { ...wanted, picture };
    onBetter();
  };

  const drawColored = (context: CanvasRenderingContext2D, frame: PictureFrame, drawing: Drawing): DrawnFrame => {
    const { window, isPreview } = frame;
    const picture = colorPicture(frame.bitmap, drawing);
    drawPicture(context, picture ?? frame.bitmap, drawing);
    // Until then the canvas content is colored, which differs only where pixels are interpolated.
    if (picture === undefined) colorOnScreen(context, drawing);
    return { window, quality: isPreview ? 'preview' : picture === undefined ? 'sampled' : 'exact' };
  };

  return {
    draw(context, drawing) {
      const { frame } = drawing;
      if (frame.kind === 'gray') return drawGray(context, frame, drawing);
      if (frame.window !== undefined && drawing.colorMap !== 'gray') return drawColored(context, frame, drawing);
      drawPicture(context, frame.bitmap, drawing);
      if (drawing.invert) invertDrawn(context, drawing.image);
      return { window: frame.window, quality: frame.isPreview ? 'preview' : 'exact' };
    },
    forget() {
      surface = undefined;
      colored = undefined;
      painted = undefined;
      asked = undefined;
    },
  };
}

/** Leaves the transform of the image set on the canvas. */
function drawPicture(context: CanvasRenderingContext2D, picture: CanvasImageSource, drawing: Drawing): void {
  const { imageToCanvas, image, isMoving } = drawing;
  clear(context, drawing.canvas);
  context.setTransform(...imageToCanvas);
  context.imageSmoothingEnabled = !isNearest(drawing);
  // Above 1:1 better filters only take time.
  context.imageSmoothingQuality = isMoving || zoomOf(imageToCanvas) >= 1 ? 'low' : 'high';
  context.drawImage(picture, 0, 0, image.width, image.height);
}

export function clear(context: CanvasRenderingContext2D, { width, height }: Size): void {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = '#000';
  context.fillRect(0, 0, width, height);
}

/** Colors the whole canvas, then fills the area outside the image with black again. */
function colorOnScreen(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { imageToCanvas, image, canvas } = drawing;
  context.putImageData(colorDrawn(context, canvas, drawing), 0, 0);
  context.beginPath();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.rect(0, 0, canvas.width, canvas.height);
  context.setTransform(...imageToCanvas);
  context.rect(0, 0, image.width, image.height);
  context.fillStyle = '#000';
  context.fill('evenodd');
}

function invertDrawn(context: CanvasRenderingContext2D, { width, height }: Size): void {
  context.globalCompositeOperation = 'difference';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'source-over';
}

const NEAREST_FROM_ZOOM = 3;

/** Where single pixels are visible, nothing is interpolated between them. */
function isNearest({ interpolation, imageToCanvas }: Drawing): boolean {
  if (interpolation !== 'auto') return interpolation === 'nearest';
  return zoomOf(imageToCanvas) >= NEAREST_FROM_ZOOM;
}

function zoomOf([a, b]: Matrix): number {
  return Math.hypot(a, b);
}

/** Reuses the memory if its size fits. */
function toSize(memory: ImageData | undefined, { width, height }: Size): ImageData {
  return memory?.width === width && memory.height === height ? memory : new ImageData(width, height);
}

function pixelsOf({ data }: ImageData): Uint32Array {
  return new Uint32Array(data.buffer);
}

function getContext(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  return context;
}

/** For pipelines of one frame: padding and modality are the same. */
function isSamePipeline(a: PaintPipeline, b: PaintPipeline): boolean {
  if (a.inverted !== b.inverted || a.colorMap !== b.colorMap) return false;
  if (a.voi.kind !== 'window' || b.voi.kind !== 'window') return a.voi === b.voi;
  const [before, after] = [a.voi.window, b.voi.window];
  return before.center === after.center && before.width === after.width && before.shape === after.shape;
}
