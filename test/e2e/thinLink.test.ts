import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { moveBehindThinLink } from '../support/thinLink.ts';
import { projectionOf, showsImage } from '../support/viewerPage.ts';

const CELL = '[data-cell="0"]';

type Size = { readonly rows: number; readonly columns: number };

/** Each sample is computed from its column and row, so that a readout shows whether it is the right one. */
function writeSlice(number: number, { rows, columns }: Size): Uint8Array {
  const sampleAt = (i: number) => (i % columns) + 3 * Math.floor(i / columns) - 1000;
  return writeDicom(
    ctElements({
      SOPInstanceUID: `1.2.826.0.1.3680043.10.70.${number}`,
      InstanceNumber: String(number),
      Rows: rows,
      Columns: columns,
      BitsAllocated: 16,
      BitsStored: 16,
      HighBit: 15,
      PixelRepresentation: 1,
      PixelData: Int16Array.from({ length: rows * columns }, (_, i) => sampleAt(i)),
    }),
  );
}

/** Opens a page without any cached data of the server. */
async function openOverThinLink(server: TestServer) {
  const opened = await openPage();
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 800 });
  await moveBehindThinLink(page);
  return { ...opened, cell: page.locator(CELL), open: () => page.goto(server.baseUrl) };
}

/** Holds matching requests of the page until the test lets them through. */
async function holdFrames(page: Page, isHeld: (url: URL) => boolean) {
  const held = new Map<string, Route[]>();
  await page.route(isHeld, (route) => {
    const { pathname } = new URL(route.request().url());
    held.set(pathname, [...(held.get(pathname) ?? []), route]);
  });
  const letThrough = async (pathname: string) => {
    await expect.poll(() => held.get(pathname)?.length ?? 0).toBeGreaterThan(0);
    // A request that the page has aborted meanwhile cannot continue.
    for (const route of held.get(pathname) ?? []) await route.continue().catch(() => undefined);
  };
  return { letThrough };
}

test('over a slow link samples arrive compressed, and each equals the stored one', async () => {
  const size = { rows: 300, columns: 400 };
  const server = await serve(writeSlice(1, size));
  const { page, cell, open, requests, complaints } = await openOverThinLink(server);

  await open();
  await showsImage(page);

  expect(requests.filter((url) => url.includes('/raw'))).toEqual([
    `${server.baseUrl}/api/file/0/frame/0/raw?filter=predicted`,
  ]);
  const at = await projectionOf(cell, size, {});
  await page.mouse.move(...at(150.5, 200.5));
  // 150 + 3 * 200 - 1000.
  await page.getByText('(150, 200)  -250').waitFor();
  expect(complaints).toEqual([]);
});

test('over a slow link a large image is a preview, labeled as such, until it is loaded in full', async () => {
  const size = { rows: 1_500, columns: 1_200 };
  const server = await serve(writeSlice(1, size));
  const { page, cell, open, requests } = await openOverThinLink(server);
  const { letThrough } = await holdFrames(page, ({ pathname }) => pathname.endsWith('/raw'));

  await open();
  await page.locator(`${CELL}[data-shown="0"][data-quality="preview"]`).waitFor();
  const badge = cell.getByText('preview', { exact: true });
  await badge.waitFor();
  await letThrough('/api/file/0/frame/0/raw');
  await showsImage(page);
  await badge.waitFor({ state: 'detached' });

  const frames = requests.filter((url) => /frame\/0\/(raw|thumbnail\?size=(512|1024))/.test(url));
  expect(frames.map((url) => new URL(url).pathname.split('/').at(-1))).toEqual(['thumbnail', 'raw']);
  const at = await projectionOf(cell, size, {});
  await page.mouse.move(...at(600.5, 700.5));
  await page.getByText('(600, 700)').waitFor();
});

test('scrolling faster than images load shows the latest loaded image of those passed', async () => {
  // A little more than one mebibyte each, because the cache display counts mebibytes.
  const size = { rows: 725, columns: 725 };
  const server = await serve(...Array.from({ length: 9 }, (_, i) => writeSlice(i + 1, size)));
  const { page } = await openPage();
  const { letThrough } = await holdFrames(page, ({ pathname }) => /\/file\/[1-9]\/frame\/0\/raw$/.test(pathname));
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.getByText('1 / 9').first().waitFor();
  await letThrough('/api/file/1/frame/0/raw');
  await page.getByText(/Cache 2 of/).waitFor();

  await page.locator(CELL).focus();
  await page.keyboard.press('End');
  await page.locator(`${CELL}[data-shown="1"][data-status="loading"]`).waitFor();

  await letThrough('/api/file/8/frame/0/raw');
  await showsImage(page, 8);
  expect(await page.locator(CELL).getAttribute('data-status')).toBe('ready');
});
