import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { comparePictures, EQUAL, recordOf } from '../support/comparePictures.ts';
import { ctElements } from '../support/ctElements.ts';
import { breakGpu, countGpuDraws, hideGpu, loseGpu, openOnGpu, pretendGpu } from '../support/pretendedGpu.ts';
import { serveShared } from '../support/serve.ts';
import { drag, settle, showsImage } from '../support/viewerPage.ts';

const SOFTWARE = 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)';

/** More pixels than the CPU windows in one step. */
const LARGE = { rows: 1510, columns: 1401 };
const LARGE_IMAGE = writeDicom(
  ctElements({
    Rows: LARGE.rows,
    Columns: LARGE.columns,
    PixelData: Uint16Array.from({ length: LARGE.rows * LARGE.columns }, (_, i) => (i * 2_654_435_761) % 4093),
  }),
);

/** Digest of all pixels on the canvas. */
function digestOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"] canvas');
    const image = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
    if (image === undefined) throw new Error('there is no canvas');
    return new Uint8Array(await crypto.subtle.digest('SHA-256', image.data)).join();
  });
}

test('an image that does not lie pixel on pixel is as smooth as without a graphics card', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const onGpu = await openOnGpu(server);
  const plain = await openPage();
  await plain.page.goto(server.baseUrl);
  await showsImage(plain.page);

  for (const key of ['0', 'i', 'Alt+r', '+']) {
    for (const { page } of [onGpu, plain]) await page.keyboard.press(key);
    // The better filter is applied once the user pauses.
    await expect.poll(async () => (await digestOf(onGpu.page)) === (await digestOf(plain.page))).toBe(true);
  }
});

test('dragging the window of a large image draws the whole image at every step', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const { page } = await openOnGpu(server);
  await page.evaluate(() => {
    const cell = document.querySelector<HTMLElement>('[data-cell="0"]');
    const seen: string[] = [];
    Object.assign(window, { seenQualities: seen });
    const note = () => seen.push(cell?.dataset['quality'] ?? 'none');
    new MutationObserver(note).observe(document.body, { attributes: true, subtree: true });
  });
  const before = await countGpuDraws(page);

  await drag(page, [500, 400], [600, 380]);
  await settle(page);

  expect(await countGpuDraws(page)).toBeGreaterThan(before);
  const qualities = await page.evaluate<string[]>('seenQualities');
  expect(qualities.length).toBeGreaterThan(0);
  expect(qualities.filter((quality) => quality !== 'exact')).toEqual([]);
});

test('when the graphics card is lost the image stays, and the processor draws the next', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const { page, complaints } = await openOnGpu(server);
  await page.keyboard.press('\\');
  const file = await recordOf(server);
  expect(await comparePictures(page, server, { file, frame: 0, window: '100w250' })).toEqual(EQUAL);
  const before = await digestOf(page);

  await loseGpu(page);
  await settle(page);
  const drawn = await countGpuDraws(page);

  expect(await digestOf(page)).toBe(before);
  expect(await comparePictures(page, server, { file, frame: 0, window: '900w800' })).toEqual(EQUAL);
  expect(await countGpuDraws(page)).toBe(drawn);
  expect(complaints).toEqual([]);
});

test('a canvas that was lost with the graphics card is drawn again when the card is restored', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const { page } = await openPage();
  await page.goto(server.baseUrl);
  await showsImage(page);
  const before = await digestOf(page);

  await page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"] canvas');
    canvas?.getContext('2d')?.reset();
    canvas?.dispatchEvent(new Event('contextrestored'));
  });

  await expect.poll(() => digestOf(page)).toBe(before);
});

test('software WebGL is not used for drawing', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const { page } = await openPage();
  await pretendGpu(page, SOFTWARE);
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));

  await drag(page, [500, 400], [600, 380]);
  await settle(page);

  expect(await countGpuDraws(page)).toBe(0);
});

test('a card that draws anything but what the table says is not used', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const { page } = await openPage();
  await pretendGpu(page);
  await breakGpu(page);
  await page.goto(server.baseUrl);
  await showsImage(page);
  await expect.poll(() => countGpuDraws(page)).toBe(1);

  await drag(page, [500, 400], [600, 380]);
  await settle(page);

  expect(await countGpuDraws(page)).toBe(1);
});

test('a browser without WebGL shows the same picture', async () => {
  const server = await serveShared(LARGE_IMAGE);
  const { page, complaints } = await openPage();
  await hideGpu(page);
  await page.goto(server.baseUrl);
  await showsImage(page);

  expect(await comparePictures(page, server, { file: await recordOf(server), frame: 0, window: '100w250' })).toEqual(
    EQUAL,
  );
  expect(complaints).toEqual([]);
});
