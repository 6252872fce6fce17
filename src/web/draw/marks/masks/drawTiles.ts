import { MASK_TILE, type MarkMask } from '../../../../shared/contract/marks.ts';
import { createMaskBits, type MaskBits } from '../../../../shared/maskRuns.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { Matrix, Point, Size } from '../../../kit/state/viewState.ts';
import { parseFrameKey } from '../sync/markForm.ts';
import { marksOf } from '../sync/marks.ts';
import { type BrushMark, brushesOf, type LiveTiles } from './brushes.ts';
import { colorsKey, type MaskColor, maskColorOf } from './drawBrushes.ts';
import { listSeenMasks } from './seenMasks.ts';
import { cornerOfTile, decodeTile } from './tileStroke.ts';

/** Pixels of pictures of tiles that are kept; 4 bytes each. */
const MOST_KEPT_PIXELS = 2 ** 24;

type Picture = { readonly canvas: HTMLCanvasElement; readonly key: string };

/** Draws the masks of a slide: of each, the tiles that are on the screen. */
export function createTileDrawing(page: Page, canvas: HTMLCanvasElement): (shown: ShownFrame | undefined) => void {
  const screen = canvas.getContext('2d');
  /** Masks never change. The last used is the last. */
  const pictures = new Map<MarkMask, Picture>();
  let drawn: readonly unknown[] = [];

  const pictureOf = (mask: MarkMask, number: number, look: { color: MaskColor; shrink: number }): HTMLCanvasElement => {
    const key = [...look.color, look.shrink].join();
    const known = pictures.get(mask);
    pictures.delete(mask);
    const picture = known?.key === key ? known : { canvas: paintTile(unpackTile(mask, number), look), key };
    pictures.set(mask, picture);
    return picture.canvas;
  };

  const forgetOld = () => {
    let kept = 0;
    for (const [mask, { canvas: tile }] of [...pictures].toReversed()) {
      kept += tile.width * tile.height;
      if (kept > MOST_KEPT_PIXELS) pictures.delete(mask);
    }
  };

  return (shown) => {
    if (screen === null) return;
    const { liveTiles } = brushesOf(page).getState();
    const { painted } = marksOf(page).getState();
    const list = listSeenMasks(page);
    const now = [shown?.screen, shown?.file, list, painted, liveTiles, colorsKey(page, list)];
    if (haveSameItems(now, drawn)) return;
    drawn = now;
    const ratio = shown?.screen.pixelRatio ?? 1;
    canvas.width = Math.round((shown?.screen.width ?? 0) * ratio);
    canvas.height = Math.round((shown?.screen.height ?? 0) * ratio);
    if (shown === undefined) return;
    screen.imageSmoothingEnabled = false;
    const [a, b, c, d, e, f] = shown.screen.imageToScreen;
    const toCanvas: Matrix = [a * ratio, b * ratio, c * ratio, d * ratio, e * ratio, f * ratio];
    for (const { uid, words, step, tiles } of listTiledMarks(list, shown.file.index, liveTiles)) {
      const color = maskColorOf(page, words.class, uid === painted || uid === liveTiles?.uid);
      const look = { color, shrink: chooseShrink(Math.hypot(a, b) * ratio * step) };
      for (const [number, mask] of tiles) {
        const place = placeTile(number, step, toCanvas);
        if (!isOnCanvas(place, canvas)) continue;
        const tile = 'bits' in mask ? paintTile(mask, look) : pictureOf(mask, number, look);
        drawTile(screen, tile, place, a === 0);
      }
    }
    forgetOld();
  };
}

type TiledMark = Pick<BrushMark, 'uid' | 'words'> & {
  readonly step: number;
  readonly tiles: Iterable<readonly [number: number, mask: MarkMask | MaskBits]>;
};

/** The masks of a slide. Of the one that is being painted, the tiles that the stroke has reached are as it has made them. */
function* listTiledMarks(
  list: readonly BrushMark[],
  fileIndex: number,
  live: LiveTiles | undefined,
): Generator<TiledMark> {
  for (const { uid, words, slide, slices } of list) {
    if (slide?.fileIndex !== fileIndex) continue;
    const painted = live?.uid === uid ? live.tiles : undefined;
    const tiles = Array.from(slices, ([key, mask]) => [parseFrameKey(key).frame, mask] as const);
    yield { uid, words, step: slide.step, tiles: tiles.filter(([number]) => painted?.has(number) !== true) };
  }
  if (live?.slide.fileIndex === fileIndex) {
    yield { uid: live.uid, words: live.words, step: live.slide.step, tiles: live.tiles };
  }
}

/** How many pixels of a mask, along each side, become one of its picture: as many as are smaller than one of the screen. */
function chooseShrink(width: number): number {
  return Math.min(Math.max(2 ** Math.floor(Math.log2(1 / width)), 1), 64);
}

type TilePlace = { readonly from: Point; readonly to: Point };

/** Rounded to whole pixels of the canvas, so that there is no gap between two tiles and no overlap. */
function placeTile(number: number, step: number, toCanvas: Matrix): TilePlace {
  const { x, y } = cornerOfTile(number);
  const at = (column: number, row: number): Point => {
    const { x: across, y: down } = applyMatrix(toCanvas, { x: column * step, y: row * step });
    return { x: Math.round(across), y: Math.round(down) };
  };
  return { from: at(x, y), to: at(x + MASK_TILE, y + MASK_TILE) };
}

function isOnCanvas({ from, to }: TilePlace, { width, height }: Size): boolean {
  const [right, bottom] = [Math.max(from.x, to.x), Math.max(from.y, to.y)];
  return right > 0 && bottom > 0 && Math.min(from.x, to.x) < width && Math.min(from.y, to.y) < height;
}

function drawTile(
  screen: CanvasRenderingContext2D,
  tile: HTMLCanvasElement,
  { from, to }: TilePlace,
  isTurned: boolean,
) {
  const [across, down] = [(to.x - from.x) / tile.width, (to.y - from.y) / tile.height];
  if (isTurned) screen.setTransform(0, down, across, 0, from.x, from.y);
  else screen.setTransform(across, 0, 0, down, from.x, from.y);
  screen.drawImage(tile, 0, 0);
}

function unpackTile(mask: MarkMask, number: number): MaskBits {
  const bits = createMaskBits(MASK_TILE, MASK_TILE);
  decodeTile(mask, number, bits);
  return bits;
}

/** A pixel of the picture is as opaque as the part of its pixels that are in the mask. */
function paintTile(
  { bits }: MaskBits,
  { color: [red, green, blue, alpha], shrink }: { readonly color: MaskColor; readonly shrink: number },
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const side = MASK_TILE / shrink;
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const sums = new Uint16Array(side * side);
  for (let at = bits.indexOf(1); at >= 0 && at < bits.length; at += 1) {
    if (bits[at] === 0) continue;
    const [row, column] = [Math.floor(at / MASK_TILE), at % MASK_TILE];
    sums[Math.floor(row / shrink) * side + Math.floor(column / shrink)]! += 1;
  }
  const pixels = context.createImageData(side, side);
  for (const [at, sum] of sums.entries()) {
    if (sum > 0) pixels.data.set([red, green, blue, Math.max(1, Math.round((alpha * sum) / shrink ** 2))], at * 4);
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}
