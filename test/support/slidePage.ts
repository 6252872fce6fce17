import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { openTab, type TestPage } from './browser.ts';
import { serve, serveShared, type SharedServer, type TestServer } from './serve.ts';
import { getSharedFolder } from './tempFolder.ts';
import { colorOfTile, type LevelShape, type PyramidOptions, type Rgb, writePyramid } from './slidePyramid.ts';

/** UID of the largest level of `writePyramid`. */
export const LARGEST_UID = '1.2.826.0.1.3680043.8.498.80.1';

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'negato-slide-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type SlidePage<Server = SharedServer> = TestPage & { readonly server: Server; readonly cell: Locator };

export async function openSlide(input: string, address = ''): Promise<SlidePage<TestServer>> {
  return openSlideOf(await serve(input), address);
}

/** Opens a pyramid that tests only read: they share its files and its server, because writing the files takes long. */
export async function openPyramid(pyramid: PyramidOptions, address = ''): Promise<SlidePage> {
  return openSlideOf(await serveShared(getPyramid(pyramid)), address);
}

/** Opens the largest level of the same files alone. */
export async function openLargestLevel(pyramid: PyramidOptions): Promise<SlidePage> {
  return openSlideOf(await serveShared(join(getPyramid(pyramid), 'level-0.dcm')), '');
}

function getPyramid(pyramid: PyramidOptions): string {
  return getSharedFolder(JSON.stringify(pyramid), (empty) => writePyramid(empty, pyramid));
}

/** Opens a pyramid on a server of its own, which the test may edit. `prepare` runs before the page is opened. */
export async function openOwnPyramid(
  pyramid: PyramidOptions,
  address: string,
  prepare: (server: TestServer) => Promise<void>,
): Promise<SlidePage<TestServer>> {
  const server = await serve(writePyramid(createFolder(), pyramid));
  await prepare(server);
  return openSlideOf(server, address);
}

async function openSlideOf<Server extends SharedServer>(server: Server, address: string): Promise<SlidePage<Server>> {
  const opened = await openTab(server);
  await opened.page.setViewportSize({ width: 1280, height: 800 });
  await opened.page.goto(`${server.baseUrl}/${address}`);
  await showsSlide(opened.page);
  return { ...opened, server, cell: opened.page.locator('[data-cell="0"]') };
}

/** Waits until all tiles of the view are loaded at full screen resolution. */
export async function showsSlide(page: Page): Promise<void> {
  await page.locator('[data-cell="0"] canvas[data-slide]').waitFor();
  // After two animation frames the view is drawn, and its requests are under way.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(undefined)))),
  );
  // Loading hundreds of tiles takes long on a busy machine.
  await page.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"]').waitFor({ timeout: 60_000 });
}

/** Colors of the canvas at points relative to its center. */
export async function colorsAt(cell: Locator, points: readonly (readonly [number, number])[]): Promise<Rgb[]> {
  return cell.locator('canvas[data-slide]').evaluate((element, wanted) => {
    if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
    const context = element.getContext('2d');
    return wanted.map(([x, y]): [number, number, number] => {
      const [left, top] = [Math.round(element.width / 2 + x), Math.round(element.height / 2 + y)];
      const [red = 0, green = 0, blue = 0] = context?.getImageData(left, top, 1, 1).data ?? [];
      return [red, green, blue];
    });
  }, points);
}

export async function middleOf(cell: Locator): Promise<[number, number]> {
  const box = await cell.boundingBox();
  if (box === null) throw new Error('the cell is not on the page');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** The x, y and zoom of the view from the address, which is updated shortly after the view. */
export async function placeOf(page: Page): Promise<number[]> {
  const hash = await page.evaluate(() => location.hash);
  return (/cell=[^,&]*,\d+,[^,&]*,([^,&]+)/.exec(hash)?.[1] ?? '').split('_').map(Number);
}

export function at(x: number, y: number, zoom: number, frameNumber = 1): string {
  return `#cell=${LARGEST_UID},${frameNumber},,${x}_${y}_${zoom}`;
}

/** The color of the tile of a level that contains a point given in coordinates of the largest level. */
export function colorOf(levels: readonly LevelShape[], level: number, x: number, y: number): Rgb {
  const { width, height, tile } = levels[level]!;
  const [scaleX, scaleY] = [levels[0]!.width / width, levels[0]!.height / height];
  return colorOfTile(level, Math.floor(x / scaleX / tile), Math.floor(y / scaleY / tile));
}
