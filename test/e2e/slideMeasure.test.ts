import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { slideElements } from '../support/slideElements.ts';
import {
  at,
  colorsAt,
  createFolder,
  LARGEST_UID,
  middleOf,
  openPyramid,
  openSlide,
  placeOf,
  showsSlide,
} from '../support/slidePage.ts';
import { halvings } from '../support/slidePyramid.ts';
import { drag } from '../support/viewerPage.ts';

/** 0.25 micrometres per pixel, in tiles of 256. */
const LEVELS = halvings(2000, 1500, 256);

function textOf(cell: Locator, kind: string): Promise<string> {
  return cell.locator(`[data-measure="${kind}"] text`).first().textContent().then(String);
}

test(
  'lengths, angles, areas and statistics are those of the slide, over the edges of its tiles',
  { timeout: 180_000 },
  async () => {
    const { page, cell, complaints } = await openPyramid({ levels: LEVELS }, at(1024, 768, 1));
    const [left, top] = await middleOf(cell);
    const project = (x: number, y: number): [number, number] => [left + x - 1024, top + y - 768];

    await page.keyboard.press('l');
    await drag(page, project(1000, 700), project(1100, 700));
    // 100 pixels of 0.25 micrometres.
    await expect.poll(() => textOf(cell, 'length')).toBe('25 µm');

    await page.keyboard.press('a');
    await drag(page, project(900, 900), project(900, 850));
    await page.mouse.click(...project(960, 850));
    await expect.poll(() => textOf(cell, 'angle')).toBe('90.0°');

    await page.keyboard.press('Shift+E');
    // Between pixel centres, also where the height of the cell is odd.
    await drag(page, project(1014.3, 758.3), project(1034.3, 778.3));
    // 100 pixels from each of the tiles in columns 3 and 4, rows 2 and 3: red 200 and 20, green 140 and 200, blue 20.
    const statistics = ['R mean 110  SD 90  20–200', 'G mean 170  SD 30  140–200', 'B mean 20  SD 0  20–20', '400 px'];
    await expect.poll(() => textOf(cell, 'box')).toBe(`${statistics.join('')}Area 25 µm²`);

    // The selected ROI is measured like a rectangle.
    await page.keyboard.press('r');
    await drag(page, project(1040, 758), project(1060, 778));
    await page.getByRole('tab', { name: 'Marks' }).click();
    await page.getByLabel('Values in the ROI').getByText('R mean 20').waitFor();

    await page.getByRole('tab', { name: 'Marks' }).click();
    await page
      .getByText(/whole slide/)
      .first()
      .waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => cell.locator('[data-measure="box"]').count()).toBe(0);
    // The undone shapes are in view, so the view does not move.
    expect(await placeOf(page)).toEqual([1024, 768, 1]);
    expect(complaints).toEqual([]);
  },
);

test('a region over very many tiles is measured on a level where it covers few', async () => {
  const levels = halvings(20_000, 15_000, 256);
  const { page, cell } = await openPyramid({ levels }, at(10_000, 7_500, 0.04));
  const [left, top] = await middleOf(cell);
  await page.keyboard.press('Shift+E');
  await drag(page, [left - 200, top - 200], [left + 200, top + 200]);
  // 10,000 pixels are 40 tiles wide and high. The fourth level is an eighth as large and needs 6 x 6.
  await expect.poll(() => textOf(cell, 'box')).toMatch(/^R mean .*px.*mm²$/);
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByText(/Level 4 of \d+ \(1\/8 of full resolution\)/).waitFor();
});

test('the magnification is shown beside the zoom, and can be chosen', async () => {
  const { page, cell } = await openPyramid({ levels: LEVELS }, at(1000, 750, 1));
  // 0.25 micrometres per pixel correspond to 40x.
  await cell.getByText('Zoom 100 %  40×').waitFor();
  await cell.getByLabel('Magnification').selectOption('10×');
  await expect.poll(() => placeOf(page)).toEqual([1000, 750, 0.25]);
  await cell.getByText('Zoom 25 %  10×').waitFor();
});

test('optical paths are mixed in color, each with its own color and range', async () => {
  const folder = createFolder();
  const side = 256 * 256;
  const elements = slideElements({
    SOPInstanceUID: LARGEST_UID,
    TotalPixelMatrixColumns: 512,
    TotalPixelMatrixRows: 512,
    NumberOfFrames: 8,
    Rows: 256,
    Columns: 256,
    NumberOfOpticalPaths: 2,
    OpticalPathSequence: [
      { OpticalPathIdentifier: '1', OpticalPathDescription: 'DAPI' },
      { OpticalPathIdentifier: '2', OpticalPathDescription: 'FITC' },
    ],
    PixelData: new Uint8Array(8 * side).fill(100, 0, 4 * side).fill(200, 4 * side),
  });
  writeFileSync(join(folder, 'paths.dcm'), writeDicom(elements));
  const { page, cell, complaints } = await openSlide(folder, at(256, 256, 1));
  await cell.getByRole('button', { name: 'Color mix' }).click();
  for (const path of ['1 DAPI', '2 FITC']) {
    await cell.getByLabel(`Minimum of ${path}`).fill('0');
    await cell.getByLabel(`Minimum of ${path}`).press('Enter');
    await cell.getByLabel(`Maximum of ${path}`).fill('255');
    await cell.getByLabel(`Maximum of ${path}`).press('Enter');
  }
  await showsSlide(page);
  const colorAt = async () => (await colorsAt(cell, [[10, 10]]))[0];
  // 100/255 of (60, 90, 255) plus 200/255 of (0, 255, 0).
  await expect.poll(colorAt).toEqual([24, 35 + 200, 100].map((value) => expect.closeTo(value, -0.4)));

  await cell.getByLabel('1 DAPI', { exact: true }).uncheck();
  await expect.poll(colorAt).toEqual([0, 200, 0]);
  await cell.getByLabel('Color of 2 FITC', { exact: true }).fill('#ff0000');
  await expect.poll(colorAt).toEqual([200, 0, 0]);
  // A reload keeps which channels are visible, their colors and their ranges.
  await page.waitForURL(/,1~!3c5aff~0~255_2~ff0000~0~255$/);
  await page.reload();
  await showsSlide(page);
  await expect.poll(colorAt).toEqual([200, 0, 0]);
  expect(await cell.getByLabel('1 DAPI', { exact: true }).isChecked()).toBe(false);
  await cell.getByRole('button', { name: 'Color mix' }).click();
  await expect.poll(async () => new Set(await colorAt()).size).toBe(1);
  expect(complaints).toEqual([]);
});
