import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTab, type TestPage } from './browser.ts';
import type { SharedServer } from './serve.ts';

export type ViewerPage = TestPage & {
  /** The first cell of the grid. */
  readonly cell: Locator;
};

export type ViewerOptions = {
  readonly width?: number;
  readonly height?: number;
  /** The part of the URL after the slash. */
  readonly address?: string;
  /** Position in its stack of the image that is shown first. */
  readonly position?: number;
};

/** Opens the viewer and waits until it shows an image. */
export async function openViewer(server: SharedServer, options: ViewerOptions = {}): Promise<ViewerPage> {
  const opened = await openTab(server);
  const { page } = opened;
  await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 800 });
  await page.goto(`${server.baseUrl}/${options.address ?? ''}`);
  const cell = page.locator('[data-cell="0"]');
  await showsImage(page, options.position);
  return { ...opened, cell };
}

/**
 * Waits until the first cell shows the frame at this position of the stack exactly, and all parts of the page are
 * loaded.
 */
export async function showsImage(page: Page, position = 0): Promise<void> {
  await page.locator(`html[data-parts="all"] ${imageAt(position)}`).waitFor();
}

/** Waits for the image only. The page may not respond to keys yet. */
export async function showsFirstImage(page: Page): Promise<void> {
  await page.locator(imageAt(0)).waitFor();
}

function imageAt(position: number): string {
  return `[data-cell="0"][data-status="ready"][data-quality="exact"][data-shown="${position}"]`;
}

export type View = {
  /** CSS pixels per image column; undefined shows the whole image. */
  readonly zoom?: number;
  /** Quarter turns clockwise. */
  readonly turns?: number;
  readonly flipHorizontal?: boolean;
  readonly flipVertical?: boolean;
};

export type ImageSize = {
  readonly rows: number;
  readonly columns: number;
  /** Height of a pixel over its width. */
  readonly aspect?: number;
};

/**
 * Converts image coordinates to page coordinates, independently of the page's own code: the centers of image and cell
 * coincide, a row is `aspect` times as high as a column is wide, and the image is rotated first and then flipped. The
 * corner of its first pixel is then moved to the nearest screen pixel, the later one of two, so that at 1:1 every image
 * pixel is one screen pixel.
 */
export async function projectionOf(
  cell: Locator,
  image: ImageSize,
  view: View,
): Promise<(x: number, y: number) => [number, number]> {
  const box = await cell.locator('canvas').first().boundingBox();
  if (box === null) throw new Error('the cell has no canvas on the page');
  const { turns = 0, flipHorizontal = false, flipVertical = false } = view;
  const [width, height] = [image.columns, image.rows * (image.aspect ?? 1)];
  const [across, down] = turns % 2 === 0 ? [width, height] : [height, width];
  const zoom = view.zoom ?? Math.min(box.width / across, box.height / down);
  const ratio = await cell.evaluate(() => devicePixelRatio);
  const fromMiddle = (x: number, y: number): [number, number] => {
    let [u, v] = [(x - image.columns / 2) * zoom, (y - image.rows / 2) * zoom * (image.aspect ?? 1)];
    for (let turn = 0; turn < turns; turn++) [u, v] = [-v, u];
    if (flipHorizontal) u = -u;
    if (flipVertical) v = -v;
    return [u, v];
  };
  const toScreenPixel = (middle: number, corner: number) => Math.round((middle + corner) * ratio) / ratio - corner;
  const [cornerX, cornerY] = fromMiddle(0, 0);
  const left = box.x + toScreenPixel(box.width / 2, cornerX);
  const top = box.y + toScreenPixel(box.height / 2, cornerY);
  return (x, y) => {
    const [u, v] = fromMiddle(x, y);
    return [left + u, top + v];
  };
}

/** Presses the mouse at one point of the page, moves in a few steps, and releases it at another. */
export async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await page.mouse.move(...to);
  await page.mouse.up();
}

/** Whether the browser would ask before it closes the tab. */
export function isHeld(page: Page): Promise<boolean> {
  return page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
}

/**
 * Loads the page again when it has saved everything. The server has a change before the page knows of it; until then
 * the browser asks whether to leave the page, also if the page learns of a restart of the server just then.
 */
export async function reload(page: Page): Promise<void> {
  await expect.poll(() => isHeld(page)).toBe(false);
  const asked = page.waitForEvent('dialog', { timeout: 0 }).then(async (dialog) => {
    await dialog.dismiss();
    return 'asked' as const;
  });
  // One of both never ends, and ends with the page.
  const loaded = page.reload().catch((error: unknown) => error);
  const first = await Promise.race([loaded, asked.catch(() => loaded)]);
  if (first === 'asked') return reload(page);
  if (first instanceof Error) throw first;
  return undefined;
}

/** Waits for two animation frames, after which the view that keys requested is on the screen. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
