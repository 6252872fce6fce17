import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { findViolations } from '../support/axe.ts';
import { openPage } from '../support/browser.ts';
import { createFingers } from '../support/fingers.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { SLICE_SIZE, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { drag, openViewer, projectionOf, showsImage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_SIZE, columns: SLICE_SIZE };

async function masksOf(server: TestServer): Promise<WireMark['slices'][]> {
  const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks?kind=brush')).json();
  return marks.map(({ slices }) => slices.toSorted((a, b) => a.file_index - b.file_index));
}

const maskOn = (file_index: number, mask: object) => ({ file_index, frame_index: 0, points: [], mask });

async function setRadius(page: Page, radius: number): Promise<void> {
  await page.getByRole('slider', { name: 'Radius' }).fill(String(radius));
}

test('a mask is painted on two slices, filled between them, erased, undone, and seen by another tab', async () => {
  const server = await serve(...writeSlices(3));
  const { page, cell, complaints } = await openViewer(server);
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('Shift+M');
  await page.keyboard.press('Shift+B');
  await setRadius(page, 1.5);
  await cell.focus();
  await page.keyboard.press('}');
  await page.getByText('2 px').waitFor();
  await page.keyboard.press('{');
  await page.getByText('1.5 px').waitFor();

  // From the center of pixel 5 to that of pixel 10: one more column on each side, and the rows above and below, whose
  // farthest centers are √2 away.
  const box = { left: 4, top: 4, width: 8, height: 3, runs: [0, 24] };
  await drag(page, at(5.5, 5.5), at(10.5, 5.5));
  await expect.poll(() => masksOf(server)).toEqual([[maskOn(0, box)]]);

  await cell.focus();
  await page.keyboard.press('End');
  await showsImage(page, 2);
  await drag(page, at(5.5, 15.5), at(10.5, 15.5));
  const moved = { ...box, top: 14 };
  await expect.poll(() => masksOf(server)).toEqual([[maskOn(0, box), maskOn(2, moved)]]);

  await page.getByRole('button', { name: 'Fill between slices' }).click();
  // The same shape, halfway between the two.
  const filled = [maskOn(0, box), maskOn(1, { ...box, top: 9 }), maskOn(2, moved)];
  await expect.poll(() => masksOf(server)).toEqual([filled]);
  expect(await findViolations(page)).toEqual([]);

  await cell.focus();
  await page.keyboard.press('Alt+B');
  await page.keyboard.press('Home');
  await showsImage(page, 0);
  // The lower right pixels: those whose centers are at most 1.5 away from the center of pixel 11, 6.
  await page.mouse.click(...at(11.5, 6.5));
  const bitten = { ...box, runs: [0, 14, 2, 6, 2] };
  await expect.poll(async () => (await masksOf(server))[0]?.[0]).toEqual(maskOn(0, bitten));
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect.poll(() => masksOf(server)).toEqual([[maskOn(0, box), maskOn(2, moved)]]);

  const other = await openViewer(server);
  const alphaAt = async (x: number, y: number) =>
    other.cell.locator('canvas[data-layer="brush"]').evaluate(
      (canvas: HTMLCanvasElement, [left, top]) => {
        const place = canvas.getBoundingClientRect();
        const [scaleX, scaleY] = [canvas.width / place.width, canvas.height / place.height];
        const pixel = canvas
          .getContext('2d')
          ?.getImageData((left! - place.x) * scaleX, (top! - place.y) * scaleY, 1, 1);
        return pixel?.data[3];
      },
      [...at(x, y)],
    );
  await expect.poll(() => alphaAt(8, 5)).toBeGreaterThan(0);
  expect(await alphaAt(8, 20)).toBe(0);

  // The eye in its row hides it.
  await other.page.keyboard.press('Shift+M');
  const eye = other.page.getByRole('button', { name: 'Draw mask' });
  await eye.click();
  await expect.poll(() => alphaAt(8, 5)).toBe(0);
  await eye.click();
  await expect.poll(() => alphaAt(8, 5)).toBeGreaterThan(0);
  expect([...complaints, ...other.complaints]).toEqual([]);
});

test('a stroke that is made while the code of the brush is loading is painted when it is there', async () => {
  const server = await serve(...writeSlices(1));
  const { page, cell, complaints } = await openViewer(server);
  const at = await projectionOf(cell, IMAGE, {});
  const release = await holdRequests(page, '**/assets/BrushLayer-*.js');
  await page.keyboard.press('Shift+B');
  // From places in pixels, so that the edge of the stroke goes through the center of none.
  await drag(page, at(5.6, 5.6), at(10.6, 5.6));
  await page.getByText('Loading the brush…').waitFor();
  // Another tool and another view do not change what was painted.
  await page.keyboard.press('w');
  await page.keyboard.press('h');
  release();

  // The usual radius is 8, so the stroke reaches from the edges at the left and at the top to the centers of column 18
  // and row 13.
  const sizes = async () =>
    (await masksOf(server)).map((slices) => slices.map(({ mask }) => ({ ...mask, runs: mask?.runs.length })));
  await expect.poll(sizes).toEqual([[expect.objectContaining({ left: 0, top: 0, width: 19, height: 14 })]]);
  await page.getByRole('button', { name: 'Window and level', pressed: true }).waitFor();
  expect(await page.getByText('Loading the brush…').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the brush paints only values in its range, and a segment becomes a mask that can be corrected', async () => {
  const patches = [{ slice: 1, segment: 1, top: 4, left: 6, rows: 5, columns: 3 }];
  const server = await serve(...writeSlices(3), writeSegmentation({ uid: '2.25.900', name: 'Organs', patches }));
  const { page, cell } = await openViewer(server);
  const at = await projectionOf(cell, IMAGE, {});
  await page.keyboard.press('Shift+M');
  await page.keyboard.press('Shift+B');
  await page.getByRole('checkbox', { name: 'Only values from' }).check();
  // No sample is that large, so nothing is painted and no mask is made.
  await page.getByRole('spinbutton', { name: 'Highest value' }).fill('99999');
  await page.getByRole('spinbutton', { name: 'Lowest value' }).fill('90000');
  await page.mouse.click(...at(15, 15));
  await page.getByRole('checkbox', { name: 'Only values from' }).uncheck();

  await cell.focus();
  await page.keyboard.press('m');
  await page.getByRole('combobox', { name: 'Copy from a layer' }).selectOption({ index: 1 });
  const copied = { left: 6, top: 4, width: 3, height: 5, runs: [0, 15] };
  await expect.poll(() => masksOf(server)).toEqual([[maskOn(1, copied)]]);

  await setRadius(page, 0.5);
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  await page.mouse.click(...at(9.5, 8.5));
  // One more pixel at the right of the lowest row.
  const corrected = { left: 6, top: 4, width: 4, height: 5, runs: [0, 3, 1, 3, 1, 3, 1, 3, 1, 4] };
  await expect.poll(() => masksOf(server)).toEqual([[maskOn(1, corrected)]]);
});

test('on a plane, the brush paints the stored images that the plane cuts', async () => {
  const server = await serve(...writeSlices(9));
  const { page } = await openViewer(server);
  await page.keyboard.press('Shift+M');
  await page.keyboard.press('y');
  const coronal = page.locator('[data-cell="1"][data-status="ready"]');
  await coronal.waitFor();
  await page.keyboard.press('Shift+B');
  await setRadius(page, 4);
  await coronal.click();

  // The plane is between the front and the back, so every image has the same single row. Slices are 3 mm apart and the
  // brush reaches 4 mm up and down from the one in the middle: three of them, 8 pixels of 1 mm wide in the middle.
  await expect.poll(async () => (await masksOf(server))[0]?.map(({ file_index }) => file_index)).toEqual([3, 4, 5]);
  const [slices = []] = await masksOf(server);
  expect(new Set(slices.map(({ mask }) => mask?.height))).toEqual(new Set([1]));
  expect(new Set(slices.map(({ mask }) => mask?.top)).size).toBe(1);
  expect(slices[1]?.mask?.width).toBeGreaterThanOrEqual(8);
  expect(slices[1]?.mask?.width).toBeLessThanOrEqual(9);

  await page.keyboard.press('Control+z');
  await expect.poll(() => masksOf(server)).toEqual([]);
});

test('one finger paints, draws a box and clicks a polygon; two fingers move the image and paint nothing', async () => {
  const server = await serve(...writeSlices(1));
  const { page } = await openPage({ hasTouch: true, viewport: { width: 1280, height: 800 } });
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.locator('html[data-parts="all"]').waitFor();
  const cell = page.locator('[data-cell="0"]');
  const at = await projectionOf(cell, IMAGE, {});
  const touch = await createFingers(page);
  const kinds = async () => {
    const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks')).json();
    return marks.map(({ kind, points }) => `${kind} ${points.length}`);
  };
  const texts = async () => (await cell.locator('p').allTextContents()).join('\n');
  const zoom = /Zoom \d+ %/.exec(await texts())?.[0];

  await page.keyboard.press('Shift+M');
  await page.keyboard.press('Shift+B');
  await setRadius(page, 0.5);
  await touch('touchStart', at(5.5, 5.5));
  await touch('touchMove', at(8, 5.5));
  await touch('touchMove', at(10.5, 5.5));
  await touch('touchEnd');
  // Pixels 5 to 10 of row 5.
  const line = { left: 5, top: 5, width: 6, height: 1, runs: [0, 6] };
  await expect.poll(() => masksOf(server)).toEqual([[maskOn(0, line)]]);

  // The first finger has begun a stroke when the second one comes.
  const [[x, y], [farX, farY]] = [at(10.5, 20.5), at(20.5, 20.5)];
  await touch('touchStart', [x, y]);
  await touch('touchMove', [x + 30, y]);
  await touch('touchStart', [x + 30, y], [farX, farY]);
  for (const step of [20, 40, 60]) await touch('touchMove', [x + 30 - step, y], [farX + step, farY]);
  await touch('touchEnd');
  await expect.poll(async () => /Zoom \d+ %/.exec(await texts())?.[0]).not.toBe(zoom);
  await cell.focus();
  await page.keyboard.press('=');
  await expect.poll(async () => /Zoom \d+ %/.exec(await texts())?.[0]).toBe(zoom);

  await page.keyboard.press('Shift+E');
  await touch('touchStart', at(3, 12));
  await touch('touchMove', at(9, 14));
  await touch('touchMove', at(12, 18));
  await touch('touchEnd');
  await expect.poll(kinds).toEqual(['brush 0', 'box 2']);

  await page.keyboard.press('Shift+O');
  for (const corner of [at(20, 10), at(28, 10), at(28, 18), at(20, 10)]) {
    await touch('touchStart', corner);
    await touch('touchEnd');
  }
  await expect.poll(kinds).toEqual(['brush 0', 'box 2', 'polygon 3']);
  expect(await masksOf(server)).toEqual([[maskOn(0, line)]]);
});
