import type { Locator, Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { decodePng } from '../../src/server/images/pixels/png/decodePng.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolationsInBoth } from '../support/axe.ts';
import { serveShared } from '../support/serve.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

const CT_SLICES = 12;

/** Three series in two studies: CT of which each slice is brighter than the one before, MR and PET. */
const FILES = [
  ...Array.from({ length: CT_SLICES }, (_, number) => writeSlice({ number, series: 1 })),
  ...[0, 1, 2].map((number) => writeSlice({ number, series: 2 }, { Modality: 'MR' })),
  writeSlice({ number: 0, series: 3 }, { Modality: 'PT', PatientID: 'P2', StudyInstanceUID: `${SLICE_UID}.200` }),
];

async function openGallery(address = '#cohort=gallery.series', files: readonly Uint8Array[] = FILES) {
  const server = await serveShared(...files);
  const opened = await openViewer(server, { address });
  await tilesOf(opened.page).first().waitFor();
  return { ...opened, server };
}

const galleryOf = (page: Page) => page.getByRole('grid', { name: 'Gallery' });
const tilesOf = (page: Page) => galleryOf(page).getByRole('gridcell');

function countPictures(page: Page): Promise<number> {
  return galleryOf(page)
    .locator('img')
    .evaluateAll((images) => images.filter((one) => one instanceof HTMLImageElement && one.naturalWidth > 0).length);
}

const focusedLine = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-line'));

/** Mean gray level, and how many pixels have a color. */
function lookAt(image: Locator) {
  return image.evaluate((element: HTMLImageElement) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [element.naturalWidth, element.naturalHeight];
    const context = canvas.getContext('2d')!;
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let [sum, colored] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      sum += data[at]!;
      if (Math.abs(data[at]! - data[at + 1]!) > 20 || Math.abs(data[at]! - data[at + 2]!) > 20) colored += 1;
    }
    return { mean: sum / (data.length / 4), colored };
  });
}

test('the gallery has a picture of each series, opens one with Enter, comes back with Esc, and selects as the table', async () => {
  const { page, complaints } = await openGallery();
  await expect.poll(() => tilesOf(page).count()).toBe(3);
  await expect.poll(() => countPictures(page)).toBe(3);
  await page.getByRole('gridcell', { name: /Series 1.*12 files/ }).waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);

  await expect.poll(() => focusedLine(page)).toBe('0');
  await page.keyboard.press('End');
  await expect.poll(() => focusedLine(page)).toBe('2');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Space');
  await expect.poll(() => tilesOf(page).nth(1).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await expect.poll(() => galleryOf(page).count()).toBe(0);
  await page.getByRole('figure', { name: /Series 2/ }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focusedLine(page)).toBe('1');

  await page.getByRole('button', { name: 'Table', exact: true }).click();
  const selected = page.getByRole('grid', { name: 'Table' }).locator('[data-row][aria-selected="true"]');
  await expect.poll(() => selected.count()).toBe(1);
  await expect.poll(() => page.url()).toContain('cohort=table.series');
  expect(complaints).toEqual([]);
});

test('the pointer goes through the images of a series, in one window', async () => {
  const { page, complaints } = await openGallery();
  await expect.poll(() => countPictures(page)).toBe(3);
  const tile = tilesOf(page).first();
  const picture = tile.locator('img').last();
  const box = (await tile.locator('img').first().boundingBox())!;
  await page.mouse.move(box.x + 3, box.y + 40);
  await expect.poll(() => tile.locator('img').count()).toBe(2);
  const { mean: first } = await lookAt(picture);
  await page.mouse.move(box.x + box.width - 3, box.y + 40);
  // The last image has 110 Hounsfield units more, of 300 that the window has.
  await expect.poll(async () => (await lookAt(picture)).mean - first).toBeGreaterThan(80);
  await page.mouse.move(2, 2);
  await expect.poll(() => tile.locator('img').count()).toBe(1);
  expect(complaints).toEqual([]);
});

test('masks are drawn if wanted, more slices are requested, and the size of the pictures changes', async () => {
  const patches = [0, 1, 2, 3, 4].map((slice) => ({ slice, segment: 1, top: 8, left: 8, rows: 12, columns: 12 }));
  const files = [...writeSlices(5), writeSegmentation({ patches, uid: '2.25.901', name: 'Masks' })];
  const { page, complaints } = await openGallery('#cohort=gallery.series', files);
  const picture = page
    .getByRole('gridcell', { name: /^(1 · )?Slices/ })
    .locator('img')
    .first();
  await expect.poll(async () => (await lookAt(picture)).colored).toBe(0);
  await page.getByRole('button', { name: 'Masks, contours and marks over the images' }).click();
  await expect.poll(async () => (await lookAt(picture)).colored).toBeGreaterThan(100);

  const asked = page.waitForRequest((request) => request.url().includes('slices=4&'));
  await page.getByRole('combobox', { name: 'Slices' }).selectOption('4');
  await asked;
  const widthOf = async () => (await tilesOf(page).first().boundingBox())!.width;
  const before = await widthOf();
  await page.getByRole('slider', { name: 'Size' }).focus();
  for (let i = 0; i < 12; i += 1) await page.keyboard.press('ArrowRight');
  await expect.poll(widthOf).toBeGreaterThan(before + 50);
  // Kept in this browser.
  await page.reload();
  await expect.poll(widthOf).toBeGreaterThan(before + 50);
  expect(complaints).toEqual([]);
});

test('what lies over images that are not open says what it is', async () => {
  const contours = [{ points: circle([15, 10, 0], 5) }];
  const structures = writeDicom(structureSetElements([{ number: 1, name: 'Ring', contours }]));
  const { page } = await openGallery('#cohort=gallery.series', [writeSlice({ number: 0 }), structures]);
  const tile = page.getByRole('gridcell', { name: /Plan structures/ });
  await expect.poll(() => tile.getByText('RT Structure Set').count()).toBeGreaterThan(0);
});

test('groups have headings that open and close, and rows are sorted by any column', async () => {
  const { page, complaints } = await openGallery('#cohort=gallery.series;group=Modality');
  const headings = galleryOf(page).locator('[aria-expanded]');
  await expect.poll(() => headings.count()).toBe(3);
  await headings.first().focus();
  await headings.first().click();
  await expect.poll(() => headings.first().getAttribute('aria-expanded')).toBe('false');
  await expect.poll(() => tilesOf(page).count()).toBe(5);
  await page.keyboard.press('Enter');
  await expect.poll(() => tilesOf(page).count()).toBe(6);

  await page.getByRole('combobox', { name: 'Group' }).selectOption('');
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('Modality');
  await page.getByRole('button', { name: 'Smallest first' }).click();
  await expect.poll(() => tilesOf(page).first().textContent()).toContain('PT');
  expect(complaints).toEqual([]);
});

test('of many files only those in view are there, and the way back leads to the place', async () => {
  const files = Array.from({ length: 300 }, (_, number) => writeSlice({ number }));
  const { page, complaints } = await openGallery('#cohort=gallery.file', files);
  await expect.poll(() => countPictures(page)).toBeGreaterThan(8);
  expect(await tilesOf(page).count()).toBeLessThan(80);
  await page.keyboard.press('Control+End');
  await expect.poll(() => focusedLine(page)).toBe('299');
  expect(await tilesOf(page).count()).toBeLessThan(80);
  await expect.poll(() => countPictures(page)).toBeGreaterThan(4);
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => galleryOf(page).locator('[aria-selected="true"]').count()).toBe(2);
  await page.keyboard.press('Enter');
  await showsImage(page, 298);
  await page.keyboard.press('Escape');
  await expect.poll(() => focusedLine(page)).toBe('298');
  expect(complaints).toEqual([]);
});

const lightboxOf = (page: Page) => page.getByRole('region', { name: /^Lightbox/ });
const imagesOf = (page: Page) => lightboxOf(page).getByRole('gridcell');

/** How many images of the lightbox are drawn: one that is not is never another one. */
const countDrawn = (page: Page) => lightboxOf(page).locator('[role=gridcell] figure[data-hidden="false"]').count();

test('the lightbox shows all images of a series with the window of the viewer, and Enter goes to one', async () => {
  const server = await serveShared(...FILES);
  const { page, cell, complaints } = await openViewer(server);
  await cell.focus();
  await page.keyboard.press('Alt+a');
  await expect.poll(() => countDrawn(page)).toBe(CT_SLICES);
  expect(await findViolationsInBoth(page)).toEqual([]);
  const shot = () => imagesOf(page).nth(11).screenshot();
  const before = await shot();
  await page
    .getByRole('button', { name: /^Window/ })
    .first()
    .waitFor();
  await page.keyboard.press('3');
  await expect.poll(async () => (await shot()).equals(before)).toBe(false);

  await page.getByRole('gridcell', { name: 'Image 1 of 12' }).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect.poll(() => lightboxOf(page).count()).toBe(0);
  await showsImage(page, 5);
  expect(await cell.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Alt+a');
  await expect.poll(() => countDrawn(page)).toBe(CT_SLICES);
  await page.keyboard.press('Escape');
  await expect.poll(() => lightboxOf(page).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('selected images are saved as one picture, and columns change by key', async () => {
  const server = await serveShared(...FILES);
  const { page, cell, complaints } = await openViewer(server);
  await cell.focus();
  await page.keyboard.press('Alt+a');
  await expect.poll(() => countDrawn(page)).toBe(CT_SLICES);
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await expect.poll(() => lightboxOf(page).getByRole('slider', { name: 'Columns' }).inputValue()).toBe('4');
  await page.keyboard.press('Control+Home');
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('Shift+ArrowRight');
  await lightboxOf(page).getByText('5 of 12 selected').waitFor();
  await expect.poll(() => countDrawn(page)).toBe(CT_SLICES);
  const box = (await imagesOf(page).first().boundingBox())!;
  const waiting = page.waitForEvent('download');
  await page.keyboard.press('Control+s');
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/^CT-series1.*\.png$/);
  const saved = decodePng(await readFile(await download.path()));
  // Four in a row and one below, with 4 pixels between them.
  expect([saved.columns, saved.rows]).toEqual([4 * box.width + 12, 2 * box.height + 4]);
  expect(complaints).toEqual([]);
});
