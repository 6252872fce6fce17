import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serveShared } from '../support/serve.ts';
import { openViewer, settle } from '../support/viewerPage.ts';

/** Slices 3 mm apart; a box of 12 columns, 8 rows and slices 2 to 5, which is 12 x 8 x 12 mm. */
const BOX = { segment: 1, top: 8, left: 10, rows: 8, columns: 12 };
const MASK = writeSegmentation({
  patches: [2, 3, 4, 5].map((slice) => ({ ...BOX, slice })),
  uid: '2.25.900',
  name: 'Box',
});

type Extent = { readonly width: number; readonly height: number; readonly left: number; readonly top: number };

/** The painted part of the layers of a cell, in CSS pixels; undefined if nothing is painted. */
async function paintedIn(page: Page, cell: number): Promise<Extent | undefined> {
  const canvas = page.locator(`[data-cell="${cell}"] canvas[data-layer="layers"]`);
  return canvas.evaluate((element: HTMLCanvasElement) => {
    const pixels = element.getContext('2d')?.getImageData(0, 0, element.width, element.height).data ?? [];
    let [left, right, top, bottom] = [Infinity, -1, Infinity, -1];
    for (let at = 3; at < pixels.length; at += 4) {
      if (pixels[at] === 0) continue;
      const [x, y] = [((at - 3) / 4) % element.width, Math.floor((at - 3) / 4 / element.width)];
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
    return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 };
  });
}

async function expectMasks(page: Page, cell: number, count: string): Promise<void> {
  const canvas = page.locator(`[data-cell="${cell}"] canvas[data-layer="layers"]`);
  await expect.poll(() => canvas.getAttribute('data-masks')).toBe(count);
}

/** Width divided by height of the mask in a cell. */
async function shapeIn(page: Page, cell: number): Promise<number> {
  await page.locator(`[data-cell="${cell}"][data-status="ready"][data-quality="exact"]`).waitFor();
  await expectMasks(page, cell, '1');
  const extent = await paintedIn(page, cell);
  return extent === undefined ? NaN : extent.width / extent.height;
}

test('masks lie over planes as over stored images, in every direction, while scrolling and after a reload', async () => {
  const server = await serveShared(...writeSlices(8), MASK);
  const { page, complaints } = await openViewer(server, { address: '#cell=2.25.73,1', position: 3 });
  const requests: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));

  await page.keyboard.press('m');
  await expectMasks(page, 0, '1');
  await page.keyboard.press('y');
  await page.locator('[data-cell="2"][data-status="ready"][data-quality="exact"]').waitFor();
  // The planes go through the middle of the volume: column 15, row 15, slice 3.
  await expect.poll(() => shapeIn(page, 0)).toBeCloseTo(12 / 8, 1);
  await expect.poll(() => shapeIn(page, 1)).toBeCloseTo(12 / 12, 1);
  await expect.poll(() => shapeIn(page, 2)).toBeCloseTo(8 / 12, 1);
  expect(requests.some((url) => /\/layer\/\d+\/plane\?/.test(url))).toBe(true);

  // Above the box there is no mask, and none of another plane stays.
  await page.locator('[data-cell="0"]').hover();
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.locator('[data-cell="0"]').getAttribute('data-shown')).toBe('7');
  await expectMasks(page, 0, '1');
  await expect.poll(() => paintedIn(page, 0)).toBeUndefined();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => shapeIn(page, 0)).toBeCloseTo(12 / 8, 1);

  // The key hides and shows them, and the address keeps them.
  await page.keyboard.press('m');
  await expect.poll(() => paintedIn(page, 0)).toBeUndefined();
  await page.keyboard.press('m');
  await expect.poll(() => paintedIn(page, 0)).toBeDefined();
  // For some time after the first key the address names the other cells only.
  await page.waitForURL(/layer=2\.25\.900(&|$)/);
  await settle(page);
  await page.reload();
  await expect.poll(() => shapeIn(page, 1)).toBeCloseTo(12 / 12, 1);

  // A slab has the masks of all its planes, and says so: from slice 6, one slice beyond the box.
  await page.locator('[data-cell="0"]').click();
  await page.keyboard.press('Shift+D');
  await expect.poll(() => page.locator('[data-cell="0"]').textContent()).toContain('Masks of the whole slab');
  expect(complaints).toEqual([]);
});
