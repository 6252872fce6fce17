import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolationsInBoth } from '../support/axe.ts';
import { openTab } from '../support/browser.ts';
import { corpus } from '../support/corpus.ts';
import { serve } from '../support/serve.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';
import {
  at,
  colorOf,
  colorsAt,
  createFolder,
  LARGEST_UID,
  middleOf,
  openLargestLevel,
  openPyramid,
  openSlide,
  placeOf,
  showsSlide,
} from '../support/slidePage.ts';
import {
  colorOfTile,
  deflateTile,
  halvings,
  type LevelShape,
  type Rgb,
  writePyramid,
  writeSlideLevel,
} from '../support/slidePyramid.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer } from '../support/viewerPage.ts';
import { CORPUS, needs } from '../support/needs.ts';

/** Counts the pixels of the canvas that show the padding of frames beyond the edge of the slide. */
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

// Writing a slide of 40,000 tiles takes long.
describe('a slide of 100,000 x 80,000 pixels', { timeout: 180_000 }, () => {
  const levels = halvings(100_000, 80_000, 512);

  test('opens whole, with fewer than 40 requests in all', async () => {
    const { page, cell, requests, complaints } = await openPyramid({ levels });
    // Wait until the page is complete: the explorer, the tags and the ROIs.
    await page.getByRole('treeitem', { name: /Slide/ }).first().waitFor();
    await page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem').first().waitFor();
    await expect.poll(() => requests.filter((url) => url.endsWith('/annotations')).length).toBe(levels.length);
    // A view of 736 x 670 pixels uses level 7, which has 782 x 625 pixels in 2 x 2 tiles.
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

  test('is as sharp as the screen at every zoom, at the position in the address', async () => {
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
    const { cell } = await openLargestLevel({ levels });
    await cell.getByText('Only a part of the slide is shown').waitFor();
    expect(await colorsAt(cell, [[0, 0]])).toEqual([colorOf(levels, 0, 50_000, 40_000)]);
  });
});

describe('pointer input', () => {
  const levels = halvings(8000, 6000, 256);

  test('the wheel zooms about the pointer, a drag and the arrows pan, and the keys fit', async () => {
    const { page, cell } = await openPyramid({ levels }, at(4000, 3000, 0.5));
    const [x, y] = await middleOf(cell);
    await page.mouse.move(x + 200, y - 100);
    await page.mouse.wheel(0, -100);
    // The pointer is 400 and 200 slide pixels from the middle; at 1.25 times the zoom it is 320 and 160.
    await expect.poll(() => placeOf(page)).toEqual([4000 + 400 - 320, 3000 - 200 + 160, 0.625]);

    await drag(page, [x, y], [x - 125, y + 50]);
    await expect.poll(() => placeOf(page)).toEqual([4080 + 200, 2960 - 80, 0.625]);

    const box = await cell.boundingBox();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    const right = 4280 + box!.width / 4 / 0.625;
    const up = 2880 - box!.height / 4 / 0.625;
    // The address holds whole pixels.
    await expect.poll(() => placeOf(page)).toEqual([expect.closeTo(right, -0.4), expect.closeTo(up, -0.4), 0.625]);

    await page.keyboard.press('=');
    await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#cell=${LARGEST_UID},1`);
  });

  test('turned and mirrored, every tile is where it belongs', async () => {
    const { page, cell, server } = await openPyramid({ levels }, at(4000, 3000, 1));
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('h');
    await showsSlide(page);
    // Turned right, the upper side is on the right; flipped, it is on the left: screen (-v, u) flipped is (v, u).
    const offsets = [
      [250, 100],
      [-250, 40],
      [30, -300],
    ] as const;
    const expected = offsets.map(([v, u]) => colorOf(levels, 0, 4000 + u, 3000 + v));
    expect(await colorsAt(cell, offsets)).toEqual(expected);

    // Opening the address shows the slide in the same orientation.
    await expect.poll(() => page.evaluate(() => location.hash)).toBe(`${at(4000, 3000, 1)},90h`);
    await page.goto(`${server.baseUrl}/?again${at(4000, 3000, 1)},90h`);
    await showsSlide(page);
    expect(await colorsAt(cell, offsets)).toEqual(expected);
  });

  test('two fingers pan and pinch', async () => {
    const { page, cell } = await openPyramid({ levels }, at(4000, 3000, 0.5));
    const [x, y] = await middleOf(cell);
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove', apart: number, down: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: [-apart, apart].map((dx, id) => ({ x: x + dx, y: y + down, id })),
      });
    await touch('touchStart', 50, 0);
    await touch('touchMove', 75, 20);
    await touch('touchMove', 100, 40);
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    // Twice the distance is twice the zoom. Moving 40 pixels down at a zoom of 1 moves the view 40 slide pixels up.
    await expect.poll(() => placeOf(page)).toEqual([expect.closeTo(4000, -0.4), expect.closeTo(2960, -0.4), 1]);
  });

  test('the minimap appears when the slide is larger than the view, and navigates', async () => {
    const { page, cell } = await openPyramid({ levels });
    const minimap = cell.getByRole('img', { name: 'Position on the slide' });
    expect(await minimap.isVisible()).toBe(false);
    await page.keyboard.press('\\');
    await minimap.waitFor();
    const box = await minimap.boundingBox();
    await page.mouse.click(box!.x + box!.width / 4, box!.y + box!.height / 4);
    // A pixel of the minimap is 50 pixels of the slide, hence the tolerance of 50 each way.
    await expect.poll(() => placeOf(page)).toEqual([expect.closeTo(2000, -2), expect.closeTo(1500, -2), 1]);
  });

  test('while the view moves quickly, requests for tiles that are no longer on screen are aborted', async () => {
    const { page, cell, requests } = await openPyramid({ levels: halvings(60_000, 60_000, 256) });
    const failed: string[] = [];
    page.on('requestfailed', (request) => failed.push(request.url()));
    await page.mouse.move(...(await middleOf(cell)));
    for (let notch = 0; notch < 24; notch += 1) await page.mouse.wheel(0, -100);
    await showsSlide(page);
    const gone = tilesAsked(failed);
    // The tiles that were not cancelled are all that the intermediate views have cost.
    expect(tilesAsked(requests).length - gone.length).toBeLessThan(150);
  });
});

test('levels whose scale is not an exact quarter are aligned exactly', async () => {
  const levels: LevelShape[] = [
    { width: 12_000, height: 9000, tile: 512 },
    { width: 2999, height: 2251, tile: 512 },
    { width: 749, height: 563, tile: 512 },
  ];
  // The right edge of the fifth tile of level 1 is at 5 x 512 of 2999 columns, which is 10,243 in the largest level.
  const edge = (5 * 512 * 12_000) / 2999;
  const { cell } = await openPyramid({ levels }, at(Math.round(edge), 4500, 0.25));
  const points = [
    [-3, 0],
    [3, 0],
  ] as const;
  expect(await colorsAt(cell, points)).toEqual(points.map(([x]) => colorOf(levels, 1, edge + x * 4, 4500)));
});

test('a level that shows another area is placed by its origin', async () => {
  // The small level covers 4096 x 4096 pixels of the large one, starting 512 left of its left edge and 256 above its
  // top edge. Between the centres of the first samples that is 510.5 and 254.5 samples of 0.001 mm, subtracted from 1
  // mm.
  const levels: LevelShape[] = [
    { width: 2048, height: 2048, tile: 512, elements: placeLevel(1, 1, '0.001') },
    { width: 1024, height: 1024, tile: 512, elements: placeLevel(0.4895, 0.7455, '0.004') },
  ];
  const { cell } = await openPyramid({ levels }, at(1024, 1024, 0.25));
  // The edges of its tiles are at 2048 - 512 and 2048 - 256, that is 512 and 768 from the middle; the slide ends at
  // 1024.
  const points = [
    [126, 190],
    [130, 190],
    [126, 194],
    [130, 194],
    [-258, 0],
  ] as const;
  expect(await colorsAt(cell, points)).toEqual([
    colorOfTile(1, 0, 0),
    colorOfTile(1, 1, 0),
    colorOfTile(1, 0, 1),
    colorOfTile(1, 1, 1),
    [0, 0, 0],
  ]);
});

test('dragging the window is visible during the drag, not only at its end; a box over several tiles gives one window', async () => {
  const gray = { SamplesPerPixel: 1, PhotometricInterpretation: 'MONOCHROME2', PlanarConfiguration: undefined };
  const folder = createFolder();
  const tiles = { TotalPixelMatrixColumns: 512, TotalPixelMatrixRows: 512, NumberOfFrames: 4, Rows: 256, Columns: 256 };
  const window = { WindowCenter: '128', WindowWidth: '256' };
  const PixelData = Uint8Array.from({ length: 4 * 256 * 256 }, (_, i) => i % 256);
  const elements = slideElements({ ...gray, ...tiles, ...window, PixelData, SOPInstanceUID: LARGEST_UID });
  writeFileSync(join(folder, 'gray.dcm'), writeDicom(elements));
  const { page, cell } = await openSlide(folder, at(256, 256, 1));
  // Column 100 of a tile has the value 100.
  const grayAt = async () => (await colorsAt(cell, [[100, 10]]))[0]?.[0];
  expect(await grayAt()).toBe(100);

  await page.keyboard.press('w');
  const [x, y] = await middleOf(cell);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // A drag of 300 pixels is the window width of 256: 20 up makes the center 111, so that all pixels are 17 brighter,
  // and 40 up makes it 94.
  await page.mouse.move(x, y - 20);
  await expect.poll(grayAt).toBe(117);
  await page.mouse.move(x, y - 40);
  await expect.poll(grayAt).toBe(134);
  await page.mouse.up();

  // A box over columns 20 to 39 of two tiles: a LINEAR window of width 20 is black at 20 and white at 39.
  await page.keyboard.press('u');
  await drag(page, [x + 20.6, y - 10], [x + 39.4, y + 10]);
  await cell.getByText('W 20 L 30').waitFor();
});

test('axe-core finds nothing serious on the light and the dark page of a slide', async () => {
  const folder = writePyramid(createFolder(), { levels: halvings(2000, 1500, 256) });
  const label = { ImageType: ['ORIGINAL', 'PRIMARY', 'LABEL', 'NONE'], SOPInstanceUID: `${LARGEST_UID}.9` };
  const size = { NumberOfFrames: 1, TotalPixelMatrixColumns: 10, TotalPixelMatrixRows: 6 };
  writeFileSync(join(folder, 'z-label.dcm'), writeDicom(slideElements({ ...label, ...size })));
  const { page, cell } = await openSlide(folder, at(1000, 750, 1));
  await cell.getByRole('button', { name: 'Label and overview' }).click();
  await cell.getByRole('img', { name: 'Label' }).waitFor();
  await cell.getByRole('img', { name: 'Position on the slide' }).waitFor();
  await page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem').first().waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);
});

/** The position of a frame, counted from 1 as in DICOM. */
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

  test('shows its tiles at their positions, on a grid or not, and the background elsewhere', async () => {
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

  test('optical path and focal plane can be chosen, are kept in the address, and keys change the focal plane too', async () => {
    const folder = writeSparse([
      [RED, place(250, 150)],
      [GREEN, place(250, 150, { z: 2.5 })],
      [BLUE, place(250, 150, { path: 'b' })],
    ]);
    const { page, cell, server } = await openSlide(folder, at(300, 200, 1));
    const colorShown = async () => (await colorsAt(cell, [[0, 0]]))[0];
    expect(await colorShown()).toEqual(RED);
    await cell.getByLabel('Focal plane').selectOption('2.5 µm');
    await expect.poll(colorShown).toEqual(GREEN);
    await expect.poll(() => page.evaluate(() => location.hash)).toBe(at(300, 200, 1, 2));

    await page.goto(`${server.baseUrl}/?again${at(300, 200, 1, 2)}`);
    await expect.poll(colorShown).toEqual(GREEN);
    await cell.getByLabel('Focal plane').waitFor();
    expect(await cell.getByLabel('Focal plane').inputValue()).toBe('1');
    await cell.focus();
    await page.keyboard.press('[');
    await expect.poll(colorShown).toEqual(RED);
    await cell.getByLabel('Optical path').selectOption('b');
    await expect.poll(colorShown).toEqual(BLUE);
  });

  test('a tile that cannot be shown leaves a gap, is reported, and can be retried', async () => {
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
    await page.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"]').waitFor();
  });
});

describe('label and overview', () => {
  test('are not requested until the user opens them', async () => {
    const folder = writePyramid(createFolder(), { levels: halvings(2000, 1500, 256) });
    const label = {
      ImageType: ['ORIGINAL', 'PRIMARY', 'LABEL', 'NONE'],
      SOPInstanceUID: '1.2.826.0.1.3680043.8.498.90',
    };
    const size = { NumberOfFrames: 1, TotalPixelMatrixColumns: 10, TotalPixelMatrixRows: 6 };
    // First by name, and therefore the first file in the list.
    writeFileSync(join(folder, 'a-label.dcm'), writeDicom(slideElements({ ...label, ...size })));
    const { page, cell, requests } = await openSlide(folder);
    await page.getByRole('treeitem', { name: /Slide/ }).first().waitFor();
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
  const { page } = await openPyramid({ levels: halvings(4000, 3000, 256) }, '#cell=1.2.826.0.1.3680043.8.498.80.3,1');
  await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#cell=${LARGEST_UID},1`);
});

test('a slide is one row of the explorer and one step of the history, whichever level it is opened by', async () => {
  const folder = writePyramid(createFolder(), { levels: halvings(4000, 3000, 256) });
  writeFileSync(join(folder, 'a-slice.dcm'), writeSlice({ number: 0 }));
  const server = await serve(folder);
  const { page, requests } = await openViewer(server);
  const hash = () => page.evaluate(() => location.hash);
  const line = (name: RegExp) => page.getByRole('navigation').getByRole('treeitem', { name });
  await line(/3 levels|4 levels/).waitFor();
  await expect.poll(hash).not.toBe('');
  const slice = await hash();

  await line(/levels/).click();
  await expect.poll(hash).toBe(`#cell=${LARGEST_UID},1`);
  await showsSlide(page);
  expect(await line(/levels/).getAttribute('aria-selected')).toBe('true');

  await page.goBack();
  await expect.poll(hash).toBe(slice);
  await page.locator('[data-cell="0"][data-status="ready"][data-shown="0"]').waitFor();
  // The page does not request a slide position for an image that is not a slide.
  const asked = requests
    .filter((url) => url.includes('/wsi-context'))
    .map((url) => Number(/file\/(\d+)/.exec(url)?.[1]));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked).not.toContain(0);
});

test('tiles without positions are viewed one by one', async () => {
  const folder = createFolder();
  mkdirSync(folder, { recursive: true });
  const nowhere = { TotalPixelMatrixColumns: undefined, TotalPixelMatrixRows: undefined };
  writeFileSync(join(folder, 'loose.dcm'), writeDicom(slideElements(nowhere)));
  const server = await serve(folder);
  const { page } = await openTab(server);
  await page.goto(`${server.baseUrl}/`);
  await page.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"][data-shown="0"]').waitFor();
  expect(await page.getByRole('slider', { name: 'Image in the stack' }).getAttribute('max')).toBe('8');
});

describe('real slides', needs(CORPUS), () => {
  test('a fluorescence slide has one window for all tiles of each optical path', async () => {
    const { page, cell, requests, complaints } = await openSlide(`${corpus}/wsi/fluorescence-bpaec`);
    const windowsOf = () => new Set(tilesAsked(requests).map((url) => new URL(url).search));
    expect(windowsOf().size).toBe(1);
    await cell.getByLabel('Optical path').selectOption({ index: 1 });
    await showsSlide(page);
    await expect.poll(() => windowsOf().size).toBe(2);
    expect([...windowsOf()].every((query) => query.startsWith('?wc='))).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('a stained slide with tiles at declared places is whole and sharp', async () => {
    const { cell, complaints, server } = await openSlide(`${corpus}/wsi/pyramid-ohif`);
    expect(await cell.getAttribute('data-status')).toBe('ready');
    // Glass and tissue are never black, unlike the page behind the slide.
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
