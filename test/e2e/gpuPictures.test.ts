import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { comparePictures, compareRealFiles, EQUAL, listRealFolders, recordOf } from '../support/comparePictures.ts';
import { corpus } from '../support/corpus.ts';
import { ctElements } from '../support/ctElements.ts';
import { GRAY_CASES, GRAY_WINDOWS } from '../support/grayCases.ts';
import { breakGpu, countGpuDraws, hideGpu, loseGpu, pretendGpu } from '../support/pretendedGpu.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { drag, settle, showsImage } from '../support/viewerPage.ts';
import { CORPUS, needs } from '../support/needs.ts';

const UID = '1.2.826.0.1.3680043.10.69';
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

/** The viewer, drawing on a simulated graphics card. */
async function openOnGpu(server: SharedServer) {
  const opened = await openPage();
  await pretendGpu(opened.page);
  await opened.page.goto(server.baseUrl);
  await showsImage(opened.page);
  // The first drawing is the check that the card is exact.
  await expect.poll(() => countGpuDraws(opened.page)).toBeGreaterThan(0);
  return opened;
}

/** Digest of all pixels on the canvas. */
function digestOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"] canvas');
    const image = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
    if (image === undefined) throw new Error('there is no canvas');
    return new Uint8Array(await crypto.subtle.digest('SHA-256', image.data)).join();
  });
}

test('on a graphics card the canvas has the samples of the server’s picture, for every source of the window', async () => {
  const server = await serveShared(
    ...GRAY_CASES.map(({ elements }, i) => writeDicom({ ...elements, SOPInstanceUID: `${UID}.${i}` })),
  );
  const { page, complaints } = await openOnGpu(server);
  const different: unknown[] = [];
  const drawnByCard: string[] = [];

  for (const [i, { name }] of GRAY_CASES.entries()) {
    const before = await countGpuDraws(page);
    for (const window of GRAY_WINDOWS) {
      const file = await recordOf(server, `${UID}.${i}`);
      const found = await comparePictures(page, server, { file, frame: 0, window });
      if (found.different !== 0) different.push({ name, window, ...found });
    }
    if ((await countGpuDraws(page)) > before) drawnByCard.push(name);
  }

  expect(different).toEqual([]);
  // The server draws what a table cannot express, and tables that are not sent with the samples.
  const byServer = ['a modality lookup table', 'an overlay', 'a shutter'];
  expect(drawnByCard).toEqual(
    expect.arrayContaining(GRAY_CASES.map(({ name }) => name).filter((name) => !byServer.includes(name))),
  );
  expect(complaints).toEqual([]);
}, 120_000);

test(
  'of real files of every kind, those with floats, 32 bits or colors too',
  { ...needs(CORPUS), timeout: 600_000 },
  async () => {
    const server = await serveShared(...(await listRealFolders(corpus ?? '')));
    const { page } = await openOnGpu(server);
    const before = await countGpuDraws(page);

    const { different, compared } = await compareRealFiles(page, server);

    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(30);
    expect((await countGpuDraws(page)) - before).toBeGreaterThan(60);
  },
);

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
