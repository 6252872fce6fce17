import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { openPage, type TestPage } from '../support/browser.ts';
import { corpus } from '../support/corpus.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { slideElements } from '../support/slideElements.ts';
import {
  colorOfTile,
  deflateTile,
  halvings,
  type LevelShape,
  type PyramidOptions,
  type Rgb,
  writePyramid,
  writeSlideLevel,
} from '../support/slidePyramid.ts';
import { drag } from '../support/viewerPage.ts';

const LARGEST_UID = '1.2.826.0.1.3680043.8.498.80.1';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'negato-slide-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type SlidePage = TestPage & { readonly server: TestServer; readonly cell: Locator };

async function openSlide(
  input: string,
  address = '',
  options: { width?: number; height?: number } = {},
): Promise<SlidePage> {
  const server = await serve(input);
  const opened = await openPage();
  await opened.page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 800 });
  await opened.page.goto(`${server.baseUrl}/${address}`);
  await showsSlide(opened.page);
  return { ...opened, server, cell: opened.page.locator('[data-cell="0"]') };
}

function openPyramid(options: PyramidOptions, address?: string): Promise<SlidePage> {
  return openSlide(writePyramid(createFolder(), options), address);
}

/** Waits until all tiles of the view are there, as sharp as the screen. */
async function showsSlide(page: Page): Promise<void> {
  await page.locator('[data-cell="0"] canvas[data-slide]').waitFor();
  // What was asked for is drawn, and what that asked for is under way.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(undefined)))),
  );
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
}

/** Colors of the canvas, at points that are counted from its middle. */
async function colorsAt(cell: Locator, points: readonly (readonly [number, number])[]): Promise<Rgb[]> {
  return cell.locator('canvas[data-slide]').evaluate((element, wanted) => {
    if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
    const context = element.getContext('2d');
    return wanted.map(([x, y]): [number, number, number] => {
      const [left, top] = [Math.round(element.width / 2 + x), Math.round(element.height / 2 + y)];
      const [red = 0, green = 0, blue = 0] = context?.getImageData(left, top, 1, 1).data ?? [];
      return [red, green, blue];
    });
  }, points);
}

/** Whether the filling of frames beyond the edge of the slide is anywhere on the canvas. */
async function countMagenta(cell: Locator): Promise<number> {
  return cell.locator('canvas[data-slide]').evaluate((element) => {
    if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
    const { data } = element.getContext('2d')!.getImageData(0, 0, element.width, element.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i]! > 245 && data[i + 1]! < 10 && data[i + 2]! > 245) count += 1;
    return count;
  });
}

function tilesAsked(requests: readonly string[]): string[] {
  return requests.filter((url) => /\/api\/file\/\d+\/frame\/\d+(\?|$)/.test(url));
}

async function middleOf(cell: Locator): Promise<[number, number]> {
  const box = await cell.boundingBox();
  if (box === null) throw new Error('the cell is not on the page');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** What the address says about the view: x, y and zoom. */
async function placeOf(page: Page): Promise<number[]> {
  // The address follows a moment after the view.
  await page.waitForTimeout(400);
  const hash = await page.evaluate(() => location.hash);
  return (/cell=[^,&]*,\d+,[^,&]*,([^,&]+)/.exec(hash)?.[1] ?? '').split('_').map(Number);
}

function at(x: number, y: number, zoom: number, frameNumber = 1): string {
  return `#cell=${LARGEST_UID},${frameNumber},,${x}_${y}_${zoom}`;
}

/** The color of the tile that holds a point of the largest level, on another level. */
function colorOf(levels: readonly LevelShape[], level: number, x: number, y: number): Rgb {
  const { width, height, tile } = levels[level]!;
  const [scaleX, scaleY] = [levels[0]!.width / width, levels[0]!.height / height];
  return colorOfTile(level, Math.floor(x / scaleX / tile), Math.floor(y / scaleY / tile));
}

// A slide of 40,000 tiles takes its time to write.
describe('a slide of 100,000 x 80,000 pixels', { timeout: 60_000 }, () => {
  const levels = halvings(100_000, 80_000, 512);

  test('opens whole, with fewer than 40 requests in all', async () => {
    const { page, cell, requests, complaints } = await openPyramid({ levels });
    // Until the page is complete: the explorer with its thumbnail, the tags, and what lies around.
    await page.getByRole('treeitem', { name: /Slide/ }).waitFor();
    await page.waitForTimeout(500);
    // 736 x 670 pixels show level 7, of 782 x 625 pixels in 2 x 2 tiles.
    expect(tilesAsked(requests)).toHaveLength(4);
    expect(requests.filter((url) => url.startsWith('http')).length).toBeLessThan(40);
    const box = await cell.boundingBox();
    const zoom = Math.min(box!.width / 100_000, box!.height / 80_000);
    const points = [
      [-30_000, -30_000],
      [30_000, -30_000],
      [-30_000, 39_000],
      [30_000, 39_000],
    ] as const;
    expect(
      await colorsAt(
        cell,
        points.map(([x, y]) => [x * zoom, y * zoom] as const),
      ),
    ).toEqual(points.map(([x, y]) => colorOf(levels, 7, 50_000 + x, 40_000 + y)));
    expect(await countMagenta(cell)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('is as sharp as the screen at every zoom, at the place that the address says', async () => {
    const { page, cell, server, complaints } = await openPyramid({ levels }, at(60_300, 33_300, 1));
    const around = [
      [0, 0],
      [300, 0],
      [-300, 0],
      [0, 300],
      [-250, -300],
    ] as const;
    const expected = (level: number, zoom: number) =>
      around.map(([x, y]) => colorOf(levels, level, 60_300 + x / zoom, 33_300 + y / zoom));
    expect(await colorsAt(cell, around)).toEqual(expected(0, 1));
    for (const [zoom, level] of [
      [0.12, 3],
      [0.02, 5],
    ] as const) {
      await page.goto(`${server.baseUrl}/?again=${zoom}${at(60_300, 33_300, zoom)}`);
      await showsSlide(page);
      expect(await colorsAt(cell, around)).toEqual(expected(level, zoom));
    }
    expect(complaints).toEqual([]);
  });

  test('without its small levels shows the middle and says so', async () => {
    const { cell } = await openPyramid({ levels: levels.slice(0, 1) });
    await cell.getByText('Zoom in to see the rest').waitFor();
    expect(await colorsAt(cell, [[0, 0]])).toEqual([colorOf(levels, 0, 50_000, 40_000)]);
  });
});

describe('hands', () => {
  const levels = halvings(8000, 6000, 256);

  test('the wheel zooms about the pointer, a drag and the arrows pan, and the keys fit', async () => {
    const { page, cell } = await openPyramid({ levels }, at(4000, 3000, 0.5));
    const [x, y] = await middleOf(cell);
    await page.mouse.move(x + 200, y - 100);
    await page.mouse.wheel(0, -100);
    // 400 and 200 pixels of the slide lay between middle and pointer; at 1.25 times the size it is 320 and 160.
    expect(await placeOf(page)).toEqual([4000 + 400 - 320, 3000 - 200 + 160, 0.625]);

    await drag(page, [x, y], [x - 125, y + 50]);
    expect(await placeOf(page)).toEqual([4080 + 200, 2960 - 80, 0.625]);

    const box = await cell.boundingBox();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    const [px, py] = await placeOf(page);
    expect(Math.abs(px! - (4280 + box!.width / 4 / 0.625))).toBeLessThanOrEqual(1);
    expect(Math.abs(py! - (2880 - box!.height / 4 / 0.625))).toBeLessThanOrEqual(1);

    await page.keyboard.press('=');
    await showsSlide(page);
    await page.waitForTimeout(400);
    expect(await page.evaluate(() => location.hash)).toBe(`#cell=${LARGEST_UID},1`);
  });

  test('turned and mirrored, every tile is where it belongs', async () => {
    const { page, cell } = await openPyramid({ levels }, at(4000, 3000, 1));
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('h');
    await showsSlide(page);
    // Turned to the right, what was up is right; mirrored, it is left: screen (-v, u) mirrored is (v, u).
    const offsets = [
      [250, 100],
      [-250, 40],
      [30, -300],
    ] as const;
    expect(await colorsAt(cell, offsets)).toEqual(offsets.map(([v, u]) => colorOf(levels, 0, 4000 + u, 3000 + v)));
  });

  test('the minimap is there when there is more to see, and leads there', async () => {
    const { page, cell } = await openPyramid({ levels });
    const minimap = cell.getByRole('img', { name: 'Where on the slide' });
    expect(await minimap.isVisible()).toBe(false);
    await page.keyboard.press('\\');
    await minimap.waitFor();
    const box = await minimap.boundingBox();
    await page.mouse.click(box!.x + box!.width / 4, box!.y + box!.height / 4);
    const [x, y, zoom] = await placeOf(page);
    // A pixel of the minimap is 50 of the slide.
    expect(Math.abs(x! - 2000)).toBeLessThanOrEqual(100);
    expect(Math.abs(y! - 1500)).toBeLessThanOrEqual(100);
    expect(zoom).toBe(1);
  });

  test('while the view flies, requests for what is no longer on screen are given up', async () => {
    const { page, cell, requests } = await openPyramid({ levels: halvings(60_000, 60_000, 256) });
    const failed: string[] = [];
    page.on('requestfailed', (request) => failed.push(request.url()));
    await page.mouse.move(...(await middleOf(cell)));
    for (let notch = 0; notch < 24; notch += 1) await page.mouse.wheel(0, -100);
    await showsSlide(page);
    const gone = tilesAsked(failed);
    // Whatever was not given up came, and is all that the views in between have cost.
    expect(tilesAsked(requests).length - gone.length).toBeLessThan(150);
  });
});

test('levels that are no exact quarters lie exactly on each other', async () => {
  const levels: LevelShape[] = [
    { width: 12_000, height: 9000, tile: 512 },
    { width: 2999, height: 2251, tile: 512 },
    { width: 749, height: 563, tile: 512 },
  ];
  // The right edge of the fifth tile of level 1 is at 5 x 512 of 2999 columns: 10,243 of the largest level.
  const edge = (5 * 512 * 12_000) / 2999;
  const { cell } = await openPyramid({ levels }, at(Math.round(edge), 4500, 0.25));
  const points = [
    [-3, 0],
    [3, 0],
  ] as const;
  expect(await colorsAt(cell, points)).toEqual(points.map(([x]) => colorOf(levels, 1, edge + x * 4, 4500)));
});

/** The groups of a frame, counted from 1 as DICOM does. */
function place(x: number, y: number, more: { z?: number; path?: string } = {}): DataSetInput {
  return {
    PlanePositionSlideSequence: [
      {
        ColumnPositionInTotalImagePixelMatrix: x + 1,
        RowPositionInTotalImagePixelMatrix: y + 1,
        XOffsetInSlideCoordinateSystem: 0,
        YOffsetInSlideCoordinateSystem: 0,
        ZOffsetInSlideCoordinateSystem: more.z ?? 0,
      },
    ],
    OpticalPathIdentificationSequence: [{ OpticalPathIdentifier: more.path ?? 'a' }],
  };
}

/** A slide of 600 x 400 pixels with a few tiles of 100 x 100. */
function writeSparse(frames: readonly (readonly [Rgb, DataSetInput])[], more: DataSetInput = {}): string {
  const folder = createFolder();
  const bytes = writeSlideLevel(0, {
    DimensionOrganizationType: 'TILED_SPARSE',
    TotalPixelMatrixColumns: 600,
    TotalPixelMatrixRows: 400,
    Rows: 100,
    Columns: 100,
    NumberOfFrames: frames.length,
    OpticalPathSequence: ['a', 'b'].map((OpticalPathIdentifier) => ({ OpticalPathIdentifier })),
    PerFrameFunctionalGroupsSequence: frames.map(([, groups]) => groups),
    PixelData: { fragments: frames.map(([color]) => deflateTile(color, 100)) },
    ...more,
  });
  writeFileSync(join(folder, 'sparse.dcm'), bytes);
  return folder;
}

describe('a sparse slide', () => {
  const RED: Rgb = [200, 30, 30];
  const BLUE: Rgb = [30, 30, 200];
  const GREEN: Rgb = [30, 160, 30];

  test('shows its tiles where they lie, on a grid or not, and the background where there is none', async () => {
    const folder = writeSparse([
      [RED, place(0, 0)],
      [BLUE, place(337, 151)],
      [GREEN, place(550, 350)],
    ]);
    const { cell, complaints } = await openSlide(folder, at(300, 200, 1));
    const points = [
      [50, 50],
      [338, 152],
      [435, 249],
      [335, 200],
      [599, 399],
      [540, 390],
    ] as const;
    const white: Rgb = [255, 255, 255];
    expect(
      await colorsAt(
        cell,
        points.map(([x, y]) => [x - 300, y - 200] as const),
      ),
    ).toEqual([RED, BLUE, BLUE, white, GREEN, white]);
    expect(complaints).toEqual([]);
  });

  test('the background is the one that the file recommends', async () => {
    // L* of 0 is black.
    const more = { RecommendedAbsentPixelCIELabValue: [0, 32896, 32896] };
    const { cell } = await openSlide(
      writeSparse(
        [
          [RED, place(0, 0)],
          [RED, place(100, 0)],
        ],
        more,
      ),
      at(300, 200, 1),
    );
    expect(
      await colorsAt(cell, [
        [0, 0],
        [-250, -150],
      ]),
    ).toEqual([[0, 0, 0], RED]);
  });

  test('the light and the focus are chosen, are kept in the address, and the keys focus too', async () => {
    const folder = writeSparse([
      [RED, place(250, 150)],
      [GREEN, place(250, 150, { z: 2.5 })],
      [BLUE, place(250, 150, { path: 'b' })],
    ]);
    const { page, cell, server } = await openSlide(folder, at(300, 200, 1));
    const colorShown = async () => (await colorsAt(cell, [[0, 0]]))[0];
    expect(await colorShown()).toEqual(RED);
    await cell.getByLabel('Focus').selectOption('2.5 µm');
    await showsSlide(page);
    expect(await colorShown()).toEqual(GREEN);
    await page.waitForTimeout(400);
    const hash = await page.evaluate(() => location.hash);
    expect(hash).toBe(at(300, 200, 1, 2));

    await page.goto(`${server.baseUrl}/?again${hash}`);
    await showsSlide(page);
    expect(await colorShown()).toEqual(GREEN);
    await cell.getByLabel('Focus').waitFor();
    expect(await cell.getByLabel('Focus').inputValue()).toBe('1');
    await cell.focus();
    await page.keyboard.press('[');
    await showsSlide(page);
    expect(await colorShown()).toEqual(RED);
    await cell.getByLabel('Light').selectOption('b');
    await showsSlide(page);
    expect(await colorShown()).toEqual(BLUE);
  });

  test('a tile that cannot be shown leaves a hole, is told, and can be tried again', async () => {
    const torn = new Uint8Array(64).fill(255);
    const frames = [
      [RED, place(0, 0)],
      [RED, place(100, 0)],
    ] as const;
    const pixels = { PixelData: { fragments: [deflateTile(RED, 100), torn] } };
    const { page, cell, requests } = await openSlide(writeSparse(frames, pixels), at(300, 200, 1));
    const notice = cell.getByRole('alert');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/^1 tile cannot be shown: /);
    expect(
      await colorsAt(cell, [
        [-250, -150],
        [-150, -150],
      ]),
    ).toEqual([RED, [255, 255, 255]]);
    const before = tilesAsked(requests).length;
    await notice.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => tilesAsked(requests).length).toBe(before + 1);
    await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
  });
});

describe('label and overview', () => {
  test('are not asked for until somebody wants to see them', async () => {
    const folder = writePyramid(createFolder(), { levels: halvings(2000, 1500, 256) });
    const label = {
      ImageType: ['ORIGINAL', 'PRIMARY', 'LABEL', 'NONE'],
      SOPInstanceUID: '1.2.826.0.1.3680043.8.498.90',
    };
    const size = { NumberOfFrames: 1, TotalPixelMatrixColumns: 10, TotalPixelMatrixRows: 6 };
    // First by name, and so the first file of all.
    writeFileSync(join(folder, 'a-label.dcm'), writeDicom(slideElements({ ...label, ...size })));
    const { page, cell, requests } = await openSlide(folder);
    await page.getByRole('treeitem', { name: /Slide/ }).waitFor();
    await page.waitForTimeout(500);
    const ofLabel = () => requests.filter((url) => url.includes('/api/file/0/'));
    expect(ofLabel()).toEqual([]);
    await cell.getByRole('button', { name: 'Label and overview' }).click();
    await cell.getByRole('img', { name: 'Label' }).waitFor();
    expect(ofLabel().map((url) => url.replace(/.*api/, ''))).toEqual(['/file/0/frame/0/thumbnail?size=400']);
    await cell.getByRole('button', { name: 'Label and overview' }).click();
    expect(await cell.getByRole('img', { name: 'Label' }).count()).toBe(0);
  });
});

test('a slide opened by a small level is the whole slide', async () => {
  const folder = writePyramid(createFolder(), { levels: halvings(4000, 3000, 256) });
  const { page } = await openSlide(folder, '#cell=1.2.826.0.1.3680043.8.498.80.3,1');
  await page.waitForTimeout(400);
  expect(await page.evaluate(() => location.hash)).toBe(`#cell=${LARGEST_UID},1`);
});

test('tiles of which nothing says where they lie are looked at one by one', async () => {
  const folder = createFolder();
  mkdirSync(folder, { recursive: true });
  const nowhere = { TotalPixelMatrixColumns: undefined, TotalPixelMatrixRows: undefined };
  writeFileSync(join(folder, 'loose.dcm'), writeDicom(slideElements(nowhere)));
  const server = await serve(folder);
  const { page } = await openPage();
  await page.goto(`${server.baseUrl}/`);
  await page.locator('[data-cell="0"][data-status="ready"][data-shown="0"]').waitFor();
  expect(await page.getByRole('slider', { name: 'Image in the stack' }).getAttribute('max')).toBe('8');
});

describe.skipIf(corpus === undefined)('real slides', () => {
  test('a fluorescence slide goes through one window for all tiles, one for each light', async () => {
    const { page, cell, requests, complaints } = await openSlide(`${corpus}/wsi/fluorescence-bpaec`);
    const windowsOf = () => new Set(tilesAsked(requests).map((url) => new URL(url).search));
    expect(windowsOf().size).toBe(1);
    await cell.getByLabel('Light').selectOption({ index: 1 });
    await showsSlide(page);
    expect(windowsOf().size).toBe(2);
    expect([...windowsOf()].every((query) => query.startsWith('?wc='))).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('a stained slide with tiles at declared places is whole and sharp', async () => {
    const { cell, complaints, server } = await openSlide(`${corpus}/wsi/pyramid-ohif`);
    expect(await cell.getAttribute('data-status')).toBe('ready');
    // Glass and tissue: nowhere black, as the page behind the slide is.
    const colors = await colorsAt(cell, [
      [0, 0],
      [-100, -200],
      [150, 250],
    ]);
    for (const color of colors) expect(Math.min(...color)).toBeGreaterThan(80);
    expect([complaints, server.errors]).toEqual([[], []]);
  });

  test.each(['sm_image.dcm', 'sm_image_grayscale.dcm'])('the tiny slide %s opens', async (name) => {
    const { cell, complaints } = await openSlide(`${corpus}/wsi/tiny/${name}`);
    expect(await cell.getAttribute('data-status')).toBe('ready');
    expect(complaints).toEqual([]);
  });
});
