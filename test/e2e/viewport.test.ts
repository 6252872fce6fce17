import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openTab } from '../support/browser.ts';
import { serveShared } from '../support/serve.ts';
import { levelOf, SLICE_COLUMNS, SLICE_ROWS, SLICE_WINDOW, valueAt, writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer, projectionOf, showsImage, type View } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };
/** Points away from the texts in the corners and from the middle of the image. */
const PIXELS: readonly [number, number][] = [
  [10, 6],
  [19, 6],
  [11, 13],
  [20, 14],
];

const PATIENT = { timeout: 60_000 };

/** Requests for frames to display. The thumbnails of the explorer are left out, because their timing is independent. */
function framesOf(requests: readonly string[]): string[] {
  return requests.filter((url) => /\/frame\/\d+(\/raw|\?|$)/.test(url));
}

async function openSlices(count: number) {
  const server = await serveShared(...Array.from({ length: count }, (_, number) => writeSlice({ number })));
  const viewer = await openViewer(server);
  // Until the series are known, the first file is a stack of its own.
  if (count > 1) await viewer.page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
  return { server, ...viewer };
}

/** The gray levels on the canvas at the centres of these image pixels. */
async function levelsAt(cell: Locator, view: View, pixels = PIXELS): Promise<number[]> {
  const at = await projectionOf(cell, IMAGE, view);
  const box = await cell.locator('canvas').boundingBox();
  const points = pixels.map(([x, y]) => {
    const [pageX, pageY] = at(x + 0.5, y + 0.5);
    return [pageX - (box?.x ?? 0), pageY - (box?.y ?? 0)] as const;
  });
  return cell.locator('canvas').evaluate((element, wanted) => {
    if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
    const context = element.getContext('2d');
    return wanted.map(([x, y]) => {
      const [red, green, blue] = context?.getImageData(Math.floor(x), Math.floor(y), 1, 1).data ?? [];
      if (red !== green || red !== blue) throw new Error(`(${red}, ${green}, ${blue}) is no gray`);
      return red ?? -1;
    });
  }, points);
}

function expectedLevels(number: number, window = SLICE_WINDOW): number[] {
  return PIXELS.map(([x, y]) => levelOf(valueAt(number, x, y), window));
}

/** Waits for two animation frames, after which requested drawing is done. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(undefined)))),
  );
}

async function middleOf(cell: Locator): Promise<[number, number]> {
  const box = await cell.boundingBox();
  if (box === null) throw new Error('the cell is not on the page');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

describe('scrolling', () => {
  test('the wheel, the keys and the slider lead through the stack in the order of the patient', async () => {
    const { page, cell, complaints } = await openSlices(30);
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0));
    await page.mouse.move(...(await middleOf(cell)));

    await page.mouse.wheel(0, 100);
    await showsImage(page, 1);
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(1));
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 100);
    await page.keyboard.up('Shift');
    await showsImage(page, 11);
    for (const [key, position] of [
      ['ArrowDown', 12],
      ['ArrowLeft', 11],
      ['Shift+ArrowUp', 1],
      ['End', 29],
      ['ArrowRight', 29],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await showsImage(page, position);
    }
    await page.getByRole('slider', { name: 'Image in the stack' }).fill('17');
    await showsImage(page, 17);

    expect(await levelsAt(cell, {})).toEqual(expectedLevels(17));
    expect(await cell.getByText('18 / 30').count()).toBe(1);
    expect(await cell.getByText('34.0 mm').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('slices that were shown are not requested again', async () => {
    const { page, requests } = await openSlices(10);
    for (let position = 1; position < 10; position++) {
      await page.keyboard.press('ArrowDown');
      await showsImage(page, position);
    }
    const before = framesOf(requests).length;

    await page.keyboard.press('Home');
    await showsImage(page, 0);
    await page.keyboard.press('End');
    await showsImage(page, 9);

    expect(before).toBe(10);
    expect(framesOf(requests).length).toBe(10);
  });

  test('neighbors are prefetched with a lower priority than the image on screen', async () => {
    const server = await serveShared(...Array.from({ length: 8 }, (_, number) => writeSlice({ number })));
    const { page } = await openTab(server);
    const priorities = new Map<string, string | undefined>();
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/raw'))
        priorities.set(new URL(request.url()).pathname, request.headers()['priority']);
    });

    await page.goto(server.baseUrl);
    await showsImage(page);
    await expect.poll(() => priorities.size, PATIENT).toBe(8);

    expect(priorities.get('/api/file/0/frame/0/raw')).toBeUndefined();
    expect(priorities.get('/api/file/1/frame/0/raw')).toBe('u=6');
  });
});

test('the value under the pointer follows the image, also while the pointer rests', async () => {
  const { page, cell } = await openSlices(3);
  const at = await projectionOf(cell, IMAGE, {});
  await page.mouse.move(...at(12.5, 7.5));
  // 10 times the slice, and 12 + 2 * 7 = 26.
  await cell.getByText('(12, 7)  26 HU').waitFor();

  await page.mouse.wheel(0, 100);
  await cell.getByText('(12, 7)  36 HU').waitFor();
  await page.mouse.move(0, 0);

  await expect.poll(() => cell.getByText('(12, 7)').count(), PATIENT).toBe(0);
});

describe('the window', () => {
  test('a drag to the right widens it and up brightens it, by the standard’s arithmetic and without a request', async () => {
    const { page, cell, requests } = await openSlices(3);
    await expect.poll(() => framesOf(requests).length, PATIENT).toBe(3);
    await cell.getByText('W 300 L 50').waitFor();
    const [x, y] = await middleOf(cell);

    // A drag of 300 pixels changes the width by itself, which is 1 per pixel.
    await drag(page, [x, y], [x + 100, y - 30]);
    await settle(page);

    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0, { center: 20, width: 400 }));
    expect(await cell.getByText('W 400 L 20').count()).toBe(1);
    expect(framesOf(requests).length).toBe(3);
  });

  test('keys give presets by name, the full range, the inverse, and the file’s own window again', async () => {
    const { page, cell } = await openSlices(1);

    await page.keyboard.press('4');
    await cell.getByText('W 80 L 40 HU  Brain').waitFor();
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0, { center: 40, width: 80 }));

    await page.keyboard.press('`');
    // From 0 to 29 + 2 * 19 = 67: a LINEAR window of 68 values centred at 34.
    await cell.getByText('W 68 L 34 HU  full range').waitFor();
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0, { center: 34, width: 68 }));

    await page.keyboard.press('0');
    await cell.getByText('W 300 L 50').waitFor();
    await page.keyboard.press('i');
    await cell.getByText('inverted').waitFor();
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0).map((level) => 255 - level));
  });

  test('Escape during a drag cancels it', async () => {
    const { page, cell } = await openSlices(1);
    const [x, y] = await middleOf(cell);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 150, y);
    await cell.getByText('W 450 L 50').waitFor();

    await page.keyboard.press('Escape');
    await page.mouse.up();

    await cell.getByText('W 300 L 50').waitFor();
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0));
  });

  test('of an image with a VOI LUT comes from the server until it is changed', async () => {
    const lut = {
      // 300 entries of 8 bits from value 0 on, which invert the image.
      LUTDescriptor: { vr: 'US', value: [300, 1024 - 1024, 8] },
      LUTData: { vr: 'US', value: Array.from({ length: 300 }, (_, i) => Math.max(0, 255 - i)) },
    } as const;
    const server = await serveShared(
      writeSlice({ number: 0 }, { WindowCenter: undefined, WindowWidth: undefined, VOILUTSequence: [lut] }),
    );
    const { page, cell, requests } = await openViewer(server);
    await cell.getByText('VOI LUT').waitFor();
    expect(await levelsAt(cell, {})).toEqual(PIXELS.map(([x, y]) => 255 - valueAt(0, x, y)));
    const pictures = () => requests.filter((url) => /frame\/0(\?|$)/.test(url)).length;
    expect(pictures()).toBe(1);

    await page.keyboard.press('1');
    await cell.getByText('Soft tissue').waitFor();

    expect(await levelsAt(cell, {})).toEqual(expectedLevels(0, { center: 40, width: 400 }));
    expect(pictures()).toBe(1);
  });
});

describe('the view', () => {
  const VIEWS: readonly [string, readonly string[], View][] = [
    ['the whole image', [], {}],
    ['one to one', ['\\'], { zoom: 1 }],
    ['turned right', ['Alt+r'], { turns: 1 }],
    ['turned left', ['Alt+l'], { turns: 3 }],
    ['mirrored left to right', ['h'], { flipHorizontal: true }],
    ['mirrored top to bottom', ['Shift+V'], { flipVertical: true }],
    ['turned, then mirrored', ['Alt+r', 'h'], { turns: 1, flipHorizontal: true }],
    ['larger', ['\\', '+', '+', '+', '+', '+', '+', '-'], { zoom: 1.25 ** 5 }],
    ['whole again', ['\\', '+', '='], {}],
    ['reset', ['\\', 'Alt+r', 'h', 'Shift+Escape'], {}],
  ];

  test('every pixel is where it belongs, in every view', async () => {
    const { page, cell } = await openSlices(1);
    const shown: [string, number[]][] = [];
    for (const [name, keys, view] of VIEWS) {
      await page.keyboard.press('Shift+Escape');
      for (const key of keys) await page.keyboard.press(key);
      await settle(page);
      shown.push([name, await levelsAt(cell, view)]);
    }
    expect(shown).toEqual(VIEWS.map(([name]) => [name, expectedLevels(0)]));
  });

  test('letters at the edges turn with the image, and the scale bar is as long as it says', async () => {
    const { page, cell } = await openSlices(1);
    const letters = async () => (await cell.locator('[class*=letter]').allTextContents()).join(' ');
    // Left, right, top, bottom of an axial slice.
    await expect.poll(letters, PATIENT).toBe('R L A P');
    await page.keyboard.press('h');
    await expect.poll(letters, PATIENT).toBe('L R A P');
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('\\');
    // At 1:1 a pixel of 1 mm is one screen pixel, and the scale bar is at most 200 pixels long.
    await cell.getByText(/cm$/).waitFor();
    const scale = cell.locator('[data-scale]');
    expect(await scale.textContent()).toBe('10 cm');
    expect((await scale.locator('[class*=bar]').boundingBox())?.width).toBe(100);
  });

  test('zooming and panning with the pointer keep the same point under it', async () => {
    const { page, cell } = await openSlices(1);
    const [x, y] = await middleOf(cell);
    const probe = () => cell.getByText(/^\(/).textContent();
    const at: [number, number] = [x + 60, y + 40];
    await page.mouse.move(...at);
    await page.mouse.move(at[0] + 1, at[1]);
    await page.mouse.move(...at);
    const under = (await probe())?.split('\n')[0];
    expect(under).toMatch(/^\(\d+, \d+\) {2}-?\d+ HU \(stored \d+\)$/);

    // Zoomed with Ctrl and the wheel and with a right drag, and moved with the middle button and with Space.
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.mouse.down({ button: 'right' });
    await page.mouse.move(at[0], at[1] - 60);
    await page.mouse.move(...at);
    await page.mouse.up({ button: 'right' });
    // A right drag does not count as a right click.
    await settle(page);
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.mouse.down({ button: 'middle' });
    await page.mouse.move(at[0] - 50, at[1] - 70);
    await page.mouse.up({ button: 'middle' });
    await page.keyboard.down('Space');
    await page.mouse.down();
    await page.mouse.move(at[0] - 80, at[1] - 30);
    await page.mouse.up();
    await page.keyboard.up('Space');
    await settle(page);

    expect((await probe())?.split('\n')[0]).toBe(under);
  });

  test('a right click offers what the keys do', async () => {
    const { page, cell } = await openSlices(1);
    await page.mouse.click(...(await middleOf(cell)), { button: 'right' });
    await page.getByRole('menuitem', { name: 'Flip horizontally' }).click();
    await settle(page);
    expect(await levelsAt(cell, { flipHorizontal: true })).toEqual(expectedLevels(0));
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  test('the menu of a press that Esc cancels does not open, and the next one does', async () => {
    const { page, cell } = await openSlices(1);
    await page.mouse.move(...(await middleOf(cell)));
    await page.mouse.down({ button: 'right' });
    await page.keyboard.press('Escape');
    await page.mouse.up({ button: 'right' });
    await settle(page);
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.mouse.click(...(await middleOf(cell)), { button: 'right' });
    await page.getByRole('menuitem', { name: 'Flip horizontally' }).waitFor();
  });
});

describe('a frame of many pixels', () => {
  const [rows, columns] = [1500, 2000];

  test('is painted by a worker, with the right levels during a drag and after it', async () => {
    const samples = Int16Array.from({ length: rows * columns }, (_, i) => 1024 + (i % 97));
    const server = await serveShared(writeSlice({ number: 0 }, { Rows: rows, Columns: columns, PixelData: samples }));
    const { page, cell, complaints } = await openViewer(server);
    expect(page.workers().length).toBe(1);
    await page.keyboard.press('\\');
    const [x, y] = await middleOf(cell);
    // Column 1000 of row 750 starts at the middle of the canvas, or half a pixel after it where a side is odd.
    const levels = () =>
      cell.locator('canvas').evaluate((element) => {
        if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
        const context = element.getContext('2d');
        const { data } = context?.getImageData(Math.ceil(element.width / 2), Math.ceil(element.height / 2), 5, 1) ?? {};
        return [0, 4, 8, 12, 16].map((at) => data?.[at]);
      });
    const expected = (window: { center: number; width: number }) =>
      [0, 1, 2, 3, 4].map((step) => levelOf((750 * columns + 1000 + step) % 97, window));
    // The picture before the key is as exact as the one after it.
    await expect.poll(levels).toEqual(expected(SLICE_WINDOW));

    await page.mouse.move(x, y);
    await page.mouse.down();
    // The sampled picture may be there for a moment only.
    await cell.evaluate((element) => {
      const seen: (string | null)[] = [];
      Reflect.set(window, 'qualities', seen);
      const note = () => seen.push(element.getAttribute('data-quality'));
      new MutationObserver(note).observe(element, { attributeFilter: ['data-quality'] });
    });
    await page.mouse.move(x - 200, y);
    await expect.poll(() => page.evaluate((): unknown => Reflect.get(window, 'qualities'))).toContain('sampled');
    await expect.poll(levels).toEqual(expected({ center: 50, width: 100 }));
    await page.mouse.up();
    await showsImage(page);

    expect(await levels()).toEqual(expected({ center: 50, width: 100 }));
    expect(complaints).toEqual([]);
  });
});

describe('two fingers', () => {
  test('zoom and pan the image, and both stay on their pixels', async () => {
    const { page, cell } = await openSlices(1);
    const [x, y] = await middleOf(cell);
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: readonly (readonly [number, number])[]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([pointX, pointY], id) => ({ x: pointX, y: pointY, id })),
      });

    await touch('touchStart', [x - 50, y], [x + 50, y]);
    for (const step of [10, 30, 50]) await touch('touchMove', [x - 50 - step, y + step], [x + 50 + step, y + step]);
    await touch('touchEnd');
    await settle(page);

    // Twice as large and 50 pixels further down.
    const at = await projectionOf(cell, IMAGE, {});
    const { width = 0 } = (await cell.locator('canvas').boundingBox()) ?? {};
    const fit = (at(1, 0)[0] - at(0, 0)[0]) * 2;
    expect(fit * SLICE_COLUMNS).toBeGreaterThan(width);
    await cell.getByText(`Zoom ${Math.round(fit * 100)} %`).waitFor();
    const levels = await cell.locator('canvas').evaluate((element, zoom) => {
      if (!(element instanceof HTMLCanvasElement)) throw new Error('not a canvas');
      const context = element.getContext('2d');
      // The centre of the pixel right of and below the middle of the image.
      const [px, py] = [element.width / 2 + zoom / 2, element.height / 2 + 50 + zoom / 2];
      return context?.getImageData(Math.floor(px), Math.floor(py), 1, 1).data[0];
    }, fit);
    expect(levels).toBe(levelOf(valueAt(0, SLICE_COLUMNS / 2, SLICE_ROWS / 2)));
  });
});

describe('a frame that cannot be shown', () => {
  test('reports the reason, can be retried, and does not block others', async () => {
    const server = await serveShared(...[0, 1, 2].map((number) => writeSlice({ number })));
    const { page, cell } = await openViewer(server);
    await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
    let isBroken = true;
    await page.route('**/api/file/1/frame/0/raw*', (route) =>
      isBroken
        ? route.fulfill({
            status: 500,
            json: { code: 'pixel_decode_failed', error: 'frame 0, RLE: the data ends early' },
          })
        : route.continue(),
    );
    await page.reload();
    await showsImage(page);
    await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();

    await page.keyboard.press('ArrowDown');
    await cell.getByText('frame 0, RLE: the data ends early').waitFor();
    expect(await cell.getAttribute('data-status')).toBe('failed');
    await page.keyboard.press('ArrowDown');
    await showsImage(page, 2);
    await page.keyboard.press('ArrowUp');
    await cell.getByText('the data ends early').waitFor();

    isBroken = false;
    await cell.getByRole('button', { name: 'Retry' }).click();
    await showsImage(page, 1);
    expect(await levelsAt(cell, {})).toEqual(expectedLevels(1));
  });
});

describe('linked cells', () => {
  test('scroll to the same place in the patient, and share window and zoom', async () => {
    // 20 slices 2 mm apart, and 8 slices 5 mm apart.
    const server = await serveShared(
      ...Array.from({ length: 20 }, (_, number) => writeSlice({ number, series: 1, spacingMm: 2 })),
      ...Array.from({ length: 8 }, (_, number) => writeSlice({ number, series: 2, spacingMm: 5 })),
    );
    const { page, cell } = await openViewer(server);
    await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();
    await page.getByRole('button', { name: 'Layout' }).click();
    await page.getByRole('button', { name: '1 × 2' }).click();
    const other = page.locator('[data-cell="1"]');
    await other.click();
    await page.getByRole('navigation', { name: 'Explorer' }).getByText('Series 2').click();
    await other.locator('[class*=letter]', { hasText: 'A' }).waitFor();
    await cell.locator('[class*=letter]', { hasText: 'A' }).waitFor();
    await page.keyboard.press('Alt+4');
    for (const name of ['Link scrolling', 'Link windows', 'Link zoom']) {
      const link = page.getByRole('button', { name });
      await link.click();
      await expect.poll(() => link.getAttribute('aria-pressed')).toBe('true');
    }
    await page.mouse.click(...(await middleOf(cell)));

    await page.keyboard.press('Shift+ArrowDown');
    await showsImage(page, 10);
    // 20 mm is the fifth of the slices that are 5 mm apart.
    await other.getByText('5 / 8').waitFor();
    await page.keyboard.press('3');
    await other.getByText('W 2000 L 350 HU  Bone').waitFor();
    await page.keyboard.press('\\');
    await other.getByText('Zoom 100 %').waitFor();
    expect(await other.getAttribute('data-shown')).toBe('4');
  });
});
