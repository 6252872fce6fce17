import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { comparePictures, recordOf } from '../support/comparePictures.ts';
import { ctElements } from '../support/ctElements.ts';
import { GRAY_CASES } from '../support/grayCases.ts';
import { countGpuDraws, pretendGpu } from '../support/pretendedGpu.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { settle, showsImage } from '../support/viewerPage.ts';

const UID = '1.2.826.0.1.3680043.10.71';
/** More pixels than the page paints in one step. With an overlay, the server draws the picture. */
const LARGE = { Rows: 1510, Columns: 1401 };
const LARGE_CASES = [
  { name: 'many samples', elements: largeElements({}) },
  {
    name: 'a large picture of the server',
    elements: largeElements({
      OverlayRows: LARGE.Rows,
      OverlayColumns: LARGE.Columns,
      OverlayType: 'G',
      OverlayOrigin: Int16Array.of(1, 1),
      OverlayBitsAllocated: 1,
      OverlayBitPosition: 0,
      OverlayData: new Uint8Array(Math.ceil((LARGE.Rows * LARGE.Columns) / 16) * 2).fill(1),
    }),
  },
];
const CASES = [...GRAY_CASES, ...LARGE_CASES];

function largeElements(more: Parameters<typeof ctElements>[0]) {
  const PixelData = Uint16Array.from({ length: LARGE.Rows * LARGE.Columns }, (_, i) => (i * 2_654_435_761) % 4093);
  return ctElements({ ...LARGE, PixelData, ...more });
}

/** The hot iron palette of PS3.6 B.1.1: red in the first half, then green, and blue in the last quarter. */
function hotIron(level: number): readonly number[] {
  const red = Math.min(255, level * 2);
  const green = level === 255 ? 255 : Math.max(0, (level - 128) * 2);
  const blue = level === 255 ? 255 : Math.max(0, (level - 191) * 4);
  return [red, green, blue];
}

const LOOKS = [
  { address: ',,,hot-iron', toColor: hotIron },
  // Levels are inverted before they are colored.
  { address: ',,0i,hot-iron', toColor: (level: number) => hotIron(255 - level) },
];

async function findDifferent(page: Page, server: SharedServer, every = 1): Promise<unknown[]> {
  const different: unknown[] = [];
  for (const [i, { name }] of CASES.entries()) {
    if (i % every !== 0) continue;
    const file = await recordOf(server, `${UID}.${i}`);
    for (const look of i % 4 === 0 ? LOOKS : LOOKS.slice(0, 1)) {
      const found = await comparePictures(page, server, { file, frame: 0, window: '', look });
      if (found.different !== 0) different.push({ name, look: look.address, ...found });
    }
  }
  return different;
}

test('a color map gives each level of the server’s picture its color, with every way of drawing', async () => {
  const server = await serveShared(
    ...CASES.map(({ elements }, i) => writeDicom({ ...elements, SOPInstanceUID: `${UID}.${i}` })),
  );
  const { page, complaints } = await openPage();
  await page.goto(server.baseUrl);
  await showsImage(page);
  expect(await findDifferent(page, server)).toEqual([]);

  // A key selects the color map, the legend shows the values at its ends, and the address names it.
  await page.evaluate((hash) => (location.hash = hash), `cell=${UID}.0,1,40w400`);
  await showsImage(page);
  await page.keyboard.press('k');
  await page.locator('[data-cell="0"]').getByText('Viridis').waitFor();
  await page.locator('[data-cell="0"]').getByText('240').waitFor();
  await page.locator('[data-cell="0"]').getByText('-160').waitFor();
  await page.waitForURL(/,,,viridis$/);
  await page.keyboard.press('Shift+Escape');
  await settle(page);
  await expect.poll(() => page.locator('[data-cell="0"]').getByText('Viridis').count()).toBe(0);
  expect(complaints).toEqual([]);
}, 180_000);

test('a graphics card colors as the processor does', async () => {
  const server = await serveShared(
    ...CASES.map(({ elements }, i) => writeDicom({ ...elements, SOPInstanceUID: `${UID}.${i}` })),
  );
  const { page, complaints } = await openPage();
  await pretendGpu(page);
  await page.goto(server.baseUrl);
  await showsImage(page);
  await expect.poll(() => countGpuDraws(page)).toBeGreaterThan(0);
  const before = await countGpuDraws(page);
  expect(await findDifferent(page, server, 5)).toEqual([]);
  expect(await countGpuDraws(page)).toBeGreaterThan(before);
  expect(complaints).toEqual([]);
}, 180_000);
