import type { WindowChoice } from '../../shared/chooseVoi.ts';
import type { FrameDamage } from '../../shared/frameDamage.ts';
import type { AppliedWindow } from '../../shared/presentation.ts';
import { NOTHING_SHOWN, type ProbedSample, type ViewportReport } from '../state/viewports.ts';
import type { Matrix, Point, Rectangle, Size, ViewState } from '../state/viewState.ts';
import type { FrameWish } from '../viewport/frameLoader.ts';
import type { PictureFrame } from '../viewport/loadedFrame.ts';
import {
  alignToPixels,
  applyMatrix,
  imageToCanvas,
  invertMatrix,
  scaleMatrix,
  zoomOf,
} from '../viewport/viewTransform.ts';
import { type DrawnLayer, drawTiles } from './drawTiles.ts';
import type { PictureChoice, Tile } from '../state/shownTiles.ts';
import type { LevelTiles } from './levelTiles.ts';
import { createMinimap } from './minimap.ts';
import { planTiles, type TilePlan, visiblePart } from './planTiles.ts';
import { listShownTiles } from './shownTiles.ts';
import { type Slide, toLevelPoint } from './slide.ts';
import type { TileLoader } from './tileLoader.ts';

/** What a slide's canvas is to show. */
export type SlideScene = {
  readonly slide: Slide;
  readonly choice: PictureChoice;
  readonly view: ViewState;
  /** Undefined until it is known: no tile is asked for before. */
  readonly window: WindowChoice | undefined;
  readonly invert: boolean;
  readonly interpolation: 'auto' | 'smooth' | 'nearest';
  readonly background: string;
};

export type SlideViewOptions = {
  readonly owner: string;
  readonly canvas: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly loader: TileLoader;
  readonly tilesOf: (level: number) => LevelTiles | undefined;
  /** These levels are drawn next. */
  readonly onLevels: (levels: readonly number[]) => void;
  /** Another picture of the slide is wanted. */
  readonly onSelect: (choice: PictureChoice) => void;
  readonly onReport: (report: ViewportReport) => void;
  readonly onTiles: (tiles: { failedTiles: number; failure: string; isCut: boolean }) => void;
  readonly mostBytes: number;
};

/** A slide on a canvas. It draws at most once per animation frame, whatever happens in between. */
export interface SlideView {
  show(scene: SlideScene | undefined): void;
  resize(size: Size, devicePixelRatio: number): void;
  /** The places of a level have become known. */
  refresh(): void;
  probe(at: Point): ProbedSample | undefined;
  /** The image point under a point of the minimap, in its CSS pixels. */
  locate(at: Point): Point | undefined;
  close(): void;
}

/** Where the image was put. */
type Drawn = { readonly matrix: Matrix; readonly visible: Rectangle | undefined };

const MOST_TILES = 600;
/** Of tiles in different states no share is told. */
const DAMAGED_TILES: FrameDamage = { kind: 'corrupt', missing: undefined, intactRows: 0 };

export function createSlideView(options: SlideViewOptions): SlideView {
  const { owner, canvas, loader, tilesOf, onReport } = options;
  const context = getContext(canvas);
  const minimap = createMinimap(options.minimap);
  let scene: SlideScene | undefined;
  /** The window of the tiles that are still on screen while those of another one come. */
  let windowBefore: WindowChoice | undefined;
  let ratio = 1;
  /** Before the first tile nothing is known to be glass. */
  let hasTile = false;
  let drawRequest: number | undefined;

  const scheduleDraw = () => {
    drawRequest ??= requestAnimationFrame(draw);
  };

  const matrixOf = ({ view, slide }: SlideScene): Matrix => alignToPixels(imageToCanvas(view, slide.image, canvas));

  const draw = () => {
    drawRequest = undefined;
    if (scene === undefined || canvas.width === 0 || canvas.height === 0) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = '#000';
      context.fillRect(0, 0, canvas.width, canvas.height);
      loader.want(owner, { now: [], soon: [] });
      return;
    }
    const { slide } = scene;
    const matrix = matrixOf(scene);
    const plan = planTiles({
      ...scene,
      imageToCanvas: matrix,
      canvas,
      tilesOf,
      mostTiles: Math.min(MOST_TILES, Math.floor(options.mostBytes / tileBytes(slide))),
    });
    options.onLevels(plan.levels);
    wantTiles(plan, scene);
    const layers = layersToDraw(plan, scene);
    hasTile ||= layers.some(({ tiles }) => tiles.length > 0);
    const background = hasTile ? scene.background : '#000';
    drawTiles(context, { ...scene, background, imageToCanvas: matrix, canvas, layers });
    const visible = visiblePart(matrix, canvas, slide.image);
    minimap.draw({ ...scene, visible, find: finder(scene), tilesOf, ratio });
    report(plan, scene, { matrix, visible });
  };

  const wantTiles = (plan: TilePlan, { window }: SlideScene) => {
    if (window === undefined) return;
    const toWishes = (tiles: TilePlan['now']) => tiles.map(({ tile }) => toWish(tile, window));
    loader.want(owner, { now: toWishes(plan.now), soon: toWishes(plan.soon) });
  };

  const finder =
    ({ window }: SlideScene) =>
    (tile: Tile): PictureFrame | undefined => {
      const exact = window && loader.find(toWish(tile, window));
      return exact ?? (windowBefore && loader.find(toWish(tile, windowBefore)));
    };

  /** Where the right level is there and leaves no hole, nothing else is drawn. */
  const layersToDraw = (plan: TilePlan, current: SlideScene): DrawnLayer[] => {
    const find = finder(current);
    const toLayer = ({ level, tiles }: TilePlan['layers'][number]): DrawnLayer => ({
      level,
      tiles: tiles.flatMap((tile) => {
        const picture = find(tile);
        return picture === undefined ? [] : [{ tile, bitmap: picture.bitmap }];
      }),
    });
    const right = plan.layers.at(-1);
    const drawn = right && toLayer(right);
    if (drawn !== undefined && isCovered(plan, drawn)) return [drawn];
    return plan.layers.map(toLayer);
  };

  const report = (plan: TilePlan, current: SlideScene, { matrix, visible }: Drawn) => {
    const { view, slide, window, choice } = current;
    const right = plan.now.filter(({ level }) => level === plan.target).map(({ tile }) => tile);
    const wishes = window === undefined ? [] : right.map((tile) => toWish(tile, window));
    const failures = wishes.map((wish) => loader.findFailure(wish)).filter((error) => error !== undefined);
    const loaded = wishes.map((wish) => loader.find(wish)).filter((picture) => picture !== undefined);
    const arePlacesKnown = window !== undefined && plan.levels.every((level) => tilesOf(level) !== undefined);
    const isOver = arePlacesKnown && loaded.length + failures.length === right.length;
    // A tile that cannot be shown leaves a hole; that none can is a failure of the slide.
    const areAllFailed = failures.length > 0 && failures.length === right.length;
    options.onTiles({ failedTiles: failures.length, failure: failures[0]?.message ?? '', isCut: plan.isCut });
    onReport({
      ...NOTHING_SHOWN,
      status: areAllFailed ? 'failed' : isOver ? 'ready' : 'loading',
      error: areAllFailed ? failures[0] : undefined,
      window: describeWindow(window, loaded[0]),
      source: 'server',
      damage: loaded.some(({ damage }) => damage !== undefined) ? DAMAGED_TILES : undefined,
      screen: {
        width: canvas.width / ratio,
        height: canvas.height / ratio,
        image: slide.image,
        imageToScreen: scaleMatrix(matrix, 1 / ratio),
        zoom: zoomOf(view, slide.image, canvas),
        fitZoom: zoomOf({ ...view, zoom: 'fit' }, slide.image, canvas),
        pixelRatio: ratio,
        mmPerPixel: slide.mmPerPixel,
      },
      tiles:
        visible &&
        listShownTiles({
          slide,
          choice,
          tilesOf,
          visible,
          level: plan.target,
          need: options.onLevels,
          select: options.onSelect,
        }),
    });
  };

  const stopListening = loader.onChange(scheduleDraw);

  return {
    show(next) {
      if (next?.slide !== scene?.slide) {
        windowBefore = undefined;
        hasTile = false;
      } else if (next?.window !== scene?.window) {
        windowBefore = scene?.window;
      }
      scene = next;
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
    refresh: scheduleDraw,
    probe(at) {
      if (scene === undefined) return undefined;
      const point = applyMatrix(invertMatrix(matrixOf(scene)), { x: at.x * ratio, y: at.y * ratio });
      return probeTiles(scene, point, { tilesOf, find: finder(scene) });
    },
    locate: (at) => minimap.locate(at),
    close() {
      stopListening();
      if (drawRequest !== undefined) cancelAnimationFrame(drawRequest);
      loader.want(owner, { now: [], soon: [] });
    },
  };
}

/** Of tiles that lie over each other the area counts twice, which can only leave a hole as it is in the file. */
function isCovered({ target, part }: TilePlan, { level, tiles }: DrawnLayer): boolean {
  const [right, bottom] = [part.x + part.width, part.y + part.height];
  let area = 0;
  for (const { tile } of tiles) {
    const width = Math.min(tile.x + tile.width, right) - Math.max(tile.x, part.x);
    const height = Math.min(tile.y + tile.height, bottom) - Math.max(tile.y, part.y);
    area += Math.max(0, width) * Math.max(0, height);
  }
  return level === target && area >= part.width * part.height * (1 - 1e-9);
}

function toWish({ fileIndex, frame }: Tile, choice: WindowChoice): FrameWish {
  return { fileIndex, frame, form: choice.kind === 'default' ? { kind: 'source' } : { kind: 'picture', choice } };
}

function tileBytes({ levels: [{ tileWidth, tileHeight }] }: Slide): number {
  return tileWidth * tileHeight * 4;
}

function describeWindow(
  choice: WindowChoice | undefined,
  picture: PictureFrame | undefined,
): AppliedWindow | undefined {
  if (picture !== undefined) return picture.window;
  return choice?.kind === 'explicit' ? { ...choice, applied: 'linear' } : undefined;
}

type Probing = {
  readonly tilesOf: (level: number) => LevelTiles | undefined;
  readonly find: (tile: Tile) => PictureFrame | undefined;
};

/** The color of the sharpest tile that is there, under a point of the image. */
function probeTiles(
  { slide, choice }: SlideScene,
  { x, y }: Point,
  { tilesOf, find }: Probing,
): ProbedSample | undefined {
  const { image, levels } = slide;
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return undefined;
  for (const [at, level] of levels.entries()) {
    const point = toLevelPoint({ x, y }, level);
    const place = { x: Math.floor(point.x), y: Math.floor(point.y) };
    const tiles = tilesOf(at)?.find({ ...place, width: 1, height: 1 }, choice) ?? [];
    for (const tile of tiles.toReversed()) {
      const picture = find(tile);
      if (picture === undefined) continue;
      const stored = readPixel(picture.bitmap, {
        x: place.x - tile.x + tile.fromX,
        y: place.y - tile.y + tile.fromY,
      });
      return { column: Math.floor(x), row: Math.floor(y), stored, value: undefined, isPadding: false };
    }
  }
  return undefined;
}

function readPixel(bitmap: ImageBitmap, { x, y }: Point): [number, number, number] {
  const context = getContext(Object.assign(document.createElement('canvas'), { width: 1, height: 1 }));
  context.drawImage(bitmap, x, y, 1, 1, 0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

function getContext(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser gives no 2D canvas');
  return context;
}
