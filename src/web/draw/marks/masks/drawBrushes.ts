import { PLAIN_MASK } from '../../../../shared/markColors.ts';
import type { MaskBits } from '../../../../shared/maskRuns.ts';
import { findClass } from '../shapes/labels.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import { areMarksCompared } from '../../../kit/state/comparedSides.ts';
import type { Page } from '../../../kit/state/page.ts';
import { marksOf } from '../sync/marks.ts';
import { brushesOf } from './brushes.ts';
import { findGround, type PaintGround } from './paintGround.ts';
import type { PixelBox } from './paintStroke.ts';
import { listSeenMasks } from './seenMasks.ts';
import { createProposalDrawing } from '../tools/drawProposal.ts';
import { type Proposal, proposalsOf } from '../tools/proposals.ts';

const OPACITY = 0.45;
const CHOSEN_OPACITY = 0.6;

type Layer = { readonly canvas: HTMLCanvasElement; readonly context: CanvasRenderingContext2D };

/**
 * Draws the masks of a frame: all finished ones as one picture, and the one that is being painted as another, of which
 * only the pixels change that a stroke has reached.
 */
export function createBrushDrawing(
  page: Page,
  cell: number,
  canvas: HTMLCanvasElement,
): (shown: ShownFrame | undefined) => void {
  const finished = createLayer();
  const drawProposal = createProposalDrawing();
  const living = createLayer();
  const screen = canvas.getContext('2d');
  let drawnMarks: readonly unknown[] = [];
  let drawnScreen: readonly unknown[] = [];
  let live: { readonly mask: MaskBits; drawn: number } | undefined;

  const drawFinished = ({ screen: { image } }: ShownFrame, ground: PaintGround, marks: readonly unknown[]): void => {
    if (haveSameItems(marks, drawnMarks)) return;
    drawnMarks = marks;
    const state = brushesOf(page).getState();
    const { painted } = marksOf(page).getState();
    resize(finished, image);
    const pixels = finished.context.createImageData(image.width, image.height);
    for (const mark of listDrawn(page)) {
      const { uid, words, slide } = mark;
      if (slide !== undefined) continue;
      if (uid === state.live?.uid && state.live.key === ground.key) continue;
      if (uid === proposalOf(page)?.mark.uid) continue;
      paintColor(pixels.data, ground.read(mark), maskColorOf(page, words.class, uid === painted));
    }
    finished.context.putImageData(pixels, 0, 0);
  };

  const drawLive = ({ screen: { image } }: ShownFrame): boolean => {
    const { live: stroke } = brushesOf(page).getState();
    if (stroke === undefined) {
      live = undefined;
      return false;
    }
    const isNew = live?.mask !== stroke.mask;
    if (isNew) {
      resize(living, image);
      live = { mask: stroke.mask, drawn: 0 };
    }
    const color = maskColorOf(page, stroke.words.class, true);
    const whole = { left: 0, top: 0, right: image.width, bottom: image.height };
    const boxes = isNew ? [whole] : stroke.painted.slice(live?.drawn);
    for (const box of boxes) putBox(living, stroke.mask, box, color);
    if (live !== undefined) live.drawn = stroke.painted.length;
    return true;
  };

  return (shown) => {
    if (screen === null) return;
    const { live: stroke } = brushesOf(page).getState();
    const { painted } = marksOf(page).getState();
    const list = listDrawn(page);
    const proposal = proposalOf(page);
    const isAny = list.length > 0 || stroke !== undefined || proposal !== undefined;
    const ground = shown && isAny ? findGround(page, cell, shown) : undefined;
    const marks = [ground?.key, list, painted, stroke?.uid, stroke?.key, proposal?.mark.uid, colorsKey(page, list)];
    const now = [...marks, shown?.screen, stroke, proposal?.planned, proposal?.mark];
    if (haveSameItems(now, drawnScreen)) return;
    drawnScreen = now;
    const ratio = shown?.screen.pixelRatio ?? 1;
    canvas.width = Math.round((shown?.screen.width ?? 0) * ratio);
    canvas.height = Math.round((shown?.screen.height ?? 0) * ratio);
    if (shown === undefined || ground === undefined) return;
    drawFinished(shown, ground, marks);
    const isLiving = stroke?.key === ground.key && drawLive(shown);
    const [a, b, c, d, e, f] = shown.screen.imageToScreen;
    screen.setTransform(a * ratio, b * ratio, c * ratio, d * ratio, e * ratio, f * ratio);
    screen.imageSmoothingEnabled = false;
    screen.drawImage(finished.canvas, 0, 0);
    if (isLiving) screen.drawImage(living.canvas, 0, 0);
    if (proposal !== undefined)
      drawProposal(screen, proposal, ground, maskColorOf(page, proposal.mark.words.class, true));
  };
}

/** A preview is shown by all cells, because most changes reach through several images. */
function proposalOf(page: Page): Proposal | undefined {
  return proposalsOf(page).getState().proposal;
}

/** In a comparison, masks are drawn as what is right and wrong about them. */
function listDrawn(page: Page): ReturnType<typeof listSeenMasks> {
  return areMarksCompared(page) ? NO_MASKS : listSeenMasks(page);
}

const NO_MASKS: ReturnType<typeof listSeenMasks> = [];

function createLayer(): Layer {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser does not have enough memory for a mask.');
  return { canvas, context };
}

/** Also clears it. */
function resize({ canvas }: Layer, { width, height }: { readonly width: number; readonly height: number }): void {
  canvas.width = width;
  canvas.height = height;
}

/** 0 to 255. */
export type MaskColor = readonly [red: number, green: number, blue: number, alpha: number];

export function maskColorOf(page: Page, key: string | null, isChosen: boolean): MaskColor {
  const hex = Number.parseInt((findClass(page, key)?.color ?? PLAIN_MASK).slice(1), 16);
  return [hex >> 16, (hex >> 8) & 255, hex & 255, Math.round(255 * (isChosen ? CHOSEN_OPACITY : OPACITY))];
}

export function colorsKey(page: Page, list: ReturnType<typeof listSeenMasks>): string {
  return list.map(({ words }) => findClass(page, words.class)?.color).join();
}

/** Later masks cover earlier ones. */
function paintColor(pixels: Uint8ClampedArray, { bits }: MaskBits, color: MaskColor): void {
  for (let at = bits.indexOf(1); at >= 0 && at < bits.length; at += 1) {
    if (bits[at] === 1) pixels.set(color, at * 4);
  }
}

function putBox({ context }: Layer, mask: MaskBits, { left, top, right, bottom }: PixelBox, color: MaskColor): void {
  const [width, height] = [right - left, bottom - top];
  if (width <= 0 || height <= 0) return;
  const pixels = context.createImageData(width, height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      if (mask.bits[(top + row) * mask.columns + left + column] === 1)
        pixels.data.set(color, (row * width + column) * 4);
    }
  }
  context.putImageData(pixels, left, top);
}
