import type { ColorMapName } from '../../../kit/state/colorMaps.ts';
import type { Matrix, Point, Rectangle, Size, ViewState } from '../../../kit/state/viewState.ts';
import type { PictureFrame } from '../loadedFrame.ts';
import { applyMatrix, imageToCanvas, invertMatrix } from '../viewTransform.ts';
import { drawTiles } from './drawTiles.ts';
import type { PictureChoice, Tile } from '../../../kit/state/shownTiles.ts';
import type { LevelTiles } from './levelTiles.ts';
import type { Slide } from './slide.ts';

export type MinimapScene = {
  readonly slide: Slide;
  readonly choice: PictureChoice;
  readonly view: ViewState;
  readonly invert: boolean;
  readonly colorMap: ColorMapName;
  readonly background: string;
  /** The part of the image that the large canvas shows. */
  readonly visible: Rectangle | undefined;
  readonly tilesOf: (level: number) => LevelTiles | undefined;
  readonly find: (tile: Tile) => PictureFrame | undefined;
  readonly ratio: number;
};

/**
 * A small picture of the whole slide in the same orientation as the large one, with a frame around the visible part.
 */
export interface Minimap {
  draw(scene: MinimapScene): void;
  locate(at: Point): Point | undefined;
}

/** A slide without small levels has too many tiles for a small picture. */
const MOST_TILES = 64;
/** Longer side, in CSS pixels. */
const SIDE_PX = 160;

export function createMinimap(canvas: HTMLCanvasElement): Minimap {
  const context = canvas.getContext('2d', { alpha: false });
  const picture = document.createElement('canvas');
  const pictureContext = picture.getContext('2d', { alpha: false });
  let drawn = '';
  let shown: { readonly matrix: Matrix; readonly ratio: number } | undefined;

  /** Drawn on a canvas of its own, because it rarely changes and its tiles can be large. */
  const drawPicture = (scene: MinimapScene, matrix: Matrix) => {
    const { slide, choice, tilesOf, find } = scene;
    const level = slide.backing;
    const { width, height, tileWidth, tileHeight } = slide.levels[level] ?? slide.levels[0];
    const isSmall = (width / tileWidth) * (height / tileHeight) < MOST_TILES;
    const whole = isSmall ? tilesOf(level)?.find({ x: 0, y: 0, width, height }, choice) : undefined;
    const tiles = (whole ?? []).flatMap((tile) => {
      const loaded = find(tile);
      return loaded === undefined ? [] : [{ tile, bitmap: loaded.bitmap, window: loaded.window }];
    });
    const windows = tiles.map(({ window }) => `${window?.center}/${window?.width}`);
    const now = JSON.stringify([
      canvas.width,
      matrix,
      choice,
      scene.invert,
      scene.colorMap,
      scene.background,
      windows,
      width,
    ]);
    if (now === drawn || pictureContext === null) return;
    drawn = now;
    picture.width = canvas.width;
    picture.height = canvas.height;
    const layers = [{ level, tiles }];
    drawTiles(pictureContext, { ...scene, imageToCanvas: matrix, canvas, layers, interpolation: 'smooth' });
  };

  return {
    draw(scene) {
      const { slide, visible, view, ratio } = scene;
      const isWhole = visible !== undefined && isAll(visible, slide.image);
      canvas.hidden = isWhole;
      shown = undefined;
      if (isWhole || context === null) return;
      fitCanvas(canvas, sizeOf(scene), ratio);
      const matrix = imageToCanvas({ ...view, zoom: 'fit', center: undefined }, slide.image, canvas);
      shown = { matrix, ratio };
      drawPicture(scene, matrix);
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.drawImage(picture, 0, 0);
      if (visible !== undefined) drawFrame(context, matrix, visible, ratio);
    },
    locate(at) {
      if (shown === undefined) return undefined;
      return applyMatrix(invertMatrix(shown.matrix), { x: at.x * shown.ratio, y: at.y * shown.ratio });
    },
  };
}

/** Allows a tolerance, because the view is aligned to screen pixels, each of which can be many pixels of a slide. */
function isAll({ width, height }: Rectangle, image: Size): boolean {
  return width >= image.width * 0.98 && height >= image.height * 0.98;
}

function sizeOf({ slide: { image }, view }: MinimapScene): Size {
  const [width, height] = [image.width, image.height * image.aspect];
  const [across, down] = view.quarterTurns % 2 === 0 ? [width, height] : [height, width];
  const scale = SIDE_PX / Math.max(across, down);
  // Keeps a narrow slide wide enough to point at.
  return { width: Math.max(24, Math.round(across * scale)), height: Math.max(24, Math.round(down * scale)) };
}

function fitCanvas(canvas: HTMLCanvasElement, { width, height }: Size, ratio: number): void {
  const [deviceWidth, deviceHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width === deviceWidth && canvas.height === deviceHeight) return;
  canvas.width = deviceWidth;
  canvas.height = deviceHeight;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

/**
 * A light line over a dark one, visible on glass and on tissue. At least a few pixels, however small the visible part
 * is.
 */
function drawFrame(context: CanvasRenderingContext2D, matrix: Matrix, visible: Rectangle, ratio: number): void {
  const a = applyMatrix(matrix, visible);
  const b = applyMatrix(matrix, { x: visible.x + visible.width, y: visible.y + visible.height });
  const [left, top] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const [width, height] = [Math.max(4 * ratio, Math.abs(a.x - b.x)), Math.max(4 * ratio, Math.abs(a.y - b.y))];
  for (const [color, line] of [
    ['#000c', 4],
    ['#ffd479', 2],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = line * ratio;
    context.strokeRect(left, top, width, height);
  }
}
