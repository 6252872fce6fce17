import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { serve } from '../support/serve.ts';
import { levelOf, SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { openViewer, projectionOf, settle, showsImage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };
const UNDECLARED = { WindowCenter: undefined, WindowWidth: undefined };

/**
 * Five images without a declared window. Sample i of image n is (n + 1) i, so that their percentiles all differ. With a
 * rescale slope of 1 and an intercept of -1024, values start at -1024.
 */
function writeImages(more: Parameters<typeof writeSlice>[1] = {}): Uint8Array[] {
  return Array.from({ length: 5 }, (_, number) =>
    writeSlice(
      { number },
      {
        ...UNDECLARED,
        RescaleIntercept: '0',
        PixelData: Int16Array.from({ length: SLICE_ROWS * SLICE_COLUMNS }, (_sample, i) => (number + 1) * i),
        ...more,
      },
    ),
  );
}

async function levelAt(cell: Locator, x: number, y: number): Promise<number> {
  const at = await projectionOf(cell, IMAGE, {});
  const canvas = cell.locator('canvas').first();
  const box = await canvas.boundingBox();
  const [pageX, pageY] = at(x + 0.5, y + 0.5);
  return canvas.evaluate(
    (element, [left, top]) => {
      if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
      return element.getContext('2d')?.getImageData(left ?? 0, top ?? 0, 1, 1).data[0] ?? -1;
    },
    [Math.floor(pageX - (box?.x ?? 0)), Math.floor(pageY - (box?.y ?? 0))],
  );
}

async function windowText(page: Page): Promise<string> {
  const texts = await page.locator('[data-cell="0"] p:not([hidden])').allInnerTexts();
  return /W .*$/m.exec(texts.join('\n'))?.[0] ?? '';
}

async function scrollThrough(page: Page): Promise<string[]> {
  const seen: string[] = [];
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('Home');
  for (let position = 0; position < 5; position++) {
    await showsImage(page, position);
    await settle(page);
    seen.push(await windowText(page));
    await page.keyboard.press('ArrowDown');
  }
  return seen;
}

test('images without a window share one, which says how it was chosen; one window per image is a choice that lasts', async () => {
  const viewer = await openViewer(await serve(...writeImages()));
  const { page, cell, requests, complaints } = viewer;
  await cell.getByText('stack: 1–99 % of 5 images').waitFor();

  const shared = await scrollThrough(page);
  expect(new Set(shared).size).toBe(1);
  expect(requests.filter((url) => url.endsWith('/percentiles'))).toHaveLength(5);
  const [, width, center] = /W (\S+) L (\S+)/.exec(shared[0] ?? '') ?? [];
  // In the last image sample i is 5 i. At column 20 and row 10 that is 5 (10 * 30 + 20).
  const window = { width: Number(width), center: Number(center) };
  expect(Math.abs((await levelAt(cell, 20, 10)) - levelOf(1600, window))).toBeLessThanOrEqual(1);

  // The server's own picture of one frame uses the percentiles of that frame: samples 6 and 594 of image 1.
  const { headers } = await page.request.get(new URL('api/file/0/frame/0', page.url()).href).then((response) => ({
    headers: response.headers(),
  }));
  expect([headers['x-frame-window-center'], headers['x-frame-window-width']]).toEqual(['299.5', '589']);

  await page.keyboard.press('Shift+W');
  await cell.getByText('stack:').waitFor({ state: 'detached' });
  expect(new Set(await scrollThrough(page)).size).toBe(5);
  await page.waitForFunction(() => location.hash.endsWith('.1.5,1,slice'));

  await page.reload();
  await showsImage(page, 4);
  await settle(page);
  await expect.poll(() => windowText(page)).toContain('1–99 %');
  await page.getByRole('button', { name: /^Window: Per image/ }).click();
  await page.getByRole('menuitemradio', { name: /One window for the stack/ }).click();
  await cell.getByText('stack: 1–99 % of 5 images').waitFor();
  expect(complaints).toEqual([]);
});

test('images that declare windows keep them until the user chooses one for the stack', async () => {
  const images = writeImages().map((_, number) =>
    writeSlice({ number }, { WindowCenter: String(100 * (number + 1)), WindowWidth: '200' }),
  );
  const { page, cell, requests } = await openViewer(await serve(...images));
  await page.getByText('1 / 5').first().waitFor();
  expect(new Set(await scrollThrough(page)).size).toBe(5);
  expect(requests.filter((url) => url.endsWith('/percentiles'))).toEqual([]);

  await page.keyboard.press('Shift+W');
  await cell.getByText('stack: 1–99 % of 5 images').waitFor();
  expect(new Set(await scrollThrough(page)).size).toBe(1);
});

test('the window of a stack is requested in parallel with its first image; if it arrives first, brightness never changes', async () => {
  const others = writeImages().map((_, number) =>
    writeSlice(
      { number, series: 2 },
      {
        ...UNDECLARED,
        RescaleIntercept: '0',
        PixelData: Int16Array.from({ length: SLICE_ROWS * SLICE_COLUMNS }, (_sample, i) => (5 - number) * i),
      },
    ),
  );
  const { page, cell } = await openViewer(await serve(...writeImages(), ...others));
  await cell.getByText('stack: 1–99 % of 5 images').waitFor();
  const release = await holdRequests(page, '**/api/file/5/frame/0/raw*');
  const windows: string[] = [];
  await page.exposeFunction('noteWindow', (text: string) => void windows.push(text));
  await page.evaluate(() => {
    const note: (text: string) => void = Object.assign(globalThis).noteWindow;
    const figure = document.querySelector('[data-cell="0"]');
    const look = () => {
      const [text] = /W [\d.]+ L [\d.-]+/.exec(figure?.textContent ?? '') ?? [];
      if (text !== undefined && figure?.getAttribute('data-status') === 'ready') note(text);
    };
    new MutationObserver(look).observe(figure!, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });

  const answers = Promise.all(
    [5, 6, 7, 8, 9].map((index) =>
      page.waitForResponse((response) => response.url().endsWith(`/file/${index}/frame/0/percentiles`)),
    ),
  );
  await page.getByRole('treeitem', { name: /Series 2/ }).click();
  await answers;
  windows.length = 0;
  release();
  await cell.getByText('stack: 1–99 % of 5 images').waitFor();
  await settle(page);

  expect(new Set(windows).size).toBe(1);
});

/** Notes every window with which the first cell shows an image, from the start of the page. */
async function noteWindows(page: Page): Promise<string[]> {
  const windows: string[] = [];
  await page.exposeFunction('noteWindow', (text: string) => void windows.push(text));
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      const cell = document.querySelector('[data-cell="0"]');
      const [text] = /W [\d.]+ L [\d.-]+/.exec(cell?.textContent ?? '') ?? [];
      if (text !== undefined) Object.assign(globalThis).noteWindow(text);
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  return windows;
}

test('the first image of a page has the window of its stack if that is known in time, and does not wait long for it', async () => {
  const server = await serve(...writeImages());
  const { page, requests } = await openPage();
  const windows = await noteWindows(page);
  const releaseImage = await holdRequests(page, '**/api/file/0/frame/0/raw*');
  const answers = Promise.all(
    [0, 1, 2, 3, 4].map((index) =>
      page.waitForResponse((response) => response.url().endsWith(`/file/${index}/frame/0/percentiles`)),
    ),
  );
  await page.goto(server.baseUrl);
  // They are requested although the image is not there yet, for which everything else waits.
  await answers;
  expect(requests.filter((url) => url.endsWith('/api/events'))).toEqual([]);
  releaseImage();
  await showsImage(page);
  await page.getByText('stack: 1–99 % of 5 images').waitFor();
  expect(new Set(windows).size).toBe(1);

  const release = await holdRequests(page, '**/percentiles*');
  await page.reload();
  // With its own window: samples 6 to 594 of image 1.
  await page.getByText('W 589 L 299.5').waitFor();
  release();
  await page.getByText('stack: 1–99 % of 5 images').waitFor();
});

test('PET without a window is shown from 0 to 5 SUV', async () => {
  const pet = writeImages({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.128',
    Modality: 'PT',
    Units: 'GML',
    RescaleSlope: '0.001',
  });
  const { page, cell } = await openViewer(await serve(...pet));
  await cell.getByText('stack: SUV 0–5').waitFor();
  await expect.poll(() => windowText(page)).toBe('W 5 L 2.5 SUVbw stack: SUV 0–5');
});
