import { cellOf, cellsOf, NO_LINKS, setView } from '../kit/state/cells.ts';
import type { Page } from '../kit/state/page.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import type { Size } from '../kit/state/viewState.ts';
import { drawCell, paintCell } from './paintCell.ts';

export type CaptureChoice = {
  readonly withOverlays: boolean;
  /** `screen`: the cell as shown. `stored`: the whole image, one pixel for each stored one. */
  readonly size: 'screen' | 'stored';
};

/** Browsers do not provide larger canvases. */
const LONGEST_SIDE = 16_384;
const MOST_PIXELS = 100e6;
const PATIENCE_MS = 20_000;

/** Why the image cannot be saved pixel by pixel; undefined if it can. */
export function refuseStoredSize(page: Page, cell: number): string | undefined {
  const { screen, tiles } = reportOf(page, cell);
  if (tiles !== undefined) return 'For a slide, only the visible area can be saved.';
  if (screen === undefined) return 'No image is shown.';
  const { width, height } = storedSizeOf(page, cell);
  const isTooLarge = Math.max(width, height) > LONGEST_SIDE || width * height > MOST_PIXELS;
  return isTooLarge ? `${width} × ${height} pixels are too many for the browser.` : undefined;
}

/** What a cell shows as SVG, as large as on the screen. */
export async function captureDrawing(page: Page, cell: number, withOverlays: boolean): Promise<Blob> {
  const svg = await drawCell(findCell(page, cell), { withOverlays, ratio: devicePixelRatio });
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** The element of a cell that shows something. */
export function findCell(page: Page, cell: number): HTMLElement {
  const element = document.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
  if (element === null || reportOf(page, cell).screen === undefined) throw new Error('No image is shown.');
  return element;
}

/** A PNG picture of what a cell shows. */
export async function capturePicture(page: Page, cell: number, { withOverlays, size }: CaptureChoice): Promise<Blob> {
  const element = findCell(page, cell);
  const ratio = devicePixelRatio;
  const canvas =
    size === 'screen'
      ? await paintCell(element, { withOverlays, ratio })
      : await atStoredSize(page, cell, element, async () =>
          crop(page, await paintCell(element, { withOverlays, ratio }), cell),
        );
  return toPng(canvas);
}

export function toPng(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob === null) fail(new Error('The browser could not create an image of this size.'));
      else done(blob);
    }, 'image/png');
  });
}

/** In the orientation on the screen, in device pixels. */
export function storedSizeOf(page: Page, cell: number): Size {
  const { screen } = reportOf(page, cell);
  const { width = 0, height = 0, aspect = 1 } = screen?.image ?? {};
  const [across, down] = [width, Math.round(height * aspect)];
  return cellOf(page, cell).view.quarterTurns % 2 === 0
    ? { width: across, height: down }
    : { width: down, height: across };
}

/**
 * Enlarges the cell to the size of its image for a moment, so that all layers draw themselves exactly for that size.
 */
async function atStoredSize<T>(page: Page, cell: number, element: HTMLElement, run: () => Promise<T>): Promise<T> {
  const { view } = cellOf(page, cell);
  const { links } = cellsOf(page).getState();
  const { width, height } = storedSizeOf(page, cell);
  const ratio = devicePixelRatio;
  const box = { width: Math.ceil(width / ratio), height: Math.ceil(height / ratio) };
  cellsOf(page).setState({ links: NO_LINKS });
  Object.assign(element.style, {
    position: 'fixed',
    inset: '0 auto auto 0',
    width: `${box.width}px`,
    height: `${box.height}px`,
    zIndex: '-1',
  });
  try {
    setView(page, cell, { ...view, zoom: 1, center: undefined });
    await untilDrawn(() => {
      const { screen } = reportOf(page, cell);
      return isCellDrawn(page, cell, element) && screen?.zoom === 1 && Math.round(screen.width) === box.width;
    });
    return await run();
  } finally {
    for (const name of ['position', 'inset', 'width', 'height', 'z-index']) element.style.removeProperty(name);
    setView(page, cell, view);
    cellsOf(page).setState({ links });
  }
}

/** A cell has a whole number of CSS pixels, of which the image may need only a part. */
function crop(page: Page, canvas: HTMLCanvasElement, cell: number): HTMLCanvasElement {
  const { width, height } = storedSizeOf(page, cell);
  if (canvas.width === width && canvas.height === height) return canvas;
  const cropped = document.createElement('canvas');
  Object.assign(cropped, { width, height });
  const [left, top] = [Math.round(canvas.width / 2 - width / 2), Math.round(canvas.height / 2 - height / 2)];
  cropped.getContext('2d', { alpha: false })?.drawImage(canvas, -left, -top);
  return cropped;
}

/** Whether a cell shows the exact picture, and the masks and errors over it. */
export function isCellDrawn(page: Page, cell: number, element: HTMLElement): boolean {
  const { status, quality } = reportOf(page, cell);
  const masks = element.querySelector<HTMLElement>('[data-masks]')?.dataset['masks'];
  const errors = element.querySelector<HTMLElement>('[data-errors]')?.dataset['errors'];
  return status === 'ready' && quality === 'exact' && masks !== 'loading' && errors !== 'loading';
}

export async function untilDrawn(isSo: () => boolean): Promise<void> {
  const start = performance.now();
  do {
    if (performance.now() - start > PATIENCE_MS) throw new Error('The image did not load in time.');
    // Two frames, because what follows an image is drawn in the next animation frame.
    for (let i = 0; i < 2; i++) await new Promise((drawn) => requestAnimationFrame(drawn));
  } while (!isSo());
}
