import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RoiBox } from '../../src/shared/contract/annotations.ts';
import { openPage, openTab } from '../support/browser.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { expectBoxes, storedRois, writeRoiImage } from '../support/roiFiles.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { drag, type ImageSize, openViewer, projectionOf, reload, showsImage } from '../support/viewerPage.ts';

const IMAGE: ImageSize = { rows: 60, columns: 80 };
const BOX: RoiBox = [10, 20, 30, 40];
const OTHER: RoiBox = [40, 50, 50, 70];

test('the ROIs of the server are shown, and after a reload again', async () => {
  const server = await serve(writeRoiImage(IMAGE));
  await replaceRois(server, [BOX]);
  const { page, cell } = await openViewer(server);

  await cell.locator('[data-box="10 20 30 40"]').waitFor();
  await reload(page);

  await expect.poll(() => boxesIn(page)).toEqual(['10 20 30 40']);
});

test('in a stack of files each ROI belongs to the file of its image', async () => {
  const files = [1, 2, 3].map((number) => writeRoiImage({ ...IMAGE, number }));
  const server = await serve(...files);
  const { page, cell } = await openViewer(server);
  await page.getByText('1 / 3').first().waitFor();
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});

  await drag(page, at(20, 10), at(40, 30));
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  expect(await cell.locator('[data-roi]').count()).toBe(0);
  await drag(page, at(50, 40), at(70, 50));
  await expectBoxes(server, [BOX], 0);
  await expectBoxes(server, [OTHER], 1);
  await expectBoxes(server, [], 2);

  // Undo shows the image on which it takes a step back.
  await page.keyboard.press('End');
  await showsImage(page, 2);
  await page.keyboard.press('Control+z');
  await showsImage(page, 1);
  await page.keyboard.press('Control+z');
  await showsImage(page, 0);
  await expectBoxes(server, [], 0);
  await expectBoxes(server, [], 1);
});

test('for a long stack one request tells which images have ROIs, and only those are loaded', async () => {
  const server = await serve(...Array.from({ length: 40 }, (_, i) => writeRoiImage({ ...IMAGE, number: i + 1 })));
  await replaceRois(server, [BOX], 30);
  await replaceRois(server, [OTHER], 12);
  const { page, cell, requests } = await openViewer(server);
  await page.getByText('1 / 40').first().waitFor();
  await page.getByRole('tab', { name: 'Marks' }).click();

  await page.getByRole('button', { name: '20 × 20 px at 20, 10 image 31' }).click();
  await showsImage(page, 30);
  await cell.locator('[data-box="10 20 30 40"]').waitFor();

  const asked = requests.flatMap((url) => /\/api\/(?:(?:file\/\d+\/)?annotations|series)$/.exec(url)?.[0] ?? []);
  const ofFiles = asked.filter((path) => path.startsWith('/api/file/'));
  // The first image is shown before the series are known. Until then it is a stack of its own.
  expect(ofFiles.filter((path) => path !== '/api/file/0/annotations').toSorted()).toEqual([
    '/api/file/12/annotations',
    '/api/file/30/annotations',
  ]);
  const count = (path: string) => asked.filter((one) => one === path).length;
  expect(count('/api/annotations')).toBeGreaterThan(0);
  // Each response of the series endpoint may add images to the stack.
  expect(count('/api/annotations')).toBeLessThanOrEqual(count('/api/series'));
  // In the list the arrow keys move between the rows.
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 31);
  await page.keyboard.press('Shift+R');
  await expectBoxes(server, [[15, 20, 45, 60]], 31);
});

test('ROIs are asked about once also if the series are known before the list of files is complete', async () => {
  // The list is read in pages of 1,000 files.
  const files = 1_100;
  const folder = createTempFolder();
  for (let number = 0; number < files; number++) writeBelow(folder, `${number}.dcm`, writeSlice({ number }));
  const server = await serve(folder);
  const { page } = await openTab(server);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' && pathname.endsWith('/annotations')) asked.push(pathname);
  });
  const letListGo = await holdRequests(page, '**/api/files?since=1000*');
  await page.goto(server.baseUrl);
  await page
    .getByText(/^1 \/ 1,?100$/)
    .first()
    .waitFor();
  await showsImage(page);
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThan(0);

  letListGo();
  await page.getByText('1,100 files open').waitFor();
  const surveys = () => asked.filter((path) => path === '/api/annotations').length;
  await expect.poll(surveys, { timeout: 60_000 }).toBeGreaterThan(0);
  await page.waitForTimeout(2_000);

  // Only the shown image, whose ROIs may be wanted before the list is complete.
  expect(asked.filter((path) => path !== '/api/annotations').length).toBeLessThanOrEqual(1);
}, 180_000);

test('the list leads to a ROI on another image, and deletes it', async () => {
  const server = await serve(...[1, 2, 3].map((number) => writeRoiImage({ ...IMAGE, number })));
  await replaceRois(server, [BOX], 2);
  const { page, cell } = await openViewer(server);
  await page.getByRole('tab', { name: 'Marks' }).click();

  await page.getByRole('button', { name: '20 × 20 px at 20, 10 image 3' }).click();
  await showsImage(page, 2);
  await cell.locator('[data-box="10 20 30 40"]').waitFor();
  await page.getByRole('button', { name: 'Delete ROI 1, image 3 / 3' }).click();

  await expectBoxes(server, [], 2);
  expect(await cell.locator('[data-roi]').count()).toBe(0);
});

test('a ROI is on all frames, on one, or on a range of them', async () => {
  const server = await serve(writeRoiImage({ ...IMAGE, frames: 10 }));
  const { page, cell } = await openViewer(server);
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});
  const framesInStore = async () => (await storedRois(server)).roi_frames;

  await drag(page, at(20, 10), at(40, 30));
  await expectBoxes(server, [BOX]);
  expect(await framesInStore()).toEqual([]);

  await page.getByLabel('Frames of the ROI').selectOption('this image');
  await expect.poll(framesInStore).toEqual([[0]]);
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  expect(await cell.locator('[data-roi]').count()).toBe(0);

  await page.getByLabel('Frames of the ROI').selectOption('a range of images');
  // The image on screen and its neighbours.
  await expect.poll(framesInStore).toEqual([[0, 1, 2]]);
  await page.getByRole('textbox', { name: 'First image' }).fill('2');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Last image' }).fill('5');
  await page.keyboard.press('Enter');
  await expect.poll(framesInStore).toEqual([[1, 2, 3, 4]]);
  expect(await cell.locator('text').textContent()).toBe('1 · frames 2–5');
  await cell.focus();
  await page.keyboard.press('End');
  await showsImage(page, 9);
  expect(await cell.locator('[data-roi]').count()).toBe(0);

  await page.getByLabel('New ROIs apply to').selectOption('the frame they are drawn on');
  await drag(page, at(50, 40), at(70, 50));
  await expect.poll(framesInStore).toEqual([[1, 2, 3, 4], [9]]);
});

test('a failed save keeps the ROI on screen, is reported, and is retried', async () => {
  const server = await serve(writeRoiImage(IMAGE));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});
  const failing = '**/annotations';
  let tries = 0;
  await page.route(failing, (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    tries += 1;
    return route.abort();
  });

  await drag(page, at(20, 10), at(40, 30));

  await page.getByText('The ROIs of 0.dcm could not be saved: the server does not respond').waitFor();
  expect(await cell.locator('[data-box="10 20 30 40"]').count()).toBe(1);
  expect((await storedRois(server)).num_roi).toBe(0);
  // The page also retries by itself, so the button goes when the save succeeds.
  const before = tries;
  await page.getByRole('button', { name: 'Retry now' }).click();
  await expect.poll(() => tries).toBeGreaterThan(before);
  await page.unroute(failing);
  await expectBoxes(server, [BOX]);
  await page.getByText('not saved').waitFor({ state: 'detached' });
});

test('ROIs drawn without a network are saved when it is back', async () => {
  const server = await serve(writeRoiImage(IMAGE));
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});

  await page.context().setOffline(true);
  await drag(page, at(20, 10), at(40, 30));
  await page.getByText('could not be saved').waitFor();
  // The notice about the lost connection may have moved the image.
  await page.getByText('Connection to negato lost').waitFor();
  const now = await projectionOf(cell, IMAGE, {});
  await drag(page, now(50, 40), now(70, 50));
  await page.context().setOffline(false);

  await expectBoxes(server, [BOX, OTHER]);
  await expect.poll(() => page.getByText('could not be saved').count()).toBe(0);
});

test.each([
  ['Merge', [OTHER, BOX]],
  ['Keep mine', [BOX]],
  ['Use the server’s', [OTHER]],
] as const)('ROIs that somebody else changed are not overwritten: %s', async (choice, expected) => {
  const server = await serve(writeRoiImage(IMAGE));
  const { page, cell } = await openViewer(server);
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByText('No marks.').waitFor();
  await replaceRois(server, [OTHER]);

  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});
  await drag(page, at(20, 10), at(40, 30));
  await page.getByText('The server has different ROIs for 0.dcm: 1 on the server, 1 on this page.').waitFor();
  expect((await storedRois(server)).roi_coords).toEqual([OTHER]);

  await page.getByRole('button', { name: choice }).click();
  await expectBoxes(server, expected);
  await page.getByText('other ROIs').waitFor({ state: 'detached' });
  await expect.poll(() => boxesIn(page)).toEqual(expected.map((box) => box.join(' ')));
});

test('the export is what the server holds, with the edit of a moment ago', async () => {
  const server = await serve(writeRoiImage(IMAGE));
  const { page, cell } = await openViewer(server);
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});

  const downloading = page.waitForEvent('download');
  await drag(page, at(20, 10), at(40, 30));
  await page.getByRole('region', { name: 'Marks', exact: true }).getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /^ROIs/ }).click();
  const download = await downloading;

  expect(download.suggestedFilename()).toBe('viewer-annotations.csv');
  const csv = await readFile(await download.path(), 'utf8');
  expect(csv).toBe(await (await server.request('/api/annotations/export.csv')).text());
  expect(csv).toContain('"[[10,20,30,40]]"');
});

test('a failed import is reported with file, line and reason; edits are kept and exported', async () => {
  const folder = createTempFolder();
  const path = writeBelow(folder, 'image.dcm', writeRoiImage(IMAGE));
  const csv = writeBelow(folder, 'rois.csv', `anon_dicom_path,ROI_coords\n${path},"[[0,0,61,10]]"\n`);
  const server = await serveWith({ inputs: [path], annotationCsv: csv });
  const { page, cell } = await openViewer(server);

  const banner = page.getByRole('alert').filter({ hasText: 'No annotations were imported' });
  await banner.waitFor();
  const text = await banner.textContent();
  expect(text).toContain('rois.csv');
  expect(text).toMatch(/line 2/);
  // The image has 60 rows.
  expect(text).toContain('ymax 61 is greater than 60');

  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});
  await drag(page, at(20, 10), at(40, 30));
  await expectBoxes(server, [BOX]);
  const downloading = page.waitForEvent('download');
  await page.getByRole('region', { name: 'Marks', exact: true }).getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /^ROIs/ }).click();
  const exported = await readFile(await (await downloading).path(), 'utf8');
  expect(exported).toContain('"[[10,20,30,40]]"');
});

test('ROIs are sent again to a restarted server, to the same file under its new number', async () => {
  const folder = createTempFolder();
  const path = writeBelow(folder, 'b.dcm', writeRoiImage({ ...IMAGE, number: 2 }));
  const server = await serve(folder);
  const { page, cell } = await openViewer(server);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, IMAGE, {});
  await drag(page, at(20, 10), at(40, 30));
  await expectBoxes(server, [BOX]);

  await server.close();
  await page.getByText('Connection to negato lost').waitFor();
  writeBelow(folder, 'a.dcm', writeRoiImage({ ...IMAGE, number: 1 }));
  const listen = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
  const second = await serveWith({ inputs: [folder], server: { listen } });
  expect(second.catalog.get(1).path).toBe(path);

  await page.getByText('The server has different ROIs for b.dcm: none on the server, 1 on this page.').waitFor();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await expectBoxes(second, [BOX], 1);
  await expectBoxes(second, [], 0);
});

test('a name with markup in it is text in every notice about its ROIs', async () => {
  const folder = createTempFolder();
  const name = '<img src=x onerror=alert(1)>.dcm';
  writeBelow(folder, name, writeRoiImage(IMAGE));
  const server = await serve(folder);
  const { page, complaints } = await openPage();
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByText('No marks.').waitFor();
  await replaceRois(server, [OTHER]);

  await page.keyboard.press('Shift+R');
  await page.getByText(`The server has different ROIs for ${name}`).waitFor();

  // The browser logs the refused save.
  expect(complaints.filter((text) => !text.includes('412'))).toEqual([]);
});

async function replaceRois(server: TestServer, boxes: readonly RoiBox[], fileIndex = 0): Promise<void> {
  const response = await server.request(`/api/file/${fileIndex}/annotations`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: boxes.length, roi_coords: boxes, roi_frames: [] }),
  });
  expect(response.status).toBe(200);
}

async function boxesIn(page: Page): Promise<(string | null)[]> {
  return page
    .locator('[data-cell="0"] [data-roi]')
    .evaluateAll((rois) => rois.map((roi) => roi.getAttribute('data-box')));
}
