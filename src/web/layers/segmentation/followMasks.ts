import type { FrameAddress } from '../../api/frames.ts';
import { cellOf, stackOfCell } from '../../state/cells.ts';
import { shownLayersOf, layersOf } from '../../state/layers.ts';
import type { Page } from '../../state/page.ts';
import { findShownFrame } from '../../pictures/shownFrame.ts';
import type { StackFrame } from '../../state/stacks.ts';
import { frameOnScreen, reportOf, viewportsStore } from '../../state/viewports.ts';
import { scaleMatrix } from '../../pictures/viewTransform.ts';
import { describeDamagedMasks } from './describeSegment.ts';
import { createMaskDrawer, type DrawnMasks } from './drawMasks.ts';
import type { MaskWish } from './maskLoader.ts';
import { masksOf } from './pageMasks.ts';
import { createSegmentLooks } from './segmentLooks.ts';
import { stylesOf } from './segmentStyles.ts';
import { hasMasks, summariesOf } from './summaries.ts';

/** Images on each side whose masks are prefetched when the user pauses. */
const AHEAD = 3;
const REST_MS = 200;

export type MaskOptions = {
  readonly page: Page;
  readonly cell: number;
  readonly canvas: HTMLCanvasElement;
  readonly onNotes: (notes: MaskNotes) => void;
};

export type MaskNotes = {
  /** Why masks of the shown image are missing; undefined if they are present or loading. */
  readonly failure: Error | undefined;
  /** Which of the masks on the screen are cut or damaged in the file. */
  readonly damage: string | undefined;
};

/**
 * Keeps a canvas in step with the frame that the cell shows. It draws immediately after the cell has drawn, because one
 * animation frame later a mask would lie over the next image.
 */
export function followMasks({ page, cell, canvas, onNotes }: MaskOptions): () => void {
  const [masks, summaries] = [masksOf(page), summariesOf(page)];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser gives no 2D canvas');
  const drawer = createMaskDrawer();
  const lookOf = createSegmentLooks(page);
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  let soon: readonly MaskWish[] = [];
  let lastFrame: StackFrame | undefined;
  let lastReport: unknown;

  const draw = () => {
    const shown = findShownFrame(cell);
    const wishes =
      shown === undefined ? [] : listWishes(page, cell, { fileIndex: shown.file.index, frame: shown.frame });
    const drawn: DrawnMasks[] = [];
    let missing = 0;
    let failure: Error | undefined;
    const damaged: Parameters<typeof describeDamagedMasks>[0][number][] = [];
    for (const wish of wishes) {
      const summary = summaries.find(wish.segmentation);
      const outcome = masks.find(wish);
      if (outcome === undefined) missing += 1;
      if (outcome?.status === 'failed') failure = outcome.error;
      if (summary !== undefined && outcome?.status === 'ready') {
        drawn.push({ masks: outcome.value, look: lookOf(summary) });
        for (const mask of outcome.value.damaged) damaged.push({ ...mask, segments: summary.segments });
      }
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (shown !== undefined) fit(canvas, shown.screen);
    context.clearRect(0, 0, canvas.width, canvas.height);
    const { screen } = shown ?? {};
    if (screen !== undefined) drawer.draw(context, drawn, scaleMatrix(screen.imageToScreen, screen.pixelRatio));
    // For tests and for saving pictures: the image that the masks belong to, and whether all are loaded.
    canvas.dataset['masks'] = missing > 0 ? 'loading' : String(drawn.length);
    canvas.dataset['image'] = shown === undefined ? '' : `${shown.file.index}/${shown.frame}`;
    onNotes({ failure, damage: describeDamagedMasks(damaged) });
    want(wishes);
  };

  const want = (now: readonly MaskWish[]) => {
    const frame = frameOnScreen(cell)?.frame;
    if (frame !== lastFrame) {
      soon = [];
      clearTimeout(restTimer);
      restTimer = setTimeout(rest, REST_MS);
    }
    lastFrame = frame;
    masks.want(cell, { now, soon });
  };
  const rest = () => {
    soon = listSoon(page, cell);
    draw();
  };
  const followReport = () => {
    const report = reportOf(cell);
    if (report === lastReport) return;
    lastReport = report;
    draw();
  };

  const stops = [
    viewportsStore.subscribe(followReport),
    layersOf(page).subscribe(draw),
    summaries.changes.subscribe(draw),
    stylesOf(page).subscribe(draw),
    masks.onOutcome(draw),
  ];
  draw();
  return () => {
    for (const stop of stops) stop();
    clearTimeout(restTimer);
    masks.want(cell, { now: [], soon: [] });
  };
}

function listWishes(page: Page, cell: number, { fileIndex, frame }: FrameAddress): MaskWish[] {
  const { shown, areVisible } = shownLayersOf(page, cell);
  if (!areVisible) return [];
  return shown.flatMap((segmentation) => {
    const summary = summariesOf(page).find(segmentation);
    return summary !== undefined && hasMasks(summary, fileIndex, frame) ? [{ segmentation, fileIndex, frame }] : [];
  });
}

/** Nearest first; empty while cine plays. */
function listSoon(page: Page, cell: number): MaskWish[] {
  const { position, cine } = cellOf(page, cell);
  const frames = stackOfCell(page, cell)?.frames;
  if (frames === undefined || cine.playing) return [];
  const around = Array.from({ length: AHEAD }, (_, i) => [position + i + 1, position - i - 1]).flat();
  return around.flatMap((at) => {
    const address = frames[at];
    return address === undefined ? [] : listWishes(page, cell, address);
  });
}

function fit(
  canvas: HTMLCanvasElement,
  { width, height, pixelRatio }: { width: number; height: number; pixelRatio: number },
) {
  const [across, down] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
}
