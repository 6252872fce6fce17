import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import type { AppliedWindow } from '../../../../shared/presentation.ts';
import type { ColorMapName } from '../../../kit/state/colorMaps.ts';
import { NOTHING_SHOWN, type ViewportReport } from '../viewports.ts';
import type { Matrix, Point, Rectangle, Size, ViewState } from '../../../kit/state/viewState.ts';
import type { FrameWish } from '../frameLoader.ts';
import type { ProbedSample } from '../probeFrame.ts';
import type { PictureFrame } from '../loadedFrame.ts';
import { alignToPixels, applyMatrix, imageToCanvas, invertMatrix, scaleMatrix, zoomOf } from '../viewTransform.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import { createMixer, type DrawnLayer, drawTiles } from './drawTiles.ts';
import type { PictureChoice, Tile } from '../../../kit/state/shownTiles.ts';
import type { LevelTiles } from './levelTiles.ts';
import { createMinimap } from './minimap.ts';
import { planTiles, type TilePlan, visiblePart } from './planTiles.ts';
import { listShownTiles } from './shownTiles.ts';
import { type Slide, toLevelPoint } from './slide.ts';
import type { TileLoader } from './tileLoader.ts';

/** What the canvas of a slide shows. */
export type SlideScene = {
  readonly slide: Slide;
  readonly choice: PictureChoice;
  readonly view: ViewState;
  /** Undefined until it is known; no tile is requested before. */
  readonly window: WindowChoice | undefined;
  /** Several pictures in one, each in its own color; undefined to show only `choice`. */
  readonly mix: readonly SlideChannel[] | undefined;
  readonly magnification: number | undefined;
  readonly invert: boolean;
  readonly colorMap: ColorMapName;
  readonly interpolation: 'auto' | 'smooth' | 'nearest';
  readonly background: string;
};

export type SlideChannel = Pick<SlideScene, 'choice' | 'window'> & { readonly color: Rgb };

export type SlideViewOptions = {
  readonly owner: string;
  readonly canvas: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly loader: TileLoader;
  readonly tilesOf: (level: number) => LevelTiles | undefined;
  /** Called with the levels that are needed for the next drawing. */
  readonly onLevels: (levels: readonly number[]) => void;
  /** Called when another picture of the slide is selected. */
  readonly onSelect: (choice: PictureChoice) => void;
  readonly onReport: (report: ViewportReport) => void;
  readonly onTiles: (tiles: { failedTiles: number; failure: string; isCut: boolean }) => void;
  readonly mostBytes: number;
};

/** A slide on a canvas. It draws at most once per animation frame, however many changes occur. */
export interface SlideView {
  show(scene: SlideScene | undefined): void;
  resize(size: Size, devicePixelRatio: number): void;
  /** Call when the tile positions of a level have become known. */
  refresh(): void;
  probe(at: Point): ProbedSample | undefined;
  /** The image point at a point of the minimap, which is given in its CSS pixels. */
  locate(at: Point): Point | undefined;
  close(): void;
}

/** Where the image was drawn. */
type Drawn = { readonly matrix: Matrix; readonly visible: Rectangle | undefined };

const MOST_TILES = 600;
/** No missing share is given, because the tiles can be damaged to different degrees. */
const DAMAGED_TILES: FrameDamage = { kind: 'corrupt', missing: undefined, intactRows: 0 };

export function createSlideView(options: SlideViewOptions): SlideView {
  const { owner, canvas, loader, tilesOf, onReport } = options;
  const context = getContext(canvas);
  const minimap = createMinimap(options.minimap);
  let scene: SlideScene | undefined;
  const mixer = createMixer();
  /** By path: the window of the tiles that stay on the screen while those of a new window load. */
  const windowsBefore = new Map<string, WindowChoice>();
  let ratio = 1;
  /** Until the first tile is drawn, the background is black instead of the color of glass. */
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
    const current = scene;
    const channels = channelsOf(current);
    const mostTiles = Math.floor(Math.min(MOST_TILES, options.mostBytes / tileBytes(slide)) / channels.length);
    const planned = channels.map((channel): PlannedChannel => {
      const plan = planTiles({ ...current, ...channel, imageToCanvas: matrix, canvas, tilesOf, mostTiles });
      return { ...channel, plan, layers: layersToDraw(plan, channel) };
    });
    const [first] = planned;
    if (first === undefined) return;
    options.onLevels(first.plan.levels);
    wantTiles(planned);
    hasTile ||= planned.some(({ layers }) => layers.some(({ tiles }) => tiles.length > 0));
    const background = hasTile ? scene.background : '#000';
    const drawing = { ...scene, background, imageToCanvas: matrix, canvas };
    if (scene.mix === undefined) drawTiles(context, { ...drawing, layers: first.layers });
    else mixer.draw(context, drawing, planned);
    const visible = visiblePart(matrix, canvas, slide.image);
    minimap.draw({ ...scene, choice: first.choice, visible, find: finder(first), tilesOf, ratio });
    report(planned, scene, { matrix, visible });
  };

  const wantTiles = (planned: readonly PlannedChannel[]) => {
    const toWishes = (of: (plan: TilePlan) => TilePlan['now']) =>
      inTurn(
        planned.map(({ plan, window }) =>
          window === undefined ? [] : of(plan).map(({ tile }) => toWish(tile, window)),
        ),
      );
    const now = toWishes((plan) => plan.now);
    if (planned.some(({ window }) => window !== undefined)) {
      loader.want(owner, { now, soon: toWishes((plan) => plan.soon) });
    }
  };

  const findPicture = (tile: Tile, window: WindowChoice): PictureFrame | undefined => {
    const outcome = loader.find(toWish(tile, window));
    return outcome?.status === 'ready' ? outcome.value : undefined;
  };

  const finder =
    ({ window, choice }: Pick<SlideScene, 'choice' | 'window'>) =>
    (tile: Tile): PictureFrame | undefined => {
      const exact = window && findPicture(tile, window);
      const before = windowsBefore.get(choice.path);
      return exact ?? (before && findPicture(tile, before));
    };

  /** If the target level is loaded without holes, only that level is drawn. */
  const layersToDraw = (plan: TilePlan, current: Pick<SlideScene, 'choice' | 'window'>): DrawnLayer[] => {
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

  const report = (planned: readonly PlannedChannel[], current: SlideScene, { matrix, visible }: Drawn) => {
    const { view, slide, choice, mix } = current;
    const plan = planned[0]!.plan;
    const right = planned.flatMap(({ plan: own }) => own.now.filter(({ level }) => level === own.target));
    const wishes = planned.flatMap(({ plan: own, window }) =>
      own.now.flatMap(({ level, tile }) =>
        level === own.target && window !== undefined ? [toWish(tile, window)] : [],
      ),
    );
    const window = mix === undefined ? current.window : undefined;
    const outcomes = wishes.map((wish) => loader.find(wish));
    const failures = outcomes.flatMap((outcome) => (outcome?.status === 'failed' ? [outcome.error] : []));
    const loaded = outcomes.flatMap((outcome) => (outcome?.status === 'ready' ? [outcome.value] : []));
    const arePlacesKnown =
      planned.every((one) => one.window !== undefined) && plan.levels.every((level) => tilesOf(level) !== undefined);
    const isOver = arePlacesKnown && loaded.length + failures.length === right.length;
    // A tile that cannot be shown leaves a hole; only if none can be shown has the slide failed.
    const areAllFailed = failures.length > 0 && failures.length === right.length;
    options.onTiles({ failedTiles: failures.length, failure: failures[0]?.message ?? '', isCut: plan.isCut });
    onReport({
      ...NOTHING_SHOWN,
      status: areAllFailed ? 'failed' : isOver ? 'ready' : 'loading',
      error: areAllFailed ? failures[0] : undefined,
      window: mix === undefined ? describeWindow(window, loaded[0]) : undefined,
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
        magnification: current.magnification,
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

  const stopListening = loader.onOutcome(scheduleDraw);

  return {
    show(next) {
      if (next?.slide !== scene?.slide) {
        windowsBefore.clear();
        hasTile = false;
      } else if (next !== undefined && scene !== undefined) {
        const before = channelsOf(scene);
        for (const { choice, window } of channelsOf(next)) {
          const old = before.find((one) => one.choice.path === choice.path)?.window;
          if (old !== undefined && !isSameWindow(old, window)) windowsBefore.set(choice.path, old);
        }
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
      // Setting the size has cleared the canvas, so drawing later would flicker.
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

type PlannedChannel = SlideChannel & { readonly plan: TilePlan; readonly layers: readonly DrawnLayer[] };

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

function channelsOf({ mix, choice, window }: SlideScene): readonly SlideChannel[] {
  if (mix !== undefined && mix.length > 0) return mix;
  // A mix without visible paths is black.
  return [{ choice, window, color: mix === undefined ? WHITE : BLACK }];
}

function isSameWindow(a: WindowChoice, b: WindowChoice | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The first of each list, then the second of each. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** Overlapping tiles are counted twice. A hole that this conceals is shown as it is in the file. */
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

/** The color of the sharpest loaded tile at a point of the image. */
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
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  return context;
}
