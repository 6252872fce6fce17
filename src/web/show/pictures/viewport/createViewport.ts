import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import type { RawPresentation } from '../../../../shared/contract/headers.ts';
import { type FrameAddress, toQuery } from '../../../kit/api/frames.ts';
import type { CellWindow } from '../../../kit/state/cells.ts';
import type { ColorMapName } from '../../../kit/state/colorMaps.ts';
import { findArea, type KnownPresentation } from '../../../kit/state/presentations.ts';
import type { StackWindow } from '../../../../shared/chooseStackWindow.ts';
import {
  describeStored,
  NOTHING_SHOWN,
  type ShownImage,
  type ViewportReport,
  type ViewportScreen,
} from '../viewports.ts';
import type { Matrix, Size, ViewedImage, ViewState } from '../../../kit/state/viewState.ts';
import { clear, createFrameDrawer, type FrameDrawer, type Interpolation } from './drawFrame.ts';
import { findPresentation, type FrameLoader, type FrameWish, isPreview, keyOf } from '../frameLoader.ts';
import type { GpuPath } from './gpuPath.ts';
import type { LargeFramePainter } from './largeFrames.ts';
import type { GrayFrame, LoadedFrame } from '../loadedFrame.ts';
import type { GrayPainter } from '../paintGray.ts';
import type { CellPicture, FilePlace, PictureSource } from '../pictureSource.ts';
import { createMotionTracker, orderPrefetch } from './prefetchOrder.ts';
import { probeFrame } from '../probeFrame.ts';
import { alignToPixels, applyMatrix, imageToCanvas, invertMatrix, scaleMatrix, zoomOf } from '../viewTransform.ts';

/** What a cell shows. */
export type Scene = {
  readonly source: PictureSource;
  /** Changes when the server restarts, because file indices then refer to other files. */
  readonly serverRun: number;
  readonly position: number;
  /** What the choice was derived from, for reporting. */
  readonly window: CellWindow;
  readonly choice: WindowChoice;
  /** Set where the choice is the window of the stack. */
  readonly stackWindow?: StackWindow | undefined;
  /** The window of the stack is being determined. */
  readonly awaitsWindow?: boolean;
  readonly invert: boolean;
  readonly colorMap: ColorMapName;
  readonly view: ViewState;
  readonly interpolation: Interpolation;
  /** The stack plays as a cine loop: the first frame follows the last. */
  readonly isPlaying: boolean;
  /** The presentation state that decides how the pixels of the frames that it names look. */
  readonly state?: KnownPresentation | undefined;
};

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

/** The picture on the screen, with everything that identifies it. */
type Shown = {
  readonly source: PictureSource;
  readonly serverRun: number;
  readonly position: number;
  readonly place: FilePlace | undefined;
  readonly frame: LoadedFrame;
  readonly image: ViewedImage;
  /** The part of the image that the frame covers: a coarse one may reach beyond the edge by part of a sample. */
  readonly covered: Size;
  /** How it is placed if it is of an earlier source, whose pixels are not those of the scene. */
  readonly view: ViewState;
  /** The window with which the server drew it; undefined for samples, which accept any window. */
  readonly choice: WindowChoice | undefined;
  /** The presentation state by which the server drew it. */
  readonly state: KnownPresentation | undefined;
};

/** For this long after a change, drawing may skip pixels. */
const MOVING_MS = 150;
/**
 * The first picture of a stack waits this long for the window of the stack, so that its brightness does not change. The
 * window is requested in parallel with it. The other pictures are shown with their own windows until it is known.
 */
const HOLD_MS = 100;
/** Pictures that are loaded in advance where each one takes the server long: three ahead and one behind. */
const FEW = 4;
/** About a second of scrolling; a larger distance is a jump. */
const MOST_PASSED = 30;
/** Pictures that were wanted since the one on the screen; more are not in flight. */
const MOST_IN_TRAIL = 12;

export function createViewport(options: ViewportOptions): Viewport {
  const { cell, canvas, loader, gpu, onReport } = options;
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  const motion = createMotionTracker();
  let scene: Scene | undefined;
  let shown: Shown | undefined;
  let ratio = 1;
  let wishes: readonly FrameWish[] = [];
  /** Read only when needed, because reading it makes the browser compute the layout. */
  let previewSize: number | undefined;
  /** The window of requests for pictures; it is updated when the user pauses. */
  let restingChoice: WindowChoice = { kind: 'default' };
  /** Whether the frame of the scene is still loading. */
  let isWaiting = false;
  let expected: RawPresentation = 'raw';
  let isScrolling = false;
  /** The position or the source has just changed, and not only the window or the view. */
  let isPassing = false;
  /** What was wanted since the picture on the screen, oldest first: it may arrive while the user moves on. */
  let trail: readonly Pick<Scene, 'source' | 'position' | 'view'>[] = [];
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  /** Set while a picture waits for the window of its stack, and true when it has waited long enough. */
  let hold: { readonly timer: ReturnType<typeof setTimeout>; isOver: boolean } | undefined;
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
    isPassing = false;
    trail = [];
    if (scene !== undefined) restingChoice = scene.choice;
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
    const raw = rawWish(scene?.source.fileOf(scene.position));
    expected = (raw && findPresentation(loader, raw)) ?? expected;
    wishes = scene === undefined ? [] : formsAt(scene, scene.position);
  };

  const wishAgain = () => {
    lookAgain();
    // The window of the stack comes before the next pictures.
    const isHeldFirst = scene?.awaitsWindow === true && shown === undefined;
    const soon = scene === undefined || wishes.length === 0 || isHeldFirst ? [] : listSoon(scene);
    loader.want(cell, { now: wishes, soon, isMoving: isScrolling && restTimer !== undefined });
  };

  const formsAt = ({ source, choice, state }: Scene, position: number): readonly FrameWish[] =>
    source.wishes(position, {
      state: stateAt(state, source.fileOf(position))?.file_index,
      choice,
      restingChoice: choice.kind === 'explicit' ? restingChoice : choice,
      loader,
      isPassing,
      expected,
      previewSize: () => (previewSize ??= choosePreviewSize(canvas)),
    });

  const listSoon = (current: Scene): FrameWish[] => {
    const { position, isPlaying } = current;
    const { positions: count, traits } = current.source;
    const isFew = traits.prefetches === 'few' && !isPlaying;
    // Nothing is taken from the loading of the picture itself.
    const isThere = wishes[0] !== undefined && loader.find(wishes[0])?.status === 'ready';
    if (traits.prefetches === false || (isFew && (isPassing || !isThere))) return [];
    const { direction, speed } = motion.track(position, performance.now(), isPlaying ? count : undefined);
    const order = orderPrefetch({ position, count, direction, speed, wraps: isPlaying || traits.turns });
    const forms = order.slice(0, isFew ? FEW : order.length).map((at) => formsAt(current, at));
    const previews = forms.flatMap((each) => each.filter(isPreview));
    return [...previews, ...forms.flatMap((each) => each.slice(0, 1))];
  };

  /** The frame at a position, or its preview until the frame is loaded. */
  const findLoaded = (current: Scene, position: number): Shown | undefined => {
    const { source, serverRun, view } = current;
    for (const [i, wish] of formsAt(current, position).entries()) {
      const outcome = i === 0 || isPreview(wish) ? loader.find(wish) : undefined;
      if (outcome?.status !== 'ready') continue;
      const choice = 'choice' in wish.form ? wish.form.choice : undefined;
      const frame = outcome.value;
      // Nothing can be seen between fewer slices.
      if (frame.kind === 'gray' && frame.places !== undefined && frame.places.used < 2) continue;
      const place = source.fileOf(position);
      const state = stateAt(current.state, place);
      const own = source.sizeOf(position) ?? { width: frame.columns, height: frame.rows, aspect: 1 };
      const image = { ...own, aspect: aspectOf(state, place) ?? own.aspect };
      const step = frame.kind === 'gray' ? frame.coarseness : undefined;
      const covered = step === undefined ? image : { width: step * frame.columns, height: step * frame.rows };
      return { source, serverRun, position, place, frame, image, covered, view, choice, state };
    }
    return undefined;
  };

  /** The user may scroll faster than frames load. Returns the loaded frame nearest to the target among those passed. */
  const findPassed = (current: Scene): Shown | undefined => {
    if (shown?.source !== current.source) return findInTrail(current);
    const back = Math.sign(shown.position - current.position);
    const passed = Math.min(MOST_PASSED, Math.abs(shown.position - current.position) - 1);
    for (let i = 1; i <= passed; i++) {
      const found = findLoaded(current, current.position + i * back);
      if (found !== undefined) return found;
    }
    return findInTrail(current);
  };

  /** The newest loaded picture that was wanted since the one on the screen. Older ones are not shown after it. */
  const findInTrail = (current: Scene): Shown | undefined => {
    for (let i = trail.length - 1; i >= 0; i--) {
      const earlier = trail[i];
      const found = earlier && findLoaded({ ...current, ...earlier }, earlier.position);
      if (found === undefined) continue;
      trail = trail.slice(i + 1);
      return found;
    }
    return undefined;
  };

  /**
   * The last picture stays on the screen only if it belongs to the source, so that it is never labeled as another one.
   */
  const findKept = ({ source, serverRun }: Scene): Shown | undefined => {
    if (shown?.serverRun !== serverRun) return undefined;
    if (shown.source === source || source.continues?.(shown.source) === true) return shown;
    // The stack may have grown, or may include a file that was on its own before.
    const position = shown.place && source.positionOf(toAddress(shown.place));
    return position === undefined ? undefined : { ...shown, source, position };
  };

  /** The stored samples behind a picture, if it is a stored frame and they are loaded. */
  const findRaw = ({ source, position, place }: Shown) => {
    const raw = source.samplesOf?.(position) ?? rawWish(place);
    return raw && loader.find(raw);
  };

  /** The picture on the screen may be redrawn at any time, so the loader must not close its bitmap. */
  const setShown = (next: Shown | undefined) => {
    shown = next;
    loader.hold(cell, next === undefined ? [] : [next.frame]);
  };

  const endHold = () => {
    clearTimeout(hold?.timer);
    hold = undefined;
  };
  const isHeld = ({ awaitsWindow = false }: Scene): boolean => {
    if (!awaitsWindow) return false;
    hold ??= { timer: setTimeout(finishHold, HOLD_MS), isOver: false };
    return !hold.isOver;
  };
  const finishHold = () => {
    if (hold !== undefined) hold.isOver = true;
    drawNow();
    wishAgain();
  };

  const draw = () => {
    drawRequest = undefined;
    if (scene === undefined) {
      setShown(undefined);
      clear(context, canvas);
      onReport(NOTHING_SHOWN);
      return;
    }
    const outcome = wishes[0] && loader.find(wishes[0]);
    const isFirst = shown === undefined;
    shown = findKept(scene);
    const failed = outcome?.status === 'failed' ? outcome.error : undefined;
    const found = failed === undefined ? (findLoaded(scene, scene.position) ?? findPassed(scene)) : undefined;
    const isHeldBack = found !== undefined && shown === undefined && isHeld(scene);
    if (!isHeldBack && found !== undefined) endHold();
    setShown(failed !== undefined || isHeldBack ? undefined : (found ?? shown));
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
    const screen = screenOf(view, shown.image, matrix);
    const { damage, outOfRange } = shown.frame;
    const places = shown.frame.kind === 'gray' ? shown.frame.places : undefined;
    const drawn = { shown: describe(shown, scene), window, quality, damage, outOfRange, places };
    onReport({ status, error: undefined, ...drawn, source, screen });
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
    const isWanted = wishes.some((wish) => keyOf(wish) === key);
    if (isWanted && shown === undefined) {
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
      const before = scene;
      scene = next;
      const isSame = next !== undefined && before !== undefined && isContinued(before, next);
      if (isSame) {
        isScrolling = Math.abs(next.position - before.position) <= MOST_PASSED;
        if (next.source !== before.source || next.position !== before.position) {
          isPassing = true;
          const { source, position, view } = before;
          trail = [...trail, { source, position, view }].slice(-MOST_IN_TRAIL);
        }
        noteMove();
      } else {
        isPassing = false;
        trail = [];
        expected = 'raw';
        restingChoice = next?.choice ?? restingChoice;
      }
      wishAgain();
      scheduleDraw();
    },
    refresh() {
      if (scene === undefined) return;
      wishAgain();
      scheduleDraw();
    },
    resize({ width, height }, devicePixelRatio) {
      ratio = devicePixelRatio;
      const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width === deviceWidth && canvas.height === deviceHeight) return;
      previewSize = undefined;
      canvas.width = deviceWidth;
      canvas.height = deviceHeight;
      drawNow();
    },
    probe(at) {
      if (shown === undefined || scene === undefined) return undefined;
      const matrix = alignToPixels(imageToCanvas(viewOf(shown, scene), shown.image, canvas));
      const point = applyMatrix(invertMatrix(matrix), { x: at.x * ratio, y: at.y * ratio });
      const raw = findRaw(shown);
      const frame = raw?.status === 'ready' ? raw.value : shown.frame;
      return probeFrame(frame, point);
    },
    samples() {
      const raw = shown && findRaw(shown);
      if (raw?.status !== 'ready' || raw.value.kind !== 'gray') return undefined;
      return raw.value.presentation === 'server' ? undefined : raw.value;
    },
    magnify(lens, at, zoom) {
      if (shown === undefined || scene === undefined) return false;
      const matrix = alignToPixels(imageToCanvas(viewOf(shown, scene), shown.image, canvas));
      const point = applyMatrix(invertMatrix(matrix), { x: at.x * ratio, y: at.y * ratio });
      // The pixel under the pointer is centered as a whole, so that the user sees which one it is.
      const middle = { x: Math.floor(point.x) + 0.5, y: Math.floor(point.y) + 0.5 };
      const factor = zoom / Math.hypot(matrix[0], matrix[1]);
      const [a, b, c, d] = scaleMatrix(matrix, factor);
      const { width, height } = lens.canvas;
      const [e, f] = [width / 2 - a * middle.x - c * middle.y, height / 2 - b * middle.x - d * middle.y];
      drawer.draw(lens, {
        ...scene,
        frame: shown.frame,
        image: shown.covered,
        imageToCanvas: [a, b, c, d, e, f],
        canvas: { width, height },
        interpolation: 'nearest',
        isMoving: false,
      });
      return true;
    },
    retry() {
      loader.retry(wishes);
      wishAgain();
      scheduleDraw();
    },
    close() {
      stopListening();
      stopGpu();
      canvas.removeEventListener('contextrestored', drawAgain);
      clearTimeout(restTimer);
      endHold();
      if (drawRequest !== undefined) cancelAnimationFrame(drawRequest);
      loader.want(cell, { now: [], soon: [] });
      setShown(undefined);
    },
  };
}

function viewOf(shown: Shown, scene: Scene): ViewState {
  return shown.source === scene.source ? scene.view : shown.view;
}

/** The same source, or one whose first picture may replace that of the other without an empty screen. */
function isContinued(before: Scene, next: Scene): boolean {
  if (before.serverRun !== next.serverRun) return false;
  return before.source === next.source || next.source.continues?.(before.source) === true;
}

/** The presentation state, if it names the frame. */
function stateAt(state: KnownPresentation | undefined, place: FilePlace | undefined): KnownPresentation | undefined {
  return place !== undefined && state?.names(place.file.index, place.frame) === true ? state : undefined;
}

/** The shape of pixels that a presentation state declares. */
function aspectOf(state: KnownPresentation | undefined, place: FilePlace | undefined): number | undefined {
  const area = state && place && findArea(state, place.file.index, place.frame);
  return area?.pixel_aspect_ratio ?? undefined;
}

function toAddress({ file, frame }: FilePlace): FrameAddress {
  return { fileIndex: file.index, frame };
}

function rawWish(place: FilePlace | undefined): FrameWish | undefined {
  return place && { ...toAddress(place), form: { kind: 'raw' } };
}

/** As large as the cell, up to the largest size that the server makes. */
function choosePreviewSize({ clientWidth, clientHeight }: HTMLCanvasElement): number {
  return Math.max(clientWidth, clientHeight) * devicePixelRatio <= 512 ? 512 : 1024;
}

function describe({ source, position, place, choice, state }: Shown, scene: Scene): ShownImage {
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
