import { updateCell } from '../../kit/state/cells.ts';
import { sayOutcome } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { download } from '../../kit/ui/download.ts';
import { reportOf } from '../../show/pictures/viewports.ts';
import { isCellDrawn, toPng, untilDrawn } from '../capturePicture.ts';
import { paintCell } from '../paintCell.ts';
import { namePicture } from '../pictureName.ts';
import { findSpread, lightboxOf } from './lightbox.ts';
import { cellOfPlace } from './lightboxCells.ts';

/** Browsers do not provide larger canvases. */
const LONGEST_SIDE = 16_384;
const MOST_PIXELS = 100e6;
const GAP_PX = 4;

/** Saves the selected pictures, or all of them, as one picture, in as many columns as on the screen. */
export async function saveSpread(page: Page): Promise<void> {
  await sayOutcome(page, async () => {
    const { cell, columns, selected } = lightboxOf(page).getState();
    const picture = cell === undefined ? undefined : findSpread(page, cell);
    if (cell === undefined || picture === undefined) throw new Error('No image is shown.');
    const all = Array.from({ length: picture.positions }, (_, position) => position);
    const chosen = selected.size === 0 ? all : all.filter((position) => selected.has(position));
    const name = namePicture(page, cell, { isWhole: true });
    download(await paintSpread(page, chosen, Math.min(columns, chosen.length)), name);
    return `Saved ${name}.`;
  });
}

/** Draws one picture after the other into the cell for it, and waits for each, so that none is missing or a preview. */
async function paintSpread(page: Page, positions: readonly number[], columns: number): Promise<Blob> {
  const cell = cellOfPlace(0);
  const element = document.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
  if (element === null) throw new Error('No image is shown.');
  const ratio = devicePixelRatio;
  const box = element.getBoundingClientRect();
  const [width, height, gap] = [box.width, box.height, GAP_PX].map((px) => Math.round(px * ratio));
  const canvas = document.createElement('canvas');
  const rows = Math.ceil(positions.length / columns);
  canvas.width = columns * (width! + gap!) - gap!;
  canvas.height = rows * (height! + gap!) - gap!;
  if (Math.max(canvas.width, canvas.height) > LONGEST_SIDE || canvas.width * canvas.height > MOST_PIXELS) {
    throw new Error(
      `${positions.length} images of this size are too many for one picture: select some, or take more columns.`,
    );
  }
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('The browser does not have enough memory for an image of this size.');
  for (const [at, position] of positions.entries()) {
    updateCell(page, cell, { position });
    await untilDrawn(() => {
      if (lightboxOf(page).getState().cell === undefined) throw new Error('The lightbox was closed.');
      const { status, shown } = reportOf(page, cell);
      // One that cannot be shown is left black.
      return status === 'failed' || (shown?.position === position && isCellDrawn(page, cell, element));
    });
    if (reportOf(page, cell).status === 'failed') continue;
    const painted = await paintCell(element, { withOverlays: true, ratio });
    context.drawImage(painted, (at % columns) * (width! + gap!), Math.floor(at / columns) * (height! + gap!));
  }
  return toPng(canvas);
}
