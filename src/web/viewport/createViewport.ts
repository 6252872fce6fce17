import type { WindowChoice } from '../../shared/chooseVoi.ts';
import type { RawPresentation } from '../../shared/contract/headers.ts';
import type { FrameAddress } from '../api/frames.ts';
import { NOTHING_SHOWN, type ProbedSample, type ViewportReport, type ViewportScreen } from '../state/viewports.ts';
import type { Matrix, Point, Size, ViewedImage, ViewState } from '../state/viewState.ts';
import { clear, createFrameDrawer, type FrameDrawer, type Interpolation } from './drawFrame.ts';
import { findPresentation, type FrameShape, isFetchedRaw, listForms } from './frameForms.ts';
import { type FrameLoader, type FrameWish, keyOf } from './frameLoader.ts';
import type { LargeFramePainter } from './largeFrames.ts';
import type { LoadedFrame } from './loadedFrame.ts';
import type { GrayPainter } from './paintGray.ts';
import { createMotionTracker, orderPrefetch } from './prefetchOrder.ts';
import { probeFrame } from './probeFrame.ts';
import { alignToPixels, applyMatrix, imageToCanvas, invertMatrix, scaleMatrix, zoomOf } from './viewTransform.ts';

/** What a cell is to show. */
export type Scene = {
  /** The same array for as long as it is the same stack. */
  readonly frames: readonly FrameAddress[];
  readonly position: number;
  readonly choice: WindowChoice;
  readonly invert: boolean;
  readonly view: ViewState;
  readonly interpolation: Interpolation;
  /** The frames follow each other in time, and after the last comes the first. */
  readonly isPlaying: boolean;
};

/** What all viewports of the page share. */
export type Imaging = {
  readonly loader: FrameLoader;
  readonly painter: GrayPainter;
  readonly largeFrames: LargeFramePainter;
};

export type ViewportOptions = Imaging & {
  readonly cell: string;
  readonly canvas: HTMLCanvasElement;
  readonly shapeOf: (fileIndex: number) => FrameShape | undefined;
  readonly onReport: (report: ViewportReport) => void;
};

/** One image on a canvas. It draws at most once per animation frame, whatever happens in between. */
export interface Viewport {
  show(scene: Scene | undefined): void;
  resize(size: Size, devicePixelRatio: number): void;
  /** What lies at a point in CSS pixels; undefined beside the image. */
  probe(at: Point): ProbedSample | undefined;
  retry(): void;
  close(): void;
}

type Shown = { readonly frame: LoadedFrame; readonly position: number; readonly image: ViewedImage };

/** After a change, pixels may be left out for so long. */
const MOVING_MS = 150;

export function createViewport(options: ViewportOptions): Viewport {
  const { cell, canvas, loader, shapeOf, onReport } = options;
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser gives no 2D canvas');
  const motion = createMotionTracker();
  let scene: Scene | undefined;
  let shown: Shown | undefined;
  let ratio = 1;
  let wishes: readonly FrameWish[] = [];
  /** The window in which the server is asked for a picture: it follows the hand when that rests. */
  let restingChoice: WindowChoice = { kind: 'default' };
  let expected: RawPresentation = 'raw';
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  let drawRequest: number | undefined;

  const scheduleDraw = () => {
    drawRequest ??= requestAnimationFrame(draw);
  };
  const drawer: FrameDrawer = createFrameDrawer({ ...options, createCanvas, onBetter: scheduleDraw });

  const rest = () => {
    restTimer = undefined;
    if (scene !== undefined) restingChoice = scene.choice;
    wishAgain();
    scheduleDraw();
  };
  const noteMove = () => {
    clearTimeout(restTimer);
    restTimer = setTimeout(rest, MOVING_MS);
  };

  const wishAgain = () => {
    const address = scene?.frames[scene.position];
    const shape = address && shapeOf(address.fileIndex);
    if (scene === undefined || address === undefined || shape === undefined) {
      wishes = [];
      loader.want(cell, { now: [], soon: [] });
      return;
    }
    const raw: FrameWish = { fileIndex: address.fileIndex, frame: address.frame, form: { kind: 'raw' } };
    expected = findPresentation(loader, raw) ?? expected;
    wishes = listForms(address, shape, { choice: choiceFor(scene, shape), loader, expected });
    loader.want(cell, { now: wishes, soon: listSoon(scene) });
  };

  /** Samples take any window at once; a picture of the server is asked for when the hand rests. */
  const choiceFor = ({ choice }: Scene, shape: FrameShape): WindowChoice =>
    choice.kind === 'explicit' && (expected === 'server' || !isFetchedRaw(shape)) ? restingChoice : choice;

  const listSoon = (current: Scene): FrameWish[] => {
    const { frames, position, isPlaying } = current;
    const { direction, speed } = motion.track(position, performance.now(), isPlaying ? frames.length : undefined);
    const order = orderPrefetch({ position, count: frames.length, direction, speed, wraps: isPlaying });
    return order.flatMap((at) => {
      const address = frames[at];
      const shape = address && shapeOf(address.fileIndex);
      if (address === undefined || shape === undefined) return [];
      return [listForms(address, shape, { choice: choiceFor(current, shape), loader, expected })[0]];
    });
  };

  const draw = () => {
    drawRequest = undefined;
    if (scene === undefined) {
      shown = undefined;
      clear(context, canvas);
      onReport(NOTHING_SHOWN);
      return;
    }
    const outcome = wishes[0] && loader.find(wishes[0]);
    const preview = wishes.slice(1).map((wish) => wish.form.kind === 'preview' && loader.find(wish));
    const usable = [outcome, ...preview].find((each) => each && each.status === 'ready');
    if (usable && usable.status === 'ready') {
      const image = imageOf(scene, shapeOf);
      if (image !== undefined) shown = { frame: usable.frame, position: scene.position, image };
    }
    const failed = outcome?.status === 'failed' ? outcome.error : undefined;
    if (failed !== undefined) shown = undefined;
    const isReady = outcome?.status === 'ready';
    const status = isReady ? 'ready' : failed === undefined ? 'loading' : 'failed';
    if (shown === undefined || canvas.width === 0 || canvas.height === 0) {
      clear(context, canvas);
      onReport({ ...NOTHING_SHOWN, status, error: failed });
      return;
    }
    const size = { width: canvas.width, height: canvas.height };
    const matrix = alignToPixels(imageToCanvas(scene.view, shown.image, size));
    const { window, quality } = drawer.draw(context, {
      ...scene,
      frame: shown.frame,
      image: shown.image,
      imageToCanvas: matrix,
      canvas: size,
      isMoving: restTimer !== undefined,
    });
    const source = shown.frame.kind === 'gray' ? 'samples' : 'server';
    const { position: shownPosition } = shown;
    const screen = screenOf(scene.view, shown.image, matrix);
    onReport({ status, error: undefined, shownPosition, window, quality, source, screen });
  };

  const screenOf = (view: ViewState, image: ViewedImage, matrix: Matrix): ViewportScreen => ({
    width: canvas.width / ratio,
    height: canvas.height / ratio,
    image,
    imageToScreen: scaleMatrix(matrix, 1 / ratio),
    zoom: zoomOf(view, image, canvas),
    fitZoom: zoomOf({ ...view, zoom: 'fit' }, image, canvas),
    pixelRatio: ratio,
  });

  const stopListening = loader.onOutcome((key) => {
    if (!wishes.some((wish) => keyOf(wish) === key)) return;
    // The samples may say that they are not the whole picture.
    wishAgain();
    scheduleDraw();
  });

  return {
    show(next) {
      const before = scene;
      scene = next;
      if (next !== undefined && before?.frames === next.frames) {
        noteMove();
      } else {
        expected = 'raw';
        restingChoice = next?.choice ?? restingChoice;
      }
      wishAgain();
      scheduleDraw();
    },
    resize({ width, height }, devicePixelRatio) {
      ratio = devicePixelRatio;
      const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width === deviceWidth && canvas.height === deviceHeight) return;
      canvas.width = deviceWidth;
      canvas.height = deviceHeight;
      // Setting the size has emptied the canvas: drawing later would flicker.
      if (drawRequest !== undefined) cancelAnimationFrame(drawRequest);
      draw();
    },
    probe(at) {
      if (shown === undefined || scene === undefined) return undefined;
      const matrix = alignToPixels(imageToCanvas(scene.view, shown.image, canvas));
      const point = applyMatrix(invertMatrix(matrix), { x: at.x * ratio, y: at.y * ratio });
      const address = scene.frames[shown.position];
      const raw = address && loader.find({ ...addressOf(address), form: { kind: 'raw' } });
      const frame = raw?.status === 'ready' ? raw.frame : shown.frame;
      return probeFrame(frame, point);
    },
    retry() {
      for (const wish of wishes) loader.forgetFailure(wish);
      wishAgain();
      scheduleDraw();
    },
    close() {
      stopListening();
      clearTimeout(restTimer);
      if (drawRequest !== undefined) cancelAnimationFrame(drawRequest);
      loader.want(cell, { now: [], soon: [] });
    },
  };
}

function addressOf({ fileIndex, frame }: FrameAddress): FrameAddress {
  return { fileIndex, frame };
}

function imageOf({ frames, position }: Scene, shapeOf: ViewportOptions['shapeOf']): ViewedImage | undefined {
  const shape = shapeOf(frames[position]?.fileIndex ?? -1);
  return shape && { width: shape.columns, height: shape.rows, aspect: shape.aspect };
}

function createCanvas({ width, height }: Size): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
