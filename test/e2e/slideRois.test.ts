import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { AnnotationPayload, RoiBox } from '../../src/shared/contract/annotations.ts';
import { expectBoxes, storedRois } from '../support/roiFiles.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import {
  at,
  createFolder,
  middleOf,
  openOwnPyramid,
  placeOf,
  showsSlide,
  type SlidePage,
} from '../support/slidePage.ts';
import { halvings } from '../support/slidePyramid.ts';
import { drag, reload } from '../support/viewerPage.ts';

/** 2000 x 1500, 1000 x 750 and 500 x 375 pixels in tiles of 256: 8 x 6, 4 x 3 and 2 x 2 tiles. */
const LEVELS = halvings(2000, 1500, 256);
/** Column 3, row 2 of the largest level: from (768, 512) to (1024, 768). */
const TILE = 2 * 8 + 3;
/** Stored before the page opens, so that its appearance shows that the ROIs have been read. */
const FIRST: RoiBox = [20, 10, 60, 40];

/** Replaces the ROIs of the file of one level. */
async function putRois(server: TestServer, level: number, rois: Omit<AnnotationPayload, 'num_roi'>): Promise<void> {
  const response = await server.request(`/api/file/${level}/annotations`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: rois.roi_coords.length, ...rois }),
  });
  expect(response.status).toBe(200);
}

function putFirst(server: TestServer): Promise<void> {
  return putRois(server, 0, { roi_coords: [FIRST], roi_frames: [[TILE]] });
}

/** Opens the slide with that first ROI, at a zoom of 1 with its tile in the middle. */
async function openWithRoi(address = at(896, 640, 1)): Promise<SlidePage<TestServer>> {
  const opened = await openOwnPyramid({ levels: LEVELS }, address, putFirst);
  await boxesOf(opened.cell).first().waitFor();
  return opened;
}

function boxesOf(cell: Locator): Locator {
  return cell.locator('[data-roi]');
}

/** The boxes on screen in slide pixels: `[ymin, xmin, ymax, xmax]`. */
async function shownBoxes(cell: Locator): Promise<number[][]> {
  return boxesOf(cell).evaluateAll((elements) =>
    elements.map((element) =>
      (element instanceof SVGElement ? (element.dataset['box'] ?? '') : '').split(' ').map(Number),
    ),
  );
}

/** Maps slide pixels to the page, for a view of zoom 1 that is centred on this point of the slide. */
async function projectionOf(cell: Locator, [x, y]: readonly [number, number]) {
  const [left, top] = await middleOf(cell);
  return (slideX: number, slideY: number): [number, number] => [left + slideX - x, top + slideY - y];
}

test('the ROI of a tile lies on its tile, with one request for the file of each level', async () => {
  const { cell, requests, complaints } = await openWithRoi();
  // 768 + 10, 512 + 20 and so on.
  expect(await shownBoxes(cell)).toEqual([[532, 778, 572, 808]]);
  const rect = await boxesOf(cell).locator('rect').first().boundingBox();
  const project = await projectionOf(cell, [896, 640]);
  // The outline is centred on the edge, so that half of it is outside.
  expect([rect!.x, rect!.y]).toEqual(project(778, 532).map((value) => expect.closeTo(value, -0.6)));
  const asked = () => requests.flatMap((url) => /file\/(\d+)\/annotations$/.exec(url)?.[1] ?? []);
  await expect.poll(() => asked().toSorted()).toEqual(['0', '1', '2']);
  expect(complaints).toEqual([]);
});

test('a ROI keeps its position when another level is on screen', async () => {
  // A quarter of the size is the third level.
  const { cell } = await openWithRoi(at(896, 640, 0.25));
  expect(await shownBoxes(cell)).toEqual([[532, 778, 572, 808]]);
  const rect = await boxesOf(cell).locator('rect').first().boundingBox();
  const [left, top] = await middleOf(cell);
  const corner = [left + (778 - 896) / 4, top + (532 - 640) / 4];
  expect([rect!.x, rect!.y]).toEqual(corner.map((value) => expect.closeTo(value, -0.6)));
});

async function putOnTwoLevels(server: TestServer): Promise<void> {
  // The second tile of the second row of 1000 x 750 pixels. Each of its pixels covers two of the slide in each
  // direction.
  await putRois(server, 1, { roi_coords: [[0, 4, 10, 20]], roi_frames: [[5]] });
  await putRois(server, 0, { roi_coords: [[1, 2, 3, 4]], roi_frames: [] });
}

test('ROIs of a smaller level, and those on all frames of the level on screen, lie on their tiles too', async () => {
  const { cell } = await openOwnPyramid({ levels: LEVELS }, at(512, 512, 1), putOnTwoLevels);
  await expect.poll(() => shownBoxes(cell)).toContainEqual([512, 520, 532, 552]);
  // One box on each of the 8 x 6 tiles that is partly on screen. The cell shows about 736 x 670 pixels around the
  // middle.
  const all = (await shownBoxes(cell)).filter(([ymin = 0, , ymax = 0]) => ymax - ymin === 2);
  expect(all).toContainEqual([513, 514, 515, 516]);
  expect(all).toContainEqual([257, 770, 259, 772]);
  expect(new Set(all.map(String)).size).toBe(all.length);
  expect(all.every(([ymin = 0, xmin = 0]) => ymin % 256 === 1 && xmin % 256 === 2)).toBe(true);
});

/** The texts of all boxes in the Marks tab. */
async function listedBoxes(page: Page): Promise<string[]> {
  await page.getByRole('tab', { name: 'Marks' }).click();
  // The code of the panel is loaded when it is first shown.
  await page.getByRole('region', { name: 'Marks', exact: true }).waitFor();
  return page.getByRole('button', { name: / px at / }).allInnerTexts();
}

test('a box drawn within a tile is a ROI of its frame; it can be moved across the edge, resized and undone', async () => {
  const { page, cell, server } = await openWithRoi();
  const project = await projectionOf(cell, [896, 640]);
  await page.keyboard.press('r');
  await drag(page, project(850.2, 600.1), project(899.8, 650.2));
  await expectBoxes(server, [FIRST, [88, 82, 138, 132]]);
  expect((await storedRois(server)).roi_frames).toEqual([[TILE], [TILE]]);

  // Moved 150 to the right: from 1000 to 1050, across the edge of its tile at 1024.
  await drag(page, project(875, 625), project(1025, 635));
  await expectBoxes(server, [FIRST, [98, 232, 148, 256], [98, 0, 148, 26]]);
  expect((await storedRois(server)).roi_frames).toEqual([[TILE], [TILE], [TILE + 1]]);
  expect(await shownBoxes(cell)).toEqual([
    [532, 778, 572, 808],
    [610, 1000, 660, 1050],
  ]);
  // Drag its lower right corner to (1034, 640).
  await drag(page, project(1050, 660), project(1034, 640));
  await expectBoxes(server, [FIRST, [98, 232, 128, 256], [98, 0, 128, 10]]);

  await page.keyboard.press('Control+z');
  await expectBoxes(server, [FIRST, [98, 232, 148, 256], [98, 0, 148, 26]]);
  await page.keyboard.press('Control+z');
  await expectBoxes(server, [FIRST, [88, 82, 138, 132]]);
  await page.keyboard.press('Control+z');
  await expectBoxes(server, [FIRST]);
  await expect.poll(() => boxesOf(cell).count()).toBe(1);
  await page.keyboard.press('Control+Shift+z');
  await expectBoxes(server, [FIRST, [88, 82, 138, 132]]);
});

test('a box over four tiles is one box: on the image, in the list, after a reload, in another tab and from the CSV', async () => {
  const { page, cell, server } = await openWithRoi(at(1024, 768, 1));
  const project = await projectionOf(cell, [1024, 768]);
  await page.keyboard.press('r');
  // Across the corner at (1024, 768), where four tiles meet.
  await drag(page, project(1000, 750), project(1034, 773));
  await expect.poll(async () => (await storedRois(server)).roi_frames).toEqual([[TILE], [19], [20], [27], [28]]);
  await expectBoxes(server, [FIRST, [238, 232, 256, 256], [238, 0, 256, 10], [0, 232, 5, 256], [0, 0, 5, 10]]);
  const drawn = [
    [532, 778, 572, 808],
    [750, 1000, 773, 1034],
  ];
  expect(await shownBoxes(cell)).toEqual(drawn);
  expect(await listedBoxes(page)).toEqual([
    expect.stringContaining('30 × 40'),
    expect.stringContaining('34 × 23 px at 1000, 750'),
  ]);

  await reload(page);
  await showsSlide(page);
  await expect.poll(() => shownBoxes(cell)).toEqual(drawn);

  const csv = await (await server.request('/api/annotations/export.csv')).text();
  const folder = createFolder();
  const csvPath = join(folder, 'rois.csv');
  writeFileSync(csvPath, csv);
  const other = await serveWith({ inputs: [dirname(server.catalog.files[0]!.path)], annotationCsv: csvPath });
  await page.goto(`${other.baseUrl}/${at(1024, 768, 1)}`);
  await showsSlide(page);
  await expect.poll(() => shownBoxes(cell)).toEqual(drawn);

  // Two boxes with the same rows that meet at the edge of a tile stay separate.
  await page.keyboard.press('r');
  await drag(page, project(1000, 800), project(1024, 820));
  // Drawn from its far corner, because a press on the near one would grab the first box.
  await drag(page, project(1050, 820), project(1024, 800));
  await expect.poll(async () => (await shownBoxes(cell)).length).toBe(4);
  await reload(page);
  await showsSlide(page);
  await expect
    .poll(async () => (await shownBoxes(cell)).map(String).toSorted())
    .toEqual([...drawn, [800, 1000, 820, 1024], [800, 1024, 820, 1050]].map(String).toSorted());

  // A conflict is counted in boxes: the first ROI and the four parts of the second are two of them.
  const { num_roi: _, ...two } = await storedRois(server);
  await putRois(other, 0, two);
  await cell.focus();
  await page.keyboard.press('Shift+R');
  const notice = page.getByText('The server has different ROIs');
  await notice.waitFor();
  expect(await notice.textContent()).toContain('2 on the server, 5 on this page.');
});

test('on a rotated and flipped slide, a ROI is drawn on the same pixels', async () => {
  const { page, cell, server } = await openWithRoi();
  await page.keyboard.press('Alt+r');
  await page.keyboard.press('h');
  await page.keyboard.press('r');
  await showsSlide(page);
  // As for turned and flipped tiles: the point (u, v) from the middle is on screen at (v, u).
  const [left, top] = await middleOf(cell);
  const project = (x: number, y: number): [number, number] => [left + (y - 640), top + (x - 896)];
  await drag(page, project(850, 600), project(900, 650));
  await expectBoxes(server, [FIRST, [88, 82, 138, 132]]);
  expect((await storedRois(server)).roi_frames).toEqual([[TILE], [TILE]]);
});

test('the keyboard adds a ROI in the middle of the view, and the list leads to one and deletes all of it', async () => {
  const { page, cell, server } = await openWithRoi(at(1100, 850, 1));
  const box = await cell.boundingBox();
  await cell.focus();
  await page.keyboard.press('Shift+R');
  await expect.poll(async () => (await shownBoxes(cell)).length).toBe(2);
  const [top, left, bottom, right] = (await shownBoxes(cell))[1]!;
  // Half the width and height of the view, around its middle.
  expect([left, right]).toEqual([1100 - box!.width / 4, 1100 + box!.width / 4].map((x) => expect.closeTo(x, -0.3)));
  expect([top, bottom]).toEqual([850 - box!.height / 4, 850 + box!.height / 4].map((y) => expect.closeTo(y, -0.3)));
  await expect.poll(async () => (await storedRois(server)).num_roi).toBeGreaterThan(2);

  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByRole('button', { name: /30 × 40 px at 778, 532/ }).click();
  // The centre of the first ROI: 768 + 25 and 512 + 40.
  await expect.poll(() => placeOf(page)).toEqual([793, 552, 1]);
  await page.getByRole('button', { name: /^Delete ROI 2/ }).click();
  await expectBoxes(server, [FIRST]);
});
