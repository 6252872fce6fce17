import type { Rgb } from '../../../../shared/cielab.ts';
import type { Matrix, Rectangle, Size } from '../../../kit/state/viewState.ts';
import type { ColorMapName } from '../../../kit/state/colorMaps.ts';
import { colorDrawn } from '../colorDrawn.ts';
import type { GrayLook } from '../paintGray.ts';
import { applyMatrix } from '../viewTransform.ts';
import type { Tile } from '../../../kit/state/shownTiles.ts';
import { fromLevelPoint, type Slide, type SlideLevel } from './slide.ts';

export type TileDrawing = {
  readonly slide: Slide;
  readonly imageToCanvas: Matrix;
  readonly canvas: Size;
  readonly background: string;
  readonly invert: boolean;
  /** For gray slides. */
  readonly colorMap: ColorMapName;
  readonly interpolation: 'auto' | 'smooth' | 'nearest';
  /** Coarsest first. */
  readonly layers: readonly DrawnLayer[];
};

export type DrawnLayer = {
  readonly level: number;
  readonly tiles: readonly { readonly tile: Tile; readonly bitmap: ImageBitmap }[];
};

export function drawTiles(context: CanvasRenderingContext2D, drawing: TileDrawing): void {
  const { slide, imageToCanvas, canvas, layers, invert, colorMap } = drawing;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = '#000';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const whole = onCanvas(imageToCanvas, { x: 0, y: 0, ...slide.image });
  context.fillStyle = drawing.background;
  context.fillRect(whole.x, whole.y, whole.width, whole.height);
  for (const { level, tiles } of layers) {
    const shape = slide.levels[level];
    if (shape === undefined) continue;
    smooth(context, drawing, shape);
    for (const { tile, bitmap } of tiles) drawTile(context, { drawing, level: shape, tile, bitmap });
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (colorMap !== 'gray') {
    colorPart(context, whole, canvas, drawing);
    return;
  }
  if (!invert) return;
  context.globalCompositeOperation = 'difference';
  context.fillStyle = '#fff';
  context.fillRect(whole.x, whole.y, whole.width, whole.height);
  context.globalCompositeOperation = 'source-over';
}

/** Colors the part of the canvas that the slide covers. */
function colorPart(context: CanvasRenderingContext2D, whole: Rectangle, canvas: Size, look: GrayLook): void {
  const [x, y] = [Math.max(0, whole.x), Math.max(0, whole.y)];
  const width = Math.min(canvas.width, whole.x + whole.width) - x;
  const height = Math.min(canvas.height, whole.y + whole.height) - y;
  if (width > 0 && height > 0) context.putImageData(colorDrawn(context, { x, y, width, height }, look), x, y);
}

export type ColoredLayers = { readonly color: Rgb; readonly layers: readonly DrawnLayer[] };

/** Draws several gray pictures into one, each in its color; where they overlap, the colors are added. */
export function createMixer() {
  const canvas = document.createElement('canvas');
  const own = canvas.getContext('2d', { alpha: false });
  return {
    draw(
      context: CanvasRenderingContext2D,
      drawing: Omit<TileDrawing, 'layers'>,
      channels: readonly ColoredLayers[],
    ): void {
      drawTiles(context, { ...drawing, layers: [], background: '#000', invert: false, colorMap: 'gray' });
      if (own === null) return;
      const { width, height } = drawing.canvas;
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      for (const { color, layers } of channels) {
        drawTiles(own, { ...drawing, layers, background: '#000', colorMap: 'gray' });
        own.globalCompositeOperation = 'multiply';
        own.fillStyle = `rgb(${color.join(' ')})`;
        own.fillRect(0, 0, width, height);
        own.globalCompositeOperation = 'source-over';
        context.globalCompositeOperation = 'lighter';
        context.drawImage(canvas, 0, 0);
        context.globalCompositeOperation = 'source-over';
      }
    },
  };
}

const NEAREST_FROM_ZOOM = 3;

/**
 * Only pixels of the largest level are real, so pixels of a coarser level drawn in its place are not shown as squares.
 */
function smooth(context: CanvasRenderingContext2D, drawing: TileDrawing, { scaleX }: SlideLevel): void {
  const { interpolation, imageToCanvas } = drawing;
  const zoom = Math.hypot(imageToCanvas[0], imageToCanvas[1]) * scaleX;
  const isNearest = interpolation === 'auto' ? scaleX === 1 && zoom >= NEAREST_FROM_ZOOM : interpolation === 'nearest';
  context.imageSmoothingEnabled = !isNearest;
  context.imageSmoothingQuality = zoom < 0.6 ? 'medium' : 'low';
}

type OneTile = {
  readonly drawing: TileDrawing;
  readonly level: SlideLevel;
  readonly tile: Tile;
  readonly bitmap: ImageBitmap;
};

function drawTile(context: CanvasRenderingContext2D, { drawing, level, tile, bitmap }: OneTile): void {
  const { image } = drawing.slide;
  const { scaleX, scaleY } = level;
  const corner = fromLevelPoint(tile, level);
  // A level may extend beyond the slide, for example where a scanner has padded it to whole tiles.
  const [x, y] = [Math.max(0, corner.x), Math.max(0, corner.y)];
  const width = Math.min(corner.x + tile.width * scaleX, image.width) - x;
  const height = Math.min(corner.y + tile.height * scaleY, image.height) - y;
  if (width <= 0 || height <= 0) return;
  context.setTransform(...placeTile(drawing.imageToCanvas, { x, y, width, height }));
  // Only from the part of the frame that is on the slide, so that padding does not show at the edge.
  const [fromX, fromY] = [tile.fromX + (x - corner.x) / scaleX, tile.fromY + (y - corner.y) / scaleY];
  context.drawImage(bitmap, fromX, fromY, width / scaleX, height / scaleY, 0, 0, 1, 1);
}

/**
 * Maps the unit square to the tile's area with edges on whole pixels, so that neighbors share an edge without a seam.
 * Views turn by quarters only, so edges are horizontal or vertical.
 */
export function placeTile(imageToCanvas: Matrix, tile: Rectangle): Matrix {
  const { x, y, width, height } = onCanvas(imageToCanvas, tile);
  const [a, b, c, d] = imageToCanvas;
  if (a !== 0) {
    return [Math.sign(a) * width, 0, 0, Math.sign(d) * height, a > 0 ? x : x + width, d > 0 ? y : y + height];
  }
  return [0, Math.sign(b) * height, Math.sign(c) * width, 0, c > 0 ? x : x + width, b > 0 ? y : y + height];
}

function onCanvas(imageToCanvas: Matrix, { x, y, width, height }: Rectangle): Rectangle {
  const a = applyMatrix(imageToCanvas, { x, y });
  const b = applyMatrix(imageToCanvas, { x: x + width, y: y + height });
  const [left, right] = [Math.round(Math.min(a.x, b.x)), Math.round(Math.max(a.x, b.x))];
  const [top, bottom] = [Math.round(Math.min(a.y, b.y)), Math.round(Math.max(a.y, b.y))];
  return { x: left, y: top, width: right - left, height: bottom - top };
}
