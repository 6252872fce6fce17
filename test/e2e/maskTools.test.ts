import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { countMaskPixels } from '../../src/shared/maskRuns.ts';
import { findViolationsInBoth } from '../support/axe.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { drag, openViewer, projectionOf, showsImage } from '../support/viewerPage.ts';
import { straight, writeSeries } from '../support/volumeFiles.ts';

const SIZE = 32;
const IMAGE = { rows: SIZE, columns: SIZE };

/**
 * A square of 10 × 10 pixels with a hole of 2 × 2, which is farther from the center than the values that a range is made
 * of, and a strip beside it. Slices are 3 mm apart.
 */
function writeSquares(count: number): Uint8Array[] {
  const samples = Int16Array.from({ length: SIZE * SIZE }, (_, at) => {
    const [x, y] = [at % SIZE, Math.floor(at / SIZE)];
    const isIn = (left: number, top: number, right: number, bottom: number) =>
      x >= left && x < right && y >= top && y < bottom;
    if (isIn(19, 19, 21, 21)) return 0;
    if (isIn(12, 12, 22, 22)) return 1100;
    return isIn(22, 12, 25, 22) ? 1140 : 0;
  });
  const slices = straight(count, 3).map((slice) => ({ ...slice, samples }));
  return writeSeries(1, slices, { Rows: SIZE, Columns: SIZE });
}

/** How many pixels each mask has on each of its images. */
async function countsOf(server: TestServer): Promise<readonly (readonly number[])[]> {
  const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks?kind=brush')).json();
  return marks.map(({ slices }) =>
    slices
      .toSorted((a, b) => a.file_index - b.file_index)
      .map(({ mask }) => (mask === undefined ? 0 : countMaskPixels(mask.runs))),
  );
}

const barOf = (page: Page, name: string | RegExp): Locator => page.getByRole('group', { name });

/** Begins a tool by its key, and types into its first field when that has the focus. */
async function beginWith(page: Page, key: string, text: string): Promise<void> {
  await page.keyboard.press(key);
  await page.locator('[data-control] input:focus').waitFor();
  await page.keyboard.type(text);
}

/** Waits until the preview says what it would do. */
async function says(page: Page, text: string): Promise<void> {
  await page.getByRole('status').getByText(text, { exact: true }).waitFor();
}

test('a region grows from a click, in a range that follows the drag; Esc cancels it, Enter takes it, and it is one step', async () => {
  const server = await serve(...writeSquares(3));
  // Wide enough for all tools.
  const { page, cell, complaints } = await openViewer(server, { width: 1920 });
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('Alt+3');
  await page.getByRole('button', { name: 'Make or change a mask' }).click();
  await page.getByRole('menuitemcheckbox', { name: /^Grow a region in this image/ }).click();
  await page.mouse.click(...at(15.5, 15.5));
  // The square without its hole. All values around are equal, so it is exactly these.
  await says(page, '96 pixels more. 96 in all.');
  expect(await findViolationsInBoth(page)).toEqual([]);
  await cell.focus();
  await page.keyboard.press('Escape');
  await expect.poll(() => barOf(page, /^Grow a region/).count()).toBe(0);
  expect(await countsOf(server)).toEqual([]);

  // 1,500 pixels of the screen are all values, 1,140, so that 90 pixels are 68 on both sides: the strip is 40 away.
  const [x, y] = at(15.5, 15.5);
  await drag(page, [x, y], [x + 90, y]);
  await says(page, '126 pixels more. 126 in all.');
  // To the left and up, so that the range begins above the square: it still has the pixel that was clicked.
  await drag(page, [x, y], [x, y - 20]);
  await says(page, '96 pixels more. 96 in all.');
  // The same by the keys of its fields.
  await page.getByRole('slider', { name: 'Highest value' }).press('End');
  await says(page, '126 pixels more. 126 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[126]]);

  await cell.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => countsOf(server)).toEqual([]);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => countsOf(server)).toEqual([[126]]);
  expect(complaints).toEqual([]);
});

test('a mask is made, filled, grown, shrunk, smoothed, copied and combined by keys alone', async () => {
  const server = await serve(...writeSquares(3));
  const { page, cell, complaints } = await openViewer(server);
  await cell.focus();
  await page.keyboard.press('Alt+g');
  // The pointer begins in the middle of the image. Enter presses and releases it.
  await page.keyboard.press('Alt+p');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await says(page, '96 pixels more. 96 in all.');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => countsOf(server)).toEqual([[96]]);
  await page.keyboard.press('Escape');

  await page.keyboard.press('Alt+h');
  await says(page, '4 pixels more. 100 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[100]]);

  // By 1 mm, which is one pixel: ten more on each side.
  await beginWith(page, 'Alt+w', '1');
  await says(page, '40 pixels more. 140 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[140]]);
  await page.keyboard.press('Alt+n');
  await says(page, '40 pixels fewer. 100 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[100]]);

  // Of the nine pixels within 1.5 mm of a corner, four are inside.
  await beginWith(page, 'Alt+s', '1.5');
  await says(page, '4 pixels fewer. 96 in all.');
  await page.keyboard.press('Escape');
  await expect.poll(() => barOf(page, 'Smooth the mask').count()).toBe(0);

  await page.keyboard.press('Alt+Shift+ArrowDown');
  await showsImage(page, 1);
  await says(page, '100 pixels more. 100 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[100, 100]]);

  await page.keyboard.press('Alt+Shift+ArrowUp');
  await showsImage(page, 0);
  await says(page, 'Changes nothing. 100 in all.');
  await page.keyboard.press('Escape');

  // In the volume, 3 mm reach the third image, where only the same pixels are near enough.
  await beginWith(page, 'Alt+w', '3');
  await page.getByRole('button', { name: 'Volume', exact: true }).press('Space');
  // In these two, 3 × 10 on each side, and at each corner the 4 pixels whose distance is at most √8: 100 + 120 + 16.
  await says(page, `${2 * 136 + 100} voxels more in 3 images. ${2 * 236 + 100} in all.`);
  await page.getByRole('button', { name: 'Take' }).press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[236, 236, 100]]);
  await cell.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => countsOf(server)).toEqual([[100, 100]]);
  expect(complaints).toEqual([]);
});

test('a threshold, a region in the volume, islands and parts need no mouse either', async () => {
  const server = await serve(...writeSquares(3));
  const { page, cell, complaints } = await openViewer(server);
  await cell.focus();
  // A box of some pixels from the middle of the image on, which is inside of the square.
  await page.keyboard.press('Shift+E');
  await page.keyboard.press('Alt+p');
  await page.keyboard.press('Enter');
  for (const key of ['Shift+ArrowRight', 'Shift+ArrowDown']) {
    for (let n = 0; n < 5; n += 1) await page.keyboard.press(key);
  }
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+t');
  const preview = page.getByRole('status').getByText(/^\d+ pixels more\. \d+ in all\.$/);
  await preview.waitFor();
  const count = Number.parseInt((await preview.textContent()) ?? '', 10);
  expect(count).toBeGreaterThan(1);
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[count]]);

  await cell.focus();
  await page.keyboard.press('Alt+v');
  await page.keyboard.press('Alt+p');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await says(page, `${288 - count} voxels more in 3 images. 288 in all.`);
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => countsOf(server)).toEqual([[96, 96, 96]]);
  await page.keyboard.press('Escape');

  await beginWith(page, 'Alt+i', '97');
  await says(page, '96 pixels fewer. 0 in all.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+k');
  await says(page, 'Changes nothing. 96 in all.');
  await page.keyboard.press('Escape');
  expect(complaints).toEqual([]);
});

test('values above a threshold in a box become a mask, which is subtracted from another; its islands are removed', async () => {
  const server = await serve(...writeSquares(1));
  const { page, cell, complaints } = await openViewer(server);
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('Alt+g');
  await page.mouse.click(...at(15.5, 15.5));
  await says(page, '96 pixels more. 96 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[96]]);

  await page.keyboard.press('Shift+m');
  await page.keyboard.press('Shift+B');
  await page.getByRole('button', { name: 'New mask' }).click();
  await cell.focus();
  await page.keyboard.press('Shift+E');
  // Columns 16 and 17 of all rows, of which ten are in the square.
  await drag(page, at(16, 2), at(18, 30));
  await page.keyboard.press('Alt+t');
  // The threshold begins halfway between 0 and 1,100.
  await says(page, '20 pixels more. 20 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[96], [20]]);

  // The first mask again, from which the second is taken away: 40 pixels are left on one side, and 36 on the other, with the hole.
  await page.getByText('96 pixels on 1 image').click();
  await cell.focus();
  await page.keyboard.press('Alt+x');
  await says(page, '20 pixels fewer. 76 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[76], [20]]);
  await page.keyboard.press('Alt+u');
  await says(page, '20 pixels more. 96 in all.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+Shift+x');
  await says(page, '76 pixels fewer. 0 in all.');
  await page.keyboard.press('Escape');
  await beginWith(page, 'Alt+i', '38');
  await says(page, '36 pixels fewer. 40 in all.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+k');
  await says(page, '36 pixels fewer. 40 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[40], [20]]);
  expect(complaints).toEqual([]);
});

test('no region grows under what is redacted, and on a plane a region becomes masks of the images that it cuts', async () => {
  const server = await serve(...writeSquares(5));
  // The first column of the square, in the second image.
  const response = await server.request('/api/file/1/redactions', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: 1, roi_coords: [[8, 8, 26, 13]] }),
  });
  expect(response.status).toBe(200);
  const { page, cell } = await openViewer(server);
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  await page.keyboard.press('Alt+g');
  await page.mouse.click(...at(17.5, 15.5));
  // Nine columns without the hole.
  await says(page, '86 pixels more. 86 in all.');
  await page.keyboard.press('Escape');

  await page.keyboard.press('y');
  const coronal = page.locator('[data-cell="1"][data-status="ready"][data-quality="exact"]');
  await coronal.waitFor();
  await coronal.click();
  await page
    .getByRole('status')
    .getByText(/pixels more/)
    .waitFor();
  await page.keyboard.press('Enter');
  // The square is the same in all images, except where it is redacted.
  await expect.poll(async () => (await countsOf(server))[0]?.length).toBe(5);
  const [counts = []] = await countsOf(server);
  expect(counts).toEqual([10, 9, 10, 10, 10]);
});

test('a region in the volume is one step, previewed on all images and saved with all of them', async () => {
  const server = await serve(...writeSquares(5));
  const { page, cell, complaints } = await openViewer(server);
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('Alt+v');
  await page.mouse.click(...at(15.5, 15.5));
  await says(page, `480 voxels more in 5 images. 480 in all.`);
  await page.keyboard.press('End');
  await showsImage(page, 4);
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([[96, 96, 96, 96, 96]]);
  // What is taken is kept by the server; another page has it at once.
  const other = await openViewer(server);
  await other.page.keyboard.press('Shift+m');
  await other.page.getByText('480 pixels on 5 images').waitFor();
  await cell.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => countsOf(server)).toEqual([]);
  expect(complaints).toEqual([]);
});
