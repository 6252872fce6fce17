import { visibleCells } from '../show/pictures/shownFrame.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import type { Page } from '../kit/state/page.ts';
import { type CaptureChoice, capturePicture, toPng } from './capturePicture.ts';
import { paintCell } from './paintCell.ts';

export type ViewCapture = CaptureChoice & {
  /** Undefined: all cells on the screen, as they lie there. */
  readonly cell: number | undefined;
};

/** A PNG picture of one cell, or of all cells that the page shows. */
export async function captureView(page: Page, { cell, withOverlays, size }: ViewCapture): Promise<Blob> {
  const cells = visibleCells(page);
  const [only] = cells;
  if (cell !== undefined || cells.length === 1) {
    return capturePicture(page, cell ?? only ?? 0, { withOverlays, size });
  }
  const elements = cells.flatMap((one) => document.querySelector<HTMLElement>(`[data-cell="${one}"]`) ?? []);
  if (!cells.some((one) => reportOf(page, one).screen !== undefined)) throw new Error('No image is shown.');
  const ratio = devicePixelRatio;
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((Math.max(...boxes.map((box) => box.right)) - left) * ratio);
  canvas.height = Math.round((Math.max(...boxes.map((box) => box.bottom)) - top) * ratio);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('The browser does not have enough memory for an image of this size.');
  for (const [at, element] of elements.entries()) {
    const painted = await paintCell(element, { withOverlays, ratio });
    const box = boxes[at];
    if (box === undefined || painted.width === 0 || painted.height === 0) continue;
    context.drawImage(painted, Math.round((box.left - left) * ratio), Math.round((box.top - top) * ratio));
  }
  return toPng(canvas);
}
