import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolationsInBoth } from '../support/axe.ts';
import { openTab } from '../support/browser.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { serveWith } from '../support/serve.ts';
import { type Patch, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

const square = (slice: number, left: number): Patch => ({ slice, segment: 1, top: 8, left, rows: 8, columns: 8 });
const truth = writeSegmentation({
  uid: '2.25.900',
  name: 'Truth',
  patches: [0, 1, 2, 3].map((slice) => square(slice, 8)),
});
/** A column to the right, and 100 false pixels on the last of six slices. */
const predicted = writeSegmentation({
  uid: '2.25.901',
  name: 'Prediction',
  patches: [
    ...[0, 1, 2, 3].map((slice) => square(slice, 9)),
    { slice: 5, segment: 1, top: 20, left: 20, rows: 10, columns: 10 },
  ],
});
/** The images of both, and another series that has a better Dice. */
const SERIES = '2.25.501';
const BETTER = '2.25.7777';
const SCORES = [
  'case,SeriesInstanceUID,part,test_part,dice,hd95_mm',
  `good,${BETTER},Liver,Liver,0.97,1.5`,
  `bad,${SERIES},Liver,Liver,0.7134502923976608,18.25`,
  'elsewhere,2.25.1,Liver,Liver,0.5,3',
].join('\n');

async function serveScores() {
  const folder = createTempFolder();
  const compared = [writeBelow(folder, 'truth/a.dcm', truth), writeBelow(folder, 'test/a.dcm', predicted)];
  const others = [0, 1, 2].map((number) => writeSlice({ number }, { SeriesInstanceUID: BETTER }));
  return serveWith({
    inputs: [...others, ...writeSlices(6), ...compared],
    overlays: compared,
    areCompared: true,
    scoresPath: writeBelow(folder, 'scores.csv', SCORES),
  });
}

const tilesOf = (page: Page) => page.getByRole('grid', { name: 'Gallery' }).getByRole('gridcell');

/** How many pixels of a picture are near a color. */
function countNear(image: Locator, color: readonly number[]): Promise<number> {
  return image.evaluate((element: HTMLImageElement, [red = 0, green = 0, blue = 0]) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [element.naturalWidth, element.naturalHeight];
    const context = canvas.getContext('2d')!;
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (Math.hypot(data[at]! - red, data[at + 1]! - green, data[at + 2]! - blue) < 12) count += 1;
    }
    return count;
  }, color);
}

/** Vermillion over black, with an opacity of 0.55. */
const FALSE_POSITIVE = [117, 52, 0];

test('the gallery has the worst series first with its errors, and a row opens on the slice with most of them', async () => {
  const { page, complaints } = await openViewer(await serveScores(), {
    address: '#cohort=gallery.series;sort=dice',
    width: 1366,
    height: 768,
  });
  const first = tilesOf(page).first();
  await first.getByText('Dice 0.71', { exact: true }).waitFor({ state: 'attached' });
  const picture = first.locator('img').first();
  // 100 of 1,024 pixels, in a picture of some hundred pixels.
  await expect.poll(() => countNear(picture, FALSE_POSITIVE)).toBeGreaterThan(500);
  const button = page.getByRole('button', { name: 'Errors of the test over the images' });
  await button.click();
  await expect.poll(() => countNear(picture, FALSE_POSITIVE)).toBe(0);
  await button.click();
  await expect.poll(() => countNear(picture, FALSE_POSITIVE)).toBeGreaterThan(500);
  expect(await findViolationsInBoth(page)).toEqual([]);

  await first.focus();
  await page.keyboard.press('Enter');
  await showsImage(page, 5);
  await page.locator('[data-cell="0"] [data-layer="errors"][data-image="8/0"][data-errors="drawn"]').waitFor();
  const panel = page.getByRole('region', { name: 'Comparison', exact: true });
  // 4 x 56 in both of 4 x 64 and 4 x 64 + 100.
  await expect.poll(() => panel.getByRole('row').nth(1).textContent()).toContain('0.732');
  expect(complaints).toEqual([]);
});

test('scores are columns of the table that sort and choose rows, and say which cases are not shown', async () => {
  const server = await serveScores();
  await server.scores?.report();
  const { page, complaints } = await openViewer(server, {
    address: `#cohort=table.series;sort=dice;where=${encodeURIComponent('dice < 0.8')}`,
    width: 1366,
    height: 768,
  });
  const grid = page.getByRole('grid', { name: 'Table' });
  await expect.poll(() => grid.locator('[data-row]').count()).toBe(1);
  await grid.getByRole('gridcell', { name: '18.25' }).waitFor();
  const head = grid.getByRole('columnheader', { name: /dice/ });
  await expect.poll(() => head.getAttribute('title')).toContain('1 case is of no open series: elsewhere');
  expect(await findViolationsInBoth(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a row that is opened while the named layers are still being looked for is compared, and no other series comes over it', async () => {
  const server = await serveScores();
  const { page, complaints } = await openTab(server);
  const release = await holdRequests(page, '**/api/layer/*');
  await page.goto(`${server.baseUrl}/#cohort=gallery.series;sort=dice`);
  const first = tilesOf(page).first();
  await first.getByText('Dice 0.71', { exact: true }).waitFor({ state: 'attached' });
  await first.focus();
  await page.keyboard.press('Enter');
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
  release();
  await showsImage(page, 5);
  await page.locator('[data-cell="0"] [data-layer="errors"][data-image="8/0"][data-errors="drawn"]').waitFor();
  expect(complaints).toEqual([]);
});
