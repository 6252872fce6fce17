import {
  MASK_TILE,
  MASK_TILES_ACROSS,
  type MarkMask,
  MOST_MARK_SLICES,
  MOST_MASK_STEP,
} from '../../../../shared/contract/marks.ts';
import { createMaskBits, decodeMask, encodeMask, type MaskBits } from '../../../../shared/maskRuns.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { toolsOf } from '../../../kit/state/tools.ts';
import type { Matrix, Point } from '../../../kit/state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { frameKey, parseFrameKey } from '../sync/markForm.ts';
import { type BrushMark, brushesOf, changeMasks, markForTiles } from './brushes.ts';
import { paintStroke } from './paintStroke.ts';

/** More would take long to paint and to send: a square of 6,000 pixels of the mask. */
const MOST_STROKE_TILES = 600;

/** A stroke of the brush or the eraser on a slide, which is one step that can be undone. */
export function beginTileStroke(page: Page, { shown, at, isOwnTool }: MarkPress): MarkGesture | undefined {
  if (!isOwnTool) return undefined;
  const { radius, range } = brushesOf(page).getState();
  const isErasing = toolsOf(page).getState().tool === 'eraser';
  if (range !== undefined && !isErasing) {
    say(page, 'On a slide the brush cannot follow a range of values', 'failed');
    return undefined;
  }
  const { imageToScreen, image } = shown.screen;
  const mark = markForTiles(page, { fileIndex: shown.file.index, step: chooseStep(imageToScreen) });
  if (mark?.slide === undefined) return undefined;
  const { step, fileIndex } = mark.slide;
  const columns = Math.ceil(image.width / step);
  const rows = Math.ceil(image.height / step);
  // The brush has a size on the screen, whatever the zoom.
  const dab = {
    radius: radius / (widthOnScreen(imageToScreen) * step),
    aspect: image.aspect,
    value: isErasing ? 0 : 1,
  } as const;
  const tiles = new Map<number, MaskBits>();
  const held = new Set([...mark.slices.keys()].map((key) => parseFrameKey(key).frame));
  let isTooLarge = false;

  const toMask = ({ x, y }: Point): Point => ({ x: x / step, y: y / step });
  const paintTo = (from: Point, to: Point) => {
    const numbers = listTiles(from, to, dab, { columns, rows });
    const added = numbers.filter((number) => !tiles.has(number));
    const grown = isErasing ? 0 : added.filter((number) => !held.has(number)).length;
    isTooLarge ||= tiles.size + added.length > MOST_STROKE_TILES || held.size + grown > MOST_MARK_SLICES;
    if (isTooLarge) return;
    for (const number of numbers) {
      const bits = tiles.get(number) ?? readTile(mark, number);
      const corner = cornerOfTile(number);
      const inTile = ({ x, y }: Point) => ({ x: x - corner.x, y: y - corner.y });
      const isPainted = paintStroke(bits, inTile(from), inTile(to), dab) !== undefined;
      if (isPainted) tiles.set(number, keepOnSlide(bits, corner, { columns, rows }));
    }
    const { uid, words } = mark;
    brushesOf(page).setState({ liveTiles: { uid, words, slide: { step, fileIndex }, tiles: new Map(tiles) } });
  };

  const stop = () => brushesOf(page).setState({ liveTiles: undefined });
  const end = () => {
    stop();
    if (isTooLarge) {
      say(page, 'This stroke is too large for the pixels of this mask. Zoom in, or begin a new mask.', 'failed');
      return;
    }
    const changed = new Map<string, MarkMask | null>();
    for (const [number, bits] of tiles) {
      const key = frameKey({ fileIndex, frame: number });
      const after = placeMask(encodeMask(bits), cornerOfTile(number));
      if (!isSameMask(mark.slices.get(key), after)) changed.set(key, after ?? null);
    }
    changeMasks(page, mark, changed);
  };

  let last = toMask(toImagePoint(shown, at));
  const follow = (point: Point) => {
    const to = toMask(point);
    paintTo(last, to);
    last = to;
  };
  paintTo(last, last);
  return {
    move: follow,
    commit(point) {
      follow(point);
      end();
    },
    click: end,
    cancel: stop,
  };
}

/** The largest power of two whose pixels are not wider than one on the screen. */
export function chooseStep(imageToScreen: Matrix): number {
  const step = 2 ** Math.floor(Math.log2(1 / widthOnScreen(imageToScreen)));
  return Math.min(Math.max(step, 1), MOST_MASK_STEP);
}

function widthOnScreen([a, b]: Matrix): number {
  return Math.hypot(a, b);
}

type GridSize = { readonly columns: number; readonly rows: number };
type Dab = { readonly radius: number; readonly aspect: number };

/** The tiles that the brush reaches on its way, in pixels of the mask. */
export function listTiles(from: Point, to: Point, { radius, aspect }: Dab, { columns, rows }: GridSize): number[] {
  const numbers: number[] = [];
  const high = radius / aspect;
  const [left, right] = tileRange(Math.min(from.x, to.x) - radius, Math.max(from.x, to.x) + radius, columns);
  const [top, bottom] = tileRange(Math.min(from.y, to.y) - high, Math.max(from.y, to.y) + high, rows);
  // No stroke may have so many, and a long one at a small zoom reaches millions.
  if ((right - left + 1) * (bottom - top + 1) > 4 * MOST_STROKE_TILES) {
    return Array.from({ length: MOST_STROKE_TILES + 1 }, (_, n) => n);
  }
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) numbers.push(row * MASK_TILES_ACROSS + column);
  }
  return numbers;
}

/** The first and the last of the tiles that a range of pixels reaches, of those that there are. */
function tileRange(from: number, to: number, count: number): readonly [first: number, last: number] {
  const last = Math.min(Math.floor(to / MASK_TILE), Math.ceil(count / MASK_TILE) - 1);
  return [Math.max(0, Math.floor(from / MASK_TILE)), last];
}

/** Its first pixel, in pixels of the mask. */
export function cornerOfTile(number: number): Point {
  return { x: (number % MASK_TILES_ACROSS) * MASK_TILE, y: Math.floor(number / MASK_TILES_ACROSS) * MASK_TILE };
}

function readTile({ slices, slide }: BrushMark, number: number): MaskBits {
  const bits = createMaskBits(MASK_TILE, MASK_TILE);
  const mask = slices.get(frameKey({ fileIndex: slide?.fileIndex ?? 0, frame: number }));
  if (mask !== undefined) decodeTile(mask, number, bits);
  return bits;
}

/** The rectangle of a mask counts from the corner of the slide. */
export function decodeTile(mask: MarkMask, number: number, bits: MaskBits): void {
  const { x, y } = cornerOfTile(number);
  decodeMask({ ...mask, left: mask.left - x, top: mask.top - y }, bits);
}

function placeMask(mask: MarkMask | undefined, { x, y }: Point): MarkMask | undefined {
  return mask && { ...mask, left: mask.left + x, top: mask.top + y };
}

/** Without pixels beyond the right and lower edge of the slide. */
function keepOnSlide(mask: MaskBits, { x, y }: Point, { columns, rows }: GridSize): MaskBits {
  const [width, height] = [columns - x, rows - y];
  for (let row = 0; row < MASK_TILE; row += 1) {
    if (width < MASK_TILE) mask.bits.fill(0, row * MASK_TILE + width, (row + 1) * MASK_TILE);
  }
  if (height < MASK_TILE) mask.bits.fill(0, height * MASK_TILE);
  return mask;
}

function isSameMask(a: MarkMask | undefined, b: MarkMask | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
