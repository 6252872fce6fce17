import { toQuery } from '../../../kit/api/frames.ts';
import type { Matrix, Size, ViewedImage, ViewState } from '../../../kit/state/viewState.ts';
import { type FrameLoader, findPresentation, keyOf } from '../frameLoader.ts';
import type { GrayFrame } from '../loadedFrame.ts';
import type { GrayPainter } from '../paintGray.ts';
import type { CellPicture } from '../pictureSource.ts';
import {
  describeStored,
  NOTHING_SHOWN,
  type ShownImage,
  type ViewportReport,
  type ViewportScreen,
} from '../viewports.ts';
import { alignToPixels, imageToCanvas, scaleMatrix, zoomOf } from '../viewTransform.ts';
import { createHold } from './createHold.ts';
import { clear, createFrameDrawer, type FrameDrawer } from './drawFrame.ts';
import type { GpuPath } from './gpuPath.ts';
import type { LargeFramePainter } from './largeFrames.ts';
import {
  createPictureFinder,
  MOST_PASSED,
  storedWish,
  type ShownPicture,
  type ViewportState,
} from './pictureFinder.ts';
import type { Scene } from './scene.ts';
import { createShownReader, viewOf } from './shownReader.ts';

/** What all viewports of the page share. */
export type Imaging = {
  readonly loader: FrameLoader;
  readonly painter: GrayPainter;
  readonly largeFrames: LargeFramePainter;
  readonly gpu: GpuPath;
};

export type ViewportOptions = Imaging & {
  readonly cell: string;
  readonly canvas: HTMLCanvasElement;
  readonly onReport: (report: ViewportReport) => void;
};

/** One image on a canvas. It draws at most once per animation frame, however many changes occur. */
export interface Viewport extends Required<CellPicture> {
  show(scene: Scene | undefined): void;
  resize(size: Size, devicePixelRatio: number): void;
  /** Asks the source again what to load, because the server may have more for it. */
  refresh(): void;
  /** The stored samples of the frame on screen, if they are loaded and a rescale gives their values. */
  samples(): GrayFrame | undefined;
  close(): void;
}

/** For this long after a change, drawing may skip pixels. */
const MOVING_MS = 150;
/** Pictures that were wanted since the one on the screen; more are not in flight. */
const MOST_IN_TRAIL = 12;

export function createViewport(options: ViewportOptions): Viewport {
  const { cell, canvas, loader, gpu, onReport } = options;
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  const state: ViewportState = {
    scene: undefined,
    shown: undefined,
    wishes: [],
    previewSize: undefined,
    restingChoice: { kind: 'default' },
    expected: 'raw',
    isPassing: false,
    trail: [],
  };
  const { formsAt, listSoon, findLoaded, findPassed, findKept, findRaw } = createPictureFinder(state, loader, canvas);
  let ratio = 1;
  /** Whether the frame of the scene is still loading. */
  let isWaiting = false;
  let isScrolling = false;
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  let drawRequest: number | undefined;

  const scheduleDraw = () => {
    drawRequest ??= requestAnimationFrame(draw);
  };
  /**
   * Draws at once where the next animation frame is too late: for the first image, and after a resize, because an empty
   * canvas flickers.
   */
  const drawNow = () => {
    if (drawRequest !== undefined) cancelAnimationFrame(drawRequest);
    draw();
  };
  const drawer: FrameDrawer = createFrameDrawer({ ...options, createCanvas, onBetter: scheduleDraw });

  const rest = () => {
    restTimer = undefined;
    state.isPassing = false;
    state.trail = [];
    if (state.scene !== undefined) state.restingChoice = state.scene.choice;
    wishAgain();
    scheduleDraw();
  };
  const noteMove = () => {
    clearTimeout(restTimer);
    restTimer = setTimeout(rest, MOVING_MS);
  };

  /**
   * Determines what the scene needs from what is known of its frame: the samples may declare that they are not the
   * whole picture.
   */
  const lookAgain = () => {
    const raw = storedWish(state.scene?.source.fileOf(state.scene.position));
    state.expected = (raw && findPresentation(loader, raw)) ?? state.expected;
    state.wishes = state.scene === undefined ? [] : formsAt(state.scene, state.scene.position);
  };

  const wishAgain = () => {
    lookAgain();
    // The window of the stack comes before the next pictures.
    const isHeldFirst = state.scene?.awaitsWindow === true && state.shown === undefined;
    const soon = state.scene === undefined || state.wishes.length === 0 || isHeldFirst ? [] : listSoon(state.scene);
    loader.want(cell, { now: state.wishes, soon, isMoving: isScrolling && restTimer !== undefined });
  };

  /** The picture on the screen may be redrawn at any time, so the loader must not close its bitmap. */
  const setShown = (next: ShownPicture | undefined) => {
    state.shown = next;
    loader.hold(cell, next === undefined ? [] : [next.frame]);
  };

  const hold = createHold(() => {
    drawNow();
    wishAgain();
  });

  const draw = () => {
    drawRequest = undefined;
    const { scene } = state;
    if (scene === undefined) {
      setShown(undefined);
      clear(context, canvas);
      onReport(NOTHING_SHOWN);
      return;
    }
    const [wish] = state.wishes;
    const outcome = wish && loader.find(wish);
    const isFirst = state.shown === undefined;
    const kept = findKept(scene);
    state.shown = kept;
    const failed = outcome?.status === 'failed' ? outcome.error : undefined;
    const found = failed === undefined ? (findLoaded(scene, scene.position) ?? findPassed(scene)) : undefined;
    const isHeldBack = found !== undefined && kept === undefined && scene.awaitsWindow === true && hold.isOn();
    if (!isHeldBack && found !== undefined) hold.end();
    const shown = failed !== undefined || isHeldBack ? undefined : (found ?? kept);
    setShown(shown);
    const isReady = outcome?.status === 'ready' && !isHeldBack;
    isWaiting = !isReady;
    const status = isReady ? 'ready' : failed === undefined ? 'loading' : 'failed';
    if (shown === undefined || canvas.width === 0 || canvas.height === 0) {
      clear(context, canvas);
      onReport({ ...NOTHING_SHOWN, status, error: failed });
      return;
    }
    const size = { width: canvas.width, height: canvas.height };
    const view = viewOf(shown, scene);
    const matrix = alignToPixels(imageToCanvas(view, shown.image, size));
    const { window, quality } = drawer.draw(context, {
      ...scene,
      frame: shown.frame,
      image: shown.covered,
      imageToCanvas: matrix,
      canvas: size,
      isMoving: restTimer !== undefined,
    });
    if (isFirst) performance.mark('first-image');
    const source = shown.frame.kind === 'gray' ? 'samples' : 'server';
    const screen = screenOf(canvas, { ratio, view, image: shown.image, matrix });
    const { damage, outOfRange } = shown.frame;
    const places = shown.frame.kind === 'gray' ? shown.frame.places : undefined;
    const drawn = { shown: describe(shown, scene), window, quality, damage, outOfRange, places };
    onReport({ status, error: undefined, ...drawn, source, screen });
  };

  const stopListening = loader.onOutcome((key) => {
    const isWanted = state.wishes.some((wish) => keyOf(wish) === key);
    if (isWanted && state.shown === undefined) {
      // Draw before requesting the next frames, because the user waits for this one.
      lookAgain();
      drawNow();
    } else if (isWanted || isWaiting) scheduleDraw();
    if (isWanted) wishAgain();
  });

  // When the graphics card fails, its last picture may be incomplete.
  const stopGpu = gpu.subscribe(scheduleDraw);
  const drawAgain = () => {
    drawer.forget();
    scheduleDraw();
  };
  // The browser may keep the canvas on the graphics card, in which case its content is lost with the card.
  canvas.addEventListener('contextrestored', drawAgain);

  return {
    show(next) {
      const before = state.scene;
      state.scene = next;
      const isSame = next !== undefined && before !== undefined && isContinued(before, next);
      if (isSame) {
        isScrolling = Math.abs(next.position - before.position) <= MOST_PASSED;
        if (next.source !== before.source || next.position !== before.position) {
          state.isPassing = true;
          const { source, position, view } = before;
          state.trail = [...state.trail, { source, position, view }].slice(-MOST_IN_TRAIL);
        }
        noteMove();
      } else {
        state.isPassing = false;
        state.trail = [];
        state.expected = 'raw';
        state.restingChoice = next?.choice ?? state.restingChoice;
      }
      wishAgain();
      scheduleDraw();
    },
    refresh() {
      if (state.scene === undefined) return;
      wishAgain();
      scheduleDraw();
    },
    resize({ width, height }, devicePixelRatio) {
      ratio = devicePixelRatio;
      const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width === deviceWidth && canvas.height === deviceHeight) return;
      state.previewSize = undefined;
      canvas.width = deviceWidth;
      canvas.height = deviceHeight;
      drawNow();
    },
    ...createShownReader(state, { canvas, drawer, findRaw, ratio: () => ratio }),
    retry() {
      loader.retry(state.wishes);
      wishAgain();
      scheduleDraw();
    },
    close() {
      stopListening();
      stopGpu();
      canvas.removeEventListener('contextrestored', drawAgain);
      clearTimeout(restTimer);
      hold.end();
      if (drawRequest !== undefined) cancelAnimationFrame(drawRequest);
      loader.want(cell, { now: [], soon: [] });
      setShown(undefined);
    },
  };
}

/** The same source, or one whose first picture may replace that of the other without an empty screen. */
function isContinued(before: Scene, next: Scene): boolean {
  if (before.serverRun !== next.serverRun) return false;
  return before.source === next.source || next.source.continues?.(before.source) === true;
}

type Drawn = {
  readonly ratio: number;
  readonly view: ViewState;
  readonly image: ViewedImage;
  readonly matrix: Matrix;
};

function screenOf(canvas: HTMLCanvasElement, { ratio, view, image, matrix }: Drawn): ViewportScreen {
  return {
    width: canvas.width / ratio,
    height: canvas.height / ratio,
    image,
    imageToScreen: scaleMatrix(matrix, 1 / ratio),
    zoom: zoomOf(view, image, canvas),
    fitZoom: zoomOf({ ...view, zoom: 'fit' }, image, canvas),
    pixelRatio: ratio,
  };
}

function describe({ source, position, place, choice, state }: ShownPicture, scene: Scene): ShownImage {
  const isChosen = choice === undefined || toQuery(choice) === toQuery(scene.choice);
  const [chosen, stackWindow] = isChosen ? [scene.window, scene.stackWindow] : [];
  const { invert, colorMap } = scene;
  const stored = describeStored(source, position, place?.file);
  return { source, position, ...stored, chosen, stackWindow, invert, colorMap, state };
}

function createCanvas({ width, height }: Size): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
