import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import { serveShared } from '../support/serve.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { circle, structureSetElements, type WrittenRoi } from '../support/structureSetElements.ts';
import { openViewer, projectionOf, showsImage, type ViewerPage } from '../support/viewerPage.ts';

/** The slices are 3 mm apart, and the first pixel is at 0, 0. Squares have their corners at centres of pixels. */
function square(low: number, high: number, z: number): number[][] {
  return [
    [low, low, z],
    [high, low, z],
    [high, high, z],
    [low, high, z],
  ];
}

const RED = [255, 0, 0];
const BLUE = [0, 0, 255];

const ROIS: readonly WrittenRoi[] = [
  {
    number: 5,
    name: 'Target',
    color: RED,
    interpretedType: 'PTV',
    contours: [3, 6, 9].map((z) => ({ points: square(4, 20, z) })),
  },
  { number: 2, name: 'Cord', color: BLUE, contours: [{ points: square(8, 12, 6) }] },
  { number: 8, name: 'Nothing', contours: [] },
  ...Array.from({ length: 47 }, (_, i) => ({
    number: 100 + i,
    name: `Shell ${i}`,
    contours: [{ points: circle([26, 26, 6], 2 + i / 20, 24) }],
  })),
];

test('a structure set whose frame of reference stands only in its sequences lies over planes', async () => {
  const structures = structureSetElements(ROIS, { FrameOfReferenceUID: undefined });
  const { page, complaints } = await openViewer(await serveShared(...writeSlices(5), writeDicom(structures)), {
    address: '#cell=2.25.73,1',
    position: 3,
  });
  const expectContours = (cell: number) =>
    page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="1"]`).waitFor();

  await page.keyboard.press('m');
  await expectContours(0);
  await page.keyboard.press('y');
  for (const cell of [0, 1, 2]) await expectContours(cell);
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=2.25.600');
  expect(complaints).toEqual([]);
});

async function serveStructures() {
  return serveShared(...writeSlices(5), writeDicom(structureSetElements(ROIS)));
}

/** The strongest pixel of the layers near a point of the image. */
async function readLayer({ page, cell }: ViewerPage, column: number, row: number, reach = 2): Promise<number[]> {
  const box = await cell.boundingBox();
  const [x, y] = (await projectionOf(cell, { rows: SLICE_SIZE, columns: SLICE_SIZE }, {}))(column + 0.5, row + 0.5);
  const at = { x: x - (box?.x ?? 0), y: y - (box?.y ?? 0), reach };
  return page.locator('[data-cell="0"] [data-layer="layers"]').evaluate((canvas: HTMLCanvasElement, point) => {
    const ratio = canvas.width / canvas.clientWidth;
    const size = 1 + 2 * point.reach;
    const from = [point.x, point.y].map((value) => Math.floor(value * ratio) - point.reach);
    const pixels = canvas.getContext('2d')?.getImageData(from[0] ?? 0, from[1] ?? 0, size, size).data ?? [];
    const all = Array.from({ length: pixels.length / 4 }, (_, i) => Array.from(pixels.slice(4 * i, 4 * i + 4)));
    return all.reduce((strongest, pixel) => ((pixel[3] ?? 0) > (strongest[3] ?? 0) ? pixel : strongest), all[0] ?? []);
  }, at);
}

test('a structure set opens over its images, and no change of its looks makes a request', async () => {
  const viewer = await openViewer(await serveStructures());
  const { page, cell, complaints, requests } = viewer;
  const shows = (image: string, count: number) =>
    cell.locator(`[data-layer="layers"][data-image="${image}"][data-masks="${count}"]`).waitFor();

  await page.getByRole('treeitem', { name: /Plan structures/ }).click();
  await showsImage(page, 2);
  await shows('2/0', 1);
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=2.25.600');
  // On the line, beside it, and inside, where nothing is filled.
  expect((await readLayer(viewer, 4, 14)).slice(0, 3)).toEqual(RED);
  expect((await readLayer(viewer, 8, 10)).slice(0, 3)).toEqual(BLUE);
  expect(await readLayer(viewer, 16, 16)).toEqual([0, 0, 0, 0]);

  const list = page.getByRole('list', { name: 'Structures' });
  await page.getByRole('tab', { name: 'Layers' }).click();
  const search = page.getByRole('searchbox', { name: 'Search structures' });
  await search.waitFor();
  expect(await findViolations(page)).toEqual([]);
  // Those of the other two slices with contours are loaded when the user pauses.
  const packets = () => requests.filter((url) => url.includes('/api/layer/5/frame')).length;
  await expect.poll(packets).toBe(3);
  const asked = () => requests.filter((url) => !url.includes('/api/files')).length;
  const before = asked();

  const target = list.locator('[data-part="5"]');
  expect(await target.textContent()).toContain('PTV · 3 contours');
  // 16 x 16 mm in three planes, 3 mm apart: 2.304 ml.
  expect(await target.textContent()).toContain('2.304 ml');
  expect(await list.locator('[data-part="8"]').textContent()).toContain('the object has no contours of it');
  expect(await list.getByRole('button', { name: 'Show Nothing' }).isDisabled()).toBe(true);

  await target.getByRole('button', { name: 'Outline of Target' }).click();
  await expect.poll(async () => (await readLayer(viewer, 16, 16)).slice(0, 3)).toEqual(RED);
  await target.getByLabel('Color of Target').fill('#00ff00');
  await expect.poll(async () => (await readLayer(viewer, 16, 16)).slice(0, 3)).toEqual([0, 255, 0]);
  await target.getByRole('slider', { name: 'Opacity of Target' }).fill('100');
  // An area has 0.6 of its opacity: 153 of 255.
  await expect.poll(async () => (await readLayer(viewer, 16, 16))[3]).toBe(153);
  await target.getByRole('button', { name: 'Only Target' }).click();
  await expect.poll(async () => (await readLayer(viewer, 8, 10, 0)).slice(0, 3)).toEqual([0, 255, 0]);
  await search.fill('cord');
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(async () => (await readLayer(viewer, 8, 10))[2]).toBeGreaterThan(50);
  await search.fill('');
  await page.getByRole('button', { name: 'Hide all' }).click();
  await expect.poll(async () => readLayer(viewer, 4, 14)).toEqual([0, 0, 0, 0]);
  await page.getByRole('button', { name: 'Show all' }).click();
  expect(asked()).toBe(before);

  await target.getByRole('button', { name: 'First image of Target' }).click();
  await showsImage(page, 1);
  await shows('1/0', 1);
  await cell.click();
  await page.keyboard.press('m');
  await expect.poll(async () => readLayer(viewer, 4, 14)).toEqual([0, 0, 0, 0]);
  expect(complaints).toEqual([]);
});
