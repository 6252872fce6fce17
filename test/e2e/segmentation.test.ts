import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import {
  type Patch,
  type PatchedSegmentation,
  SLICE_SIZE,
  writeSegmentation,
  writeSlices,
} from '../support/segmentedSlices.ts';
import { openViewer, projectionOf, showsImage, type View, type ViewerPage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_SIZE, columns: SLICE_SIZE };
/** Palette colors of segments 1 and 2. */
const RED = [225, 60, 60];
const GREEN = [0, 255, 0];
/** Alpha of the default opacity of segments, which is one half. */
const HALF = 128;

/** Segment 1 is on slices 1 to 3 of 5, one column further right on each; segment 2 is on slice 2. */
const ORGANS: PatchedSegmentation = {
  uid: '2.25.900',
  name: 'Organs',
  patches: [
    ...[1, 2, 3].map((slice): Patch => ({ slice, segment: 1, top: 4, left: 4 + slice, rows: 6, columns: 8 })),
    { slice: 2, segment: 2, top: 20, left: 20, rows: 5, columns: 5 },
  ],
};

const LESIONS: PatchedSegmentation = {
  uid: '2.25.901',
  name: 'Lesions',
  patches: [{ slice: 2, segment: 2, top: 26, left: 2, rows: 4, columns: 4 }],
};

async function serveOrgans(...others: readonly PatchedSegmentation[]): Promise<SharedServer> {
  return serveShared(...writeSlices(5), ...[ORGANS, ...others].map(writeSegmentation));
}

async function leftOf(locator: Locator): Promise<number> {
  return locator.evaluate((element) => element.getBoundingClientRect().left);
}

/** Right edge of the last line of a text, which may be shorter than the lines above it. */
async function endOfLastLine(locator: Locator): Promise<number> {
  return locator.evaluate(({ lastChild: text }) => {
    if (!(text instanceof Text)) throw new Error('not a text');
    const range = document.createRange();
    range.setStart(text, text.data.lastIndexOf('\n') + 1);
    range.setEnd(text, text.data.length);
    return range.getBoundingClientRect().right;
  });
}

/** Waits until all masks of the image on screen are loaded and `count` segmentations have masks there. */
async function showsMasks(page: Page, image: string, count: number): Promise<void> {
  await page.locator(`[data-cell="0"] [data-layer="layers"][data-image="${image}"][data-masks="${count}"]`).waitFor();
}

/** Red, green, blue and alpha of the overlay over the middle of an image pixel. */
async function readMask(viewer: ViewerPage, column: number, row: number, view: View = {}): Promise<number[]> {
  const [pixel = []] = await readAround(viewer, { column, row, view, reach: 0 });
  return pixel;
}

/**
 * The color of an upright line, and its alpha summed over the pixels from left to right, which is the same wherever
 * the line lies between the pixels of the screen.
 */
async function readLine(viewer: ViewerPage, column: number, row: number): Promise<number[]> {
  const pixels = await readAround(viewer, { column, row, view: {}, reach: 1 });
  const strongest = pixels.reduce((best, pixel) => (pixel[3]! > best[3]! ? pixel : best));
  return [...strongest.slice(0, 3), pixels.reduce((sum, pixel) => sum + pixel[3]!, 0)];
}

type Place = { readonly column: number; readonly row: number; readonly view: View; readonly reach: number };

/** The pixels of the overlay from `reach` at the left of a place to `reach` at its right. */
async function readAround({ page, cell }: ViewerPage, { column, row, view, reach }: Place): Promise<number[][]> {
  const box = await cell.boundingBox();
  const [x, y] = (await projectionOf(cell, IMAGE, view))(column + 0.5, row + 0.5);
  const at = { x: x - (box?.x ?? 0), y: y - (box?.y ?? 0), reach };
  return page.locator('[data-cell="0"] [data-layer="layers"]').evaluate((canvas: HTMLCanvasElement, point) => {
    const ratio = canvas.width / canvas.clientWidth;
    const left = Math.floor(point.x * ratio) - point.reach;
    const size = 1 + 2 * point.reach;
    const pixels = canvas.getContext('2d')!.getImageData(left, Math.floor(point.y * ratio), size, 1).data;
    return Array.from({ length: size }, (_, i) => [...pixels.subarray(4 * i, 4 * i + 4)]);
  }, at);
}

/** Within 2.5: premultiplied colors that are divided by alpha again are off by one or two. */
function near(color: readonly number[], alpha: number): unknown[] {
  return [...color, alpha].map((value) => expect.closeTo(value, -0.7));
}

const NOTHING = [0, 0, 0, 0];

async function putOn({ cell }: ViewerPage, name: string): Promise<void> {
  const badge = cell.locator('summary', { hasText: 'segmentation' });
  await badge.click();
  await cell.getByRole('checkbox', { name }).check();
  await badge.click();
}

function maskRequests(requests: readonly string[]): string[] {
  return requests.filter((url) => /\/layer\/\d+\/frame/.test(url));
}

test('a segmentation of the explorer opens over its source, each segment in its color', async () => {
  const viewer = await openViewer(await serveOrgans());
  const { page, complaints } = viewer;

  await page.getByRole('treeitem', { name: /Organs/ }).click();

  // The middle one of the three slices that have masks.
  await showsImage(page, 2);
  await showsMasks(page, '2/0', 1);
  expect(await readMask(viewer, 6, 4)).toEqual(near(RED, HALF));
  expect(await readMask(viewer, 13, 9)).toEqual(near(RED, HALF));
  expect(await readMask(viewer, 22, 22)).toEqual(near(GREEN, HALF));
  expect(await readMask(viewer, 5, 4)).toEqual(NOTHING);
  expect(await readMask(viewer, 14, 9)).toEqual(NOTHING);
  expect(complaints).toEqual([]);
});

test('an image offers its segmentations, scrolling shows what each slice has, and M hides all', async () => {
  const viewer = await openViewer(await serveOrgans());
  const { page } = viewer;
  await putOn(viewer, 'Organs');

  // The first slice has no masks.
  await showsMasks(page, '0/0', 0);
  await page.keyboard.press('ArrowDown');
  await showsMasks(page, '1/0', 1);
  expect(await readMask(viewer, 5, 4)).toEqual(near(RED, HALF));
  await page.keyboard.press('End');
  await showsMasks(page, '4/0', 0);
  expect(await readMask(viewer, 5, 4)).toEqual(NOTHING);
  await page.keyboard.press('ArrowUp');
  await showsMasks(page, '3/0', 1);
  expect(await readMask(viewer, 6, 4)).toEqual(NOTHING);
  expect(await readMask(viewer, 7, 4)).toEqual(near(RED, HALF));

  await page.keyboard.press('m');
  await showsMasks(page, '3/0', 0);
  expect(await readMask(viewer, 7, 4)).toEqual(NOTHING);
  const badge = viewer.cell.locator('summary', { hasText: '1 of 1 segmentation (hidden)' });
  const beside = await endOfLastLine(viewer.cell.getByText(/Zoom \d+ %$/));
  expect(await leftOf(badge)).toBeGreaterThan(beside);
  await page.keyboard.press('m');
  await showsMasks(page, '3/0', 1);
  expect(await badge.count()).toBe(0);
  expect(await readMask(viewer, 7, 4)).toEqual(near(RED, HALF));
});

test('masks follow zoom, rotation and flips of the image', async () => {
  const viewer = await openViewer(await serveOrgans());
  const { page, cell } = viewer;
  await putOn(viewer, 'Organs');
  await page.keyboard.press('ArrowDown');
  await showsMasks(page, '1/0', 1);

  await cell.focus();
  await page.keyboard.press('Alt+r');
  await page.keyboard.press('h');
  await page.keyboard.press('\\');

  const view = { zoom: 1, turns: 1, flipHorizontal: true };
  await expect.poll(() => readMask(viewer, 5, 4, view)).toEqual(near(RED, HALF));
  expect(await readMask(viewer, 12, 9, view)).toEqual(near(RED, HALF));
  expect(await readMask(viewer, 13, 9, view)).toEqual(NOTHING);
  expect(await readMask(viewer, 4, 4, view)).toEqual(NOTHING);
});

test('several segmentations are drawn over one image, each requested once per slice', async () => {
  const viewer = await openViewer(await serveOrgans(LESIONS));
  const { page, requests } = viewer;
  await putOn(viewer, 'Organs');
  await putOn(viewer, 'Lesions');
  for (const slice of [1, 2, 3, 4]) {
    await page.keyboard.press('ArrowDown');
    await showsMasks(page, `${slice}/0`, [0, 1, 2, 1, 0][slice] ?? 0);
  }
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await showsMasks(page, '2/0', 2);

  expect(await readMask(viewer, 3, 27)).toEqual(near(GREEN, HALF));
  expect(await readMask(viewer, 7, 5)).toEqual(near(RED, HALF));
  // Three slices have organs and one has lesions, prefetched or not. No masks are requested for the other slices.
  const asked = maskRequests(requests)
    .map((url) => new URL(url))
    .map(({ pathname, search }) => pathname + search);
  expect(asked.toSorted()).toEqual([
    '/api/layer/5/frame?file=1&frame=0',
    '/api/layer/5/frame?file=2&frame=0',
    '/api/layer/5/frame?file=3&frame=0',
    '/api/layer/6/frame?file=2&frame=0',
  ]);
  expect(requests.filter((url) => url.endsWith('/segmentation'))).toHaveLength(2);
});

test('the list of segments changes how they are drawn, counts them, and leads to their ends', async () => {
  const viewer = await openViewer(await serveOrgans(), { width: 1300 });
  const { page } = viewer;
  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await showsMasks(page, '2/0', 1);
  await page.keyboard.press('c');
  const row = page.locator('li[data-part="1"]');

  // Three slices of 6 x 8 pixels of 1 mm², 3 mm apart: 144 voxels, 432 mm³.
  await row.getByText('144 voxels · 432 mm³').waitFor();

  await row.getByRole('slider', { name: 'Opacity of segment 1' }).fill('100');
  await expect.poll(() => readMask(viewer, 8, 6)).toEqual(near(RED, 255));

  await row.getByRole('button', { name: 'Outline of segment 1' }).click();
  // The line runs along the outer edges, and the middle of a pixel inside is clear.
  await expect.poll(() => readMask(viewer, 8, 6)).toEqual(NOTHING);
  // It is 1.5 pixels of the screen wide: 1.5 * 255 = 382.5.
  expect(await readLine(viewer, 5.5, 6)).toEqual(near(RED, 382.5));
  expect(await readMask(viewer, 22, 22)).toEqual(near(GREEN, HALF));

  await row.getByRole('button', { name: 'Show segment 1' }).click();
  await expect.poll(() => readLine(viewer, 5.5, 6)).toEqual(NOTHING);

  await row.getByRole('button', { name: 'First image of segment 1' }).click();
  await showsImage(page, 1);
  await row.getByRole('button', { name: 'Last image of segment 1' }).click();
  await showsImage(page, 3);
});

test('the stored mask can be viewed by itself, and links back to its source', async () => {
  const viewer = await openViewer(await serveOrgans(), { address: '#cell=2.25.900,1' });
  const { page, cell } = viewer;

  await cell.getByRole('button', { name: 'Show over source image' }).click();
  await showsMasks(page, '2/0', 1);
  const badge = cell.locator('summary', { hasText: '1 of 1 segmentation' });
  await badge.click();
  await cell.getByRole('button', { name: 'Stored mask' }).click();

  await cell.getByRole('button', { name: 'Show over source image' }).waitFor();
  await showsMasks(page, '5/0', 0);
  expect(await readMask(viewer, 6, 4)).toEqual(NOTHING);
});

test('a segmentation whose source is not open says so, and shows its stored mask', async () => {
  const lost = { ...ORGANS, sourceOf: () => '2.25.12345' };
  const server = await serveShared(...writeSlices(1), writeSegmentation(lost));
  const { page, cell, requests } = await openViewer(server);

  await page.getByRole('treeitem', { name: /Organs/ }).click();

  await cell.getByText('the image that the frame was derived from is not open').waitFor();
  await page.keyboard.press('c');
  await page
    .getByText('4 frames missing (segments 1, 2): the image that the frame was derived from is not open.')
    .waitFor();
  expect(await cell.getByRole('button', { name: 'Show over source image' }).count()).toBe(0);
  expect(maskRequests(requests)).toEqual([]);
});

test('a segmentation that matches two open images says so, and is drawn over neither', async () => {
  // Two files have the same SOP Instance UID, as copies of a study do.
  const copies = writeSlices(5, { SeriesDescription: 'Copy' });
  const server = await serveShared(...writeSlices(5), ...copies, writeSegmentation(ORGANS));
  const { page, requests } = await openViewer(server);

  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await page.keyboard.press('c');

  await page.getByText(/^4 frames ambiguous \(segments 1, 2\): /).waitFor();
  expect(maskRequests(requests)).toEqual([]);
});

test('a segmentation whose source lies in another space says so, and its stored mask is shown', async () => {
  const elsewhere = writeSlices(5, { FrameOfReferenceUID: '2.25.99' });
  const { page, cell, requests } = await openViewer(await serveShared(...elsewhere, writeSegmentation(ORGANS)));

  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await page.keyboard.press('c');

  await page
    .getByText('4 frames missing (segments 1, 2): incompatible: the source image has another frame of reference.')
    .waitFor();
  await page.getByRole('figure', { name: /Organs/ }).waitFor();
  expect(await cell.getByRole('button', { name: 'Show over source image' }).count()).toBe(0);
  expect(maskRequests(requests)).toEqual([]);
});

test('while images play, masks are those of the image on screen', async () => {
  const { page, cell } = await openViewer(await serveOrgans());
  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await showsMasks(page, '2/0', 1);
  await page.getByRole('slider', { name: 'Image in the stack' }).waitFor();

  await cell.focus();
  await page.keyboard.press('Space');
  const seen = new Set<string>();
  const wrong: unknown[] = [];
  const look = () =>
    cell.evaluate((figure) => [
      figure.getAttribute('data-shown'),
      figure.querySelector('[data-layer="layers"]')?.getAttribute('data-image'),
    ]);
  await expect
    .poll(async () => {
      const [shown, image] = await look();
      if (image !== `${shown}/0`) wrong.push([shown, image]);
      return seen.add(shown ?? '').size;
    })
    .toBe(5);
  expect(wrong).toEqual([]);
});

test('after a reload the same segmentations are drawn over the same image; the address of another series names none', async () => {
  // In the same study and space, so that only the source references show that the segmentation belongs to another
  // series.
  const names = {
    SOPInstanceUID: '2.25.80',
    SeriesInstanceUID: '2.25.81',
    SeriesDescription: 'Other',
    SeriesNumber: '3',
  };
  const viewer = await openViewer(
    await serveShared(...writeSlices(5), writeSegmentation(ORGANS), ...writeSlices(1, names)),
  );
  const { page } = viewer;
  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await showsMasks(page, '2/0', 1);
  await page.waitForFunction(() => location.hash.includes('layer=2.25.900'));

  await page.reload();

  await showsImage(page, 2);
  await showsMasks(page, '2/0', 1);
  expect(await readMask(viewer, 6, 4)).toEqual(near(RED, HALF));

  await page.getByRole('treeitem', { name: /Other/ }).click();
  await page.waitForFunction(() => location.hash.includes('2.25.80,') && !location.hash.includes('layer='));
  await page.getByRole('treeitem', { name: /Slices/ }).click();
  await page.waitForFunction(() => location.hash.includes('layer=2.25.900'));
});

test('axe-core finds nothing serious in the badge and the list of segments', async () => {
  const { page, cell } = await openViewer(await serveOrgans(LESIONS));
  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await showsMasks(page, '2/0', 1);
  await cell.locator('summary', { hasText: '1 of 2 segmentations' }).click();
  await page.keyboard.press('c');
  const panel = page.getByRole('tabpanel');
  await panel.locator('li[data-part="1"]').getByText('144 voxels').waitFor();
  // The panel is dimmed until all of it describes this file.
  await expect.poll(() => panel.locator('[aria-busy="true"]').count()).toBe(0);

  expect(await findViolations(page)).toEqual([]);
});

test('with hundreds of segments, only the visible ones are in the list', async () => {
  const patches = Array.from({ length: 300 }, (_, i): Patch => {
    return { slice: 0, segment: i + 1, top: i % 30, left: 0, rows: 1, columns: 1 };
  });
  const many = { uid: '2.25.902', name: 'Many', patches };
  const { page } = await openViewer(await serveShared(...writeSlices(1), writeSegmentation(many)));
  await page.getByRole('treeitem', { name: /Many/ }).click();
  await showsMasks(page, '0/0', 1);
  await page.keyboard.press('c');
  await page.locator('li[data-part="1"]').waitFor();

  expect(await page.locator('li[data-part]').count()).toBeLessThan(30);
  await page.getByRole('list', { name: 'Segments' }).evaluate((list) => {
    if (list.parentElement !== null) list.parentElement.scrollTop = list.clientHeight;
  });
  const last = page.locator('li[data-part="300"]');
  await last.waitFor();
  expect(await last.getAttribute('aria-posinset')).toBe('300');
});

test('pointer input reaches the image through the masks', async () => {
  const viewer = await openViewer(await serveOrgans());
  const { page, cell } = viewer;
  await putOn(viewer, 'Organs');
  await page.keyboard.press('ArrowDown');
  await showsMasks(page, '1/0', 1);
  const [x, y] = (await projectionOf(cell, IMAGE, {}))(8.5, 6.5);

  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 100);

  await showsMasks(page, '2/0', 1);
  expect(await readMask(viewer, 6, 4)).toEqual(near(RED, HALF));
});

test('a segmentation whose source is not open begins with its first frame that has something in it', async () => {
  const empty = { segment: 1, top: 0, left: 0, rows: 0, columns: 0 };
  const alone: PatchedSegmentation = {
    uid: '2.25.902',
    name: 'Alone',
    patches: [
      { slice: 0, ...empty },
      { slice: 1, ...empty },
      { slice: 2, segment: 1, top: 4, left: 4, rows: 6, columns: 8 },
      { slice: 3, ...empty },
    ],
  };
  const { page } = await openViewer(await serveShared(writeSegmentation(alone)), { position: 2 });

  // A user who goes to an empty frame stays there, also after a reload.
  await page.keyboard.press('Home');
  await showsImage(page, 0);
  await expect.poll(() => page.url()).toContain('#cell=2.25.902,1');
  await page.reload();
  await showsImage(page, 0);
});

test('M shows the segmentations of the image in the active cell, and only there', async () => {
  const { page } = await openViewer(await serveOrgans(LESIONS), {
    address: '#layout=1x2&cell=2.25.72,1&cell=2.25.72,1',
    position: 2,
  });
  const masks = (cell: number, count: number) =>
    page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="${count}"]`).waitFor();
  await page.locator('[data-cell="1"][data-status="ready"]').waitFor();
  await page.locator('[data-cell="1"]').click();

  // No segmentation is ticked at first.
  await page.keyboard.press('m');
  await masks(1, 2);
  await masks(0, 0);
  await page.waitForFunction(
    () => location.hash.includes('layer=2.25.900,2') && location.hash.includes('layer=2.25.901,2'),
  );

  await page.locator('[data-cell="0"]').click();
  await page.keyboard.press('m');
  await masks(0, 2);
  await page.keyboard.press('m');
  await masks(0, 0);
  await masks(1, 2);

  // The address is updated with a delay. It then names the second cell only.
  await page.waitForFunction(() => /layer=2\.25\.900,2(&|$)/.test(location.hash));
  await page.reload();
  await showsImage(page, 2);
  await masks(1, 2);
  expect(await page.locator('[data-cell="0"] [data-layer="layers"]').getAttribute('data-masks')).toBe('0');
});

test('cells whose segmentations are linked show and hide them together', async () => {
  const address = '#layout=1x2&cell=2.25.72,1&cell=2.25.72,1&link=layers';
  const { page } = await openViewer(await serveOrgans(), { address, position: 2 });
  const masks = (count: number) =>
    Promise.all(
      [0, 1].map((cell) =>
        page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="${count}"]`).waitFor(),
      ),
    );
  await page.locator('[data-cell="1"][data-status="ready"]').waitFor();
  await page.keyboard.press('m');
  await masks(1);
  await page.keyboard.press('m');
  await masks(0);
  expect(await page.locator('[data-cell]').count()).toBe(2);
});

test('the list over the image has the parts, and showing a layer moves neither list nor image', async () => {
  const viewer = await openViewer(await serveOrgans(LESIONS));
  const { page, cell } = viewer;
  await page.keyboard.press('+');
  const zoom = async () => (await cell.getByText(/Zoom \d+ %$/).textContent())?.split('\n').at(-1);
  const before = await zoom();
  await cell.locator('summary', { hasText: '2 segmentations' }).click();
  const section = cell.getByRole('region', { name: 'Organs' });
  const box = section.getByRole('checkbox', { name: 'Organs' });
  const place = await box.boundingBox();
  await box.check();
  const row = section.locator('[data-part="1"]');
  await row.getByRole('slider', { name: 'Opacity of segment 1' }).waitFor();
  const atFirst = await row.boundingBox();
  await row.getByText('144 voxels · 432 mm³').waitFor();
  expect(await row.boundingBox()).toEqual(atFirst);
  expect(await box.boundingBox()).toEqual(place);
  await showsImage(page, 0);
  expect(await zoom()).toBe(before);
  await row.getByLabel('Color of segment 1').fill('#0000ff');
  await row.getByRole('button', { name: 'Last image of segment 1' }).click();
  await showsImage(page, 3);
  expect(await findViolations(page)).toEqual([]);
});

test('a segmentation opens where it has the most voxels', async () => {
  const growing = {
    uid: '2.25.903',
    name: 'Growing',
    patches: [1, 2, 3].map((slice): Patch => ({ slice, segment: 1, top: 0, left: 0, rows: slice * slice, columns: 9 })),
  };
  const { page, complaints } = await openViewer(await serveShared(...writeSlices(5), writeSegmentation(growing)));
  await page.getByRole('treeitem', { name: /Growing/ }).click();
  await showsImage(page, 3);
  await showsMasks(page, '3/0', 1);
  expect(complaints).toEqual([]);
});

test('M acts on all linked cells, Alt+M on one', async () => {
  const address = '#layout=1x2&cell=2.25.72,1&cell=2.25.72,1&link=scroll';
  const { page, complaints } = await openViewer(await serveOrgans(), { address, position: 2 });
  const masks = (cell: number, count: number) =>
    page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="${count}"]`).waitFor();
  await page.locator('[data-cell="1"][data-status="ready"]').waitFor();
  await page.keyboard.press('m');
  for (const cell of [0, 1]) await masks(cell, 1);
  await page.keyboard.press('Alt+m');
  await masks(0, 0);
  await masks(1, 1);
  await page.keyboard.press('m');
  for (const cell of [0, 1]) await masks(cell, 1);
  expect(complaints).toEqual([]);
});
