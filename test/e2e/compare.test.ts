import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolationsInBoth } from '../support/axe.ts';
import { serve, serveShared } from '../support/serve.ts';
import { type Patch, SLICE_SIZE, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { openViewer, projectionOf, reload, showsImage, type ViewerPage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_SIZE, columns: SLICE_SIZE };
const [TRUTH, TEST] = ['2.25.900', '2.25.901'];
/** The colors of Okabe and Ito that docs/compare.md names. */
const [BLUE, VERMILLION, YELLOW] = [
  [86, 180, 233],
  [213, 94, 0],
  [240, 228, 66],
];

const square = (slice: number, segment: number, left: number): Patch => ({
  slice,
  segment,
  top: 8,
  left,
  rows: 8,
  columns: 8,
});

/** Squares of 64 samples on the first 4 of 6 slices; the test has them a column to the right, and a false one on the last slice. */
const PLANTED = { slice: 5, segment: 1, top: 22, left: 22, rows: 6, columns: 6 };
const truth = { uid: TRUTH, name: 'Truth', patches: [0, 1, 2, 3].map((slice) => square(slice, 1, 8)) };
const predicted = {
  uid: TEST,
  name: 'Prediction',
  patches: [...[0, 1, 2, 3].map((slice) => square(slice, 1, 9)), PLANTED, { ...PLANTED, slice: 0, segment: 2 }],
};

const serveBoth = () => serveShared(...writeSlices(6), writeSegmentation(truth), writeSegmentation(predicted));

/** The errors of the image on the screen are drawn. */
async function showsErrors({ page }: ViewerPage, image: string): Promise<void> {
  await page.locator(`[data-cell="0"] [data-layer="errors"][data-image="${image}"][data-errors="drawn"]`).waitFor();
}

/** Red, green, blue and alpha of the errors over the center of a sample. */
async function readError({ cell }: ViewerPage, column: number, row: number): Promise<readonly number[]> {
  const box = await cell.boundingBox();
  const [left, top] = (await projectionOf(cell, IMAGE, {}))(column + 0.5, row + 0.5);
  const point = [left - (box?.x ?? 0), top - (box?.y ?? 0)];
  return cell.locator('[data-layer="errors"]').evaluate((canvas: HTMLCanvasElement, [across = 0, down = 0]) => {
    const ratio = canvas.width / canvas.clientWidth;
    const pixel = canvas.getContext('2d')?.getImageData(Math.floor(across * ratio), Math.floor(down * ratio), 1, 1);
    return [...(pixel?.data ?? [])];
  }, point);
}

/** What is drawn at some samples: a kind of error, or nothing. */
async function nameErrors(viewer: ViewerPage, samples: readonly (readonly [number, number])[]) {
  const found: string[] = [];
  for (const [column, row] of samples) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = await readError(viewer, column, row);
    const isNear = (color: readonly number[] | undefined) =>
      color !== undefined && Math.hypot(red - color[0]!, green - color[1]!, blue - color[2]!) < 12;
    const kind = isNear(BLUE) ? 'tp' : isNear(VERMILLION) ? 'fp' : isNear(YELLOW) ? 'fn' : 'other';
    found.push(alpha === 0 ? '' : kind);
  }
  return found;
}

test('a planted error is found by one key, and what is compared is drawn, counted and in the address', async () => {
  const viewer = await openViewer(await serveBoth(), {
    address: `#compare=${TRUTH},${TEST}`,
    width: 1366,
    height: 768,
  });
  const { page, complaints } = viewer;
  const panel = page.getByRole('region', { name: 'Comparison', exact: true });
  const row = panel.getByRole('row').nth(1);

  // 4 x 56 samples in both, 256 in the truth, 256 + 36 in the test.
  await expect.poll(() => row.textContent()).toContain('0.818');
  await expect.poll(() => row.textContent()).toContain('1 of 1, 0, 1');
  await showsErrors(viewer, '0/0');
  const places = [
    [8, 10],
    [12, 10],
    [16, 10],
    [2, 2],
  ] as const;
  expect(await nameErrors(viewer, places)).toEqual(['fn', 'tp', 'fp', '']);

  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('Alt+Shift+g');
  await showsImage(page, 5);
  await showsErrors(viewer, '5/0');
  expect(await nameErrors(viewer, [[24, 24], ...places])).toEqual(['fp', '', '', '', '']);
  await page.keyboard.press('Home');
  await showsImage(page, 0);
  await page.keyboard.press('Alt+Shift+w');
  await showsImage(page, 5);
  // There is no error in slice 4.
  await page.keyboard.press('Alt+ArrowUp');
  await showsImage(page, 3);
  await page.keyboard.press('Alt+ArrowUp');
  await showsImage(page, 2);
  await page.keyboard.press('Alt+ArrowDown');
  await showsImage(page, 3);

  // Only what is missing.
  await showsErrors(viewer, '3/0');
  await panel.getByRole('button', { name: 'False negative' }).click();
  await expect.poll(() => nameErrors(viewer, places)).toEqual(['fn', '', '', '']);
  await expect.poll(() => page.url()).toContain('only=fn');
  await reload(page);
  await showsImage(page, 3);
  await showsErrors(viewer, '3/0');
  expect(await nameErrors(viewer, places)).toEqual(['fn', '', '', '']);
  expect(await findViolationsInBoth(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('truth and test are chosen in the list of layers, their pairs can be changed, and every number says what it is', async () => {
  const viewer = await openViewer(await serveBoth(), { width: 1366, height: 768 });
  const { page, complaints } = viewer;
  await page.keyboard.press('c');
  const layer = (name: string) => page.getByRole('region', { name, exact: true });
  await layer('Truth').getByRole('button', { name: 'Truth' }).click();
  await layer('Prediction').getByRole('button', { name: 'Test' }).click();
  const panel = page.getByRole('region', { name: 'Comparison', exact: true });
  const partner = panel.getByRole('combobox', { name: /Part of the test that/ });

  await expect.poll(() => panel.getByRole('row').nth(1).textContent()).toContain('0.818');
  await expect.poll(() => panel.textContent()).toContain('Only in the test');
  await partner.selectOption({ index: 2 });
  // The other part of the test lies elsewhere, so that nothing agrees.
  await expect.poll(() => panel.getByRole('row').nth(1).textContent()).toContain('0.000');
  await expect.poll(() => page.url()).toContain('pairs=1:2');
  await panel.getByRole('button', { name: 'Pair by code, label and number' }).click();
  await expect.poll(() => panel.getByRole('row').nth(1).textContent()).toContain('0.818');
  await partner.selectOption('');
  await expect.poll(() => panel.textContent()).toContain('no partner');

  await panel.getByRole('button', { name: 'Swap truth and test' }).click();
  await expect.poll(() => page.url()).toContain(`compare=${TEST},${TRUTH}`);
  const head = panel.getByRole('button', { name: /^Dice: 2 × samples in both/ });
  await head.hover();
  await page.locator('[data-tip]', { hasText: '2 × samples in both' }).waitFor();
  await page.keyboard.press('Alt+c');
  await panel.waitFor({ state: 'detached' });
  await expect.poll(() => page.url()).not.toContain('compare=');
  expect(complaints).toEqual([]);
});

test('what cannot be compared is a sentence, and an address with nonsense opens the comparison as it is at first', async () => {
  const viewer = await openViewer(await serveBoth(), {
    address: `#compare=${TRUTH},${TEST};pairs=7:9;look=loud`,
    width: 1366,
    height: 768,
  });
  const { page } = viewer;
  const panel = page.getByRole('region', { name: 'Comparison', exact: true });

  await expect.poll(() => panel.getByRole('alert').textContent()).toContain('These cannot be compared');
  await page.goto(page.url().replace(/#.*/, '#compare=nothing;pairs='));
  await expect.poll(() => panel.textContent()).toContain('Choose two layers');
});

/** How many pixels of the errors in a cell are near a color. */
function countErrors(cell: Locator, color: readonly number[] | undefined): Promise<number> {
  return cell.locator('[data-layer="errors"]').evaluate(
    (canvas: HTMLCanvasElement, [red = 0, green = 0, blue = 0]) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        const isNear = Math.hypot(data[at]! - red, data[at + 1]! - green, data[at + 2]! - blue) < 12;
        if (data[at + 3]! > 0 && isNear) count += 1;
      }
      return count;
    },
    [...(color ?? [])],
  );
}

const at = (slice: number) => ({ file_index: slice, frame_index: 0 });

test('shapes and masks among marks are compared on planes as well as on images', async () => {
  const server = await serve(...writeSlices(6), writeSegmentation(predicted));
  const place = { type: 'stack', from: at(0), to: at(3) };
  // The square of the truth, on the first four slices.
  const corners = [
    [8, 8],
    [16, 16],
  ];
  const mark = { kind: 'box', place, points: [], slices: [{ ...at(0), points: corners }] };
  const made = await server.request('/api/marks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(mark),
  });
  expect([made.status, made.ok ? '' : await made.text()]).toEqual([made.status, '']);
  const viewer = await openViewer(server, { address: `#compare=marks,${TEST}`, width: 1366, height: 768 });
  const { page, cell, complaints } = viewer;
  await showsErrors(viewer, '0/0');
  await cell.focus();
  await page.keyboard.press('y');
  const coronal = page.locator('[data-cell="1"]');
  await page.locator('[data-cell="1"][data-status="ready"][data-quality="exact"]').waitFor();
  // All planes meet in an error, which is in rows 8 to 15.
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => countErrors(coronal, BLUE)).toBeGreaterThan(50);
  await expect.poll(() => countErrors(coronal, YELLOW)).toBeGreaterThan(5);
  await expect.poll(() => countErrors(coronal, VERMILLION)).toBeGreaterThan(5);
  expect(complaints).toEqual([]);
});
