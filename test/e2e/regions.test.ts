import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import { FRAME_OF_REFERENCE } from '../support/placedElements.ts';
import {
  measuredElements,
  measurementGroup,
  reportElements,
  scoord,
  scoord3d,
  slideAnnotationElements,
} from '../support/regionElements.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { serve } from '../support/serve.ts';
import { at, createFolder, LARGEST_UID, middleOf, showsSlide } from '../support/slidePage.ts';
import { halvings, writePyramid } from '../support/slidePyramid.ts';
import { drag, openViewer, projectionOf, showsImage } from '../support/viewerPage.ts';

/** 4096 x 3072 pixels: pieces of 1024 pixels at a zoom of 1. */
const LEVELS = halvings(4096, 3072, 512);

/** A square around a point, and 20,000 points in another place, which are clusters from afar. */
function writeAnnotations(): Uint8Array {
  const many = Array.from({ length: 40_000 }, (_, i) => (i % 2 === 0 ? 3000 + ((i / 2) % 200) : 2000 + i / 400));
  return writeDicom(
    slideAnnotationElements(
      [
        {
          type: 'POLYGON',
          label: 'Square',
          values: [1000, 1000, 1200, 1000, 1200, 1200, 1000, 1200],
          indices: [1],
          different: { MeasurementsSequence: [measuredElements('Area', 'um2', [4321])] },
        },
        { type: 'POINT', label: 'Many', values: many, count: 20_000 },
      ],
      {
        ReferencedImageSequence: [
          { ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.6', ReferencedSOPInstanceUID: LARGEST_UID },
        ],
      },
    ),
  );
}

test('the regions of a report lie over its image, and annotations over their slide', async () => {
  const folder = createFolder();
  writePyramid(folder, { levels: LEVELS });
  writeFileSync(join(folder, 'annotations.dcm'), writeAnnotations());
  const report = reportElements([
    measurementGroup('Nodule 1', [scoord('CIRCLE', [16, 16, 20, 16], '2.25.71')], 8),
    measurementGroup('Nodule 2', [scoord3d('POLYGON', [4, 4, 3, 10, 4, 3, 10, 10, 3], FRAME_OF_REFERENCE)]),
  ]);
  const server = await serve(...writeSlices(3), writeDicom(report), folder);
  const viewer = await openViewer(server, { address: '#cell=2.25.70,1' });
  const { page, cell, complaints, requests } = viewer;

  // A report opens to be read; its menu opens it over the image that it names.
  await page.getByRole('treeitem', { name: /Measurements/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open over its images' }).click();
  await showsImage(page, 1);
  const graphics = cell.locator('svg[data-layer="graphics"]');
  const circle = graphics.locator('path[data-part="1"]');
  await circle.waitFor({ state: 'attached' });
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=2.25.700');
  const text = graphics.locator('text[data-part="1"]');
  expect(await text.locator('tspan').allTextContents()).toEqual(['Nodule 1', 'Length 8 mm']);
  // The middle is the corner of pixels 15 and 16, and the radius is 4 pixels. The box includes the line.
  const project = await projectionOf(cell, { rows: SLICE_SIZE, columns: SLICE_SIZE }, {});
  const box = (await circle.boundingBox())!;
  const [left, top] = project(12, 12);
  const [right, bottom] = project(20, 20);
  for (const [found, expected] of [
    [box.x, left],
    [box.y, top],
    [box.x + box.width, right],
    [box.y + box.height, bottom],
  ] as const) {
    expect(Math.abs(found - expected)).toBeLessThan(4);
  }
  expect(await graphics.locator('path[data-part="2"]').count()).toBe(1);

  await page.getByRole('tab', { name: 'Layers' }).click();
  const list = page.getByRole('list', { name: 'Regions' });
  const row = list.locator('[data-part="1"]');
  expect(await row.textContent()).toContain('Nodule · Length 8 mm');
  expect(await findViolations(page)).toEqual([]);
  const asked = () => requests.filter((url) => url.includes('/api/layer/')).length;
  const before = asked();
  await row.getByRole('button', { name: 'Show Nodule 1' }).click();
  await expect.poll(() => circle.count()).toBe(0);
  expect(await graphics.locator('text[data-part="1"]').count()).toBe(0);
  await row.getByRole('button', { name: 'Show Nodule 1' }).click();
  await row.getByLabel('Color of Nodule 1').fill('#00ff00');
  await expect.poll(() => circle.getAttribute('stroke')).toBe('rgb(0 255 0)');
  // Zooming changes neither the size of letters nor the width of lines.
  const height = (await text.boundingBox())!.height;
  await cell.click();
  await page.keyboard.press('+');
  await expect.poll(async () => (await circle.boundingBox())!.width).toBeGreaterThan(box.width + 5);
  expect((await text.boundingBox())!.height).toBeCloseTo(height, 0);
  expect(asked()).toBe(before);

  // The annotations of a slide.
  const opened = `${server.baseUrl}/?slide${at(1100, 1100, 1)}`;
  await page.goto(`${opened}&layer=2.25.720`);
  await showsSlide(page);
  const layers = cell.locator('[data-layer="layers"]');
  const isDrawn = async () => {
    await expect.poll(() => layers.getAttribute('data-masks')).toMatch(/^[1-9]/);
  };
  await isDrawn();
  const colorAt = (x: number, y: number) =>
    cell.locator('canvas[data-layer="points"]').evaluate(
      (canvas: HTMLCanvasElement, [dx, dy]) => {
        const [from, down] = [Math.round(canvas.width / 2 + dx!), Math.round(canvas.height / 2 + dy!)];
        const pixels = canvas.getContext('2d')?.getImageData(from - 2, down - 2, 5, 5).data ?? [];
        return Math.max(...Array.from(pixels).filter((_, i) => i % 4 === 3));
      },
      [x, y],
    );
  // Its sides are 100 pixels from the middle of the view; inside there is nothing.
  await expect.poll(() => colorAt(-100, 0)).toBeGreaterThan(100);
  expect(await colorAt(100, 30)).toBeGreaterThan(100);
  expect(await colorAt(0, 0)).toBe(0);
  // What was measured of it is written under the pointer, and is its color if the user wants it; nothing is requested.
  const middle = await middleOf(cell);
  await page.mouse.move(middle[0] + 20, middle[1] + 10);
  await cell.getByText('Square 1: Area 4321 µm²').waitFor();
  await page.getByRole('tab', { name: 'Layers' }).click();
  const lineColor = () =>
    cell.locator('canvas[data-layer="points"]').evaluate((canvas: HTMLCanvasElement) => {
      const [x, y] = [Math.round(canvas.width / 2) - 100, Math.round(canvas.height / 2)];
      const pixels = canvas.getContext('2d')?.getImageData(x - 2, y, 5, 1).data ?? [];
      const strongest = [0, 1, 2, 3, 4].toSorted((a, b) => pixels[4 * b + 3]! - pixels[4 * a + 3]!)[0]!;
      return Array.from(pixels.slice(4 * strongest, 4 * strongest + 3));
    });
  const loaded = asked();
  await page.getByLabel('Color by').selectOption('Area (µm²)');
  // All values are equal, which is the middle of viridis.
  await expect.poll(lineColor).toEqual([33, 145, 140].map((value) => expect.closeTo(value, -1)));
  await page.getByLabel('Color by').selectOption('Group');
  // Only those with a value in a range are shown. Its value is 4321, so that from 4322 on there is none.
  await page.getByLabel('Show only').selectOption('Area (µm²)');
  await page.getByText('1 of 1 shown, 0 hidden').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('From, Area (µm²), as a number').fill('4322');
  await expect.poll(() => colorAt(-100, 0)).toBe(0);
  await page.getByText('0 of 1 shown, 1 hidden').waitFor();
  await expect
    .poll(() => decodeURIComponent(new URL(page.url()).hash))
    .toContain('layer=2.25.720,,,4322_4321,Area (µm²)');
  await page.getByLabel('From, Area (µm²), as a number').fill('4000');
  await expect.poll(() => colorAt(-100, 0)).toBeGreaterThan(100);
  await page.getByLabel('Show only').selectOption('All values');
  expect(asked()).toBe(loaded);

  // Moving back and forth asks for each piece once.
  const regions = () => requests.filter((url) => url.includes('/region?'));
  await drag(page, middle, [middle[0] - 40, middle[1] - 30]);
  await isDrawn();
  await expect.poll(() => colorAt(-140, -30)).toBeGreaterThan(100);
  const once = regions().length;
  await drag(page, middle, [middle[0] + 40, middle[1] + 30]);
  await expect.poll(() => colorAt(-100, 0)).toBeGreaterThan(100);
  expect(new Set(regions()).size).toBe(regions().length);
  expect(regions().length).toBe(once);

  // From afar, 20,000 points in 200 x 100 pixels are a few clusters, which are drawn as discs.
  await page.keyboard.press('=');
  await isDrawn();
  await expect
    .poll(() =>
      cell.locator('canvas[data-layer="points"]').evaluate((canvas: HTMLCanvasElement) => {
        const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return Array.from(pixels).filter((value, i) => i % 4 === 3 && value > 0).length;
      }),
    )
    .toBeGreaterThan(500);
  expect(complaints).toEqual([]);
}, 180_000);
