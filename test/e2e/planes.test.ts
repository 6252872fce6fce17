import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { findViolations } from '../support/axe.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { readPng } from '../support/readPng.ts';
import { type LoadSlicesInput, loadSlicesTask, packLayerTask } from '../../src/server/images/volumes/volumeTasks.ts';
import { type ServeOptions, serveShared, serveWith } from '../support/serve.ts';
import { writeSlices } from '../support/segmentedSlices.ts';
import { showStoredBeside } from '../support/storedBeside.ts';
import { drag, openViewer, settle } from '../support/viewerPage.ts';
import { frameAt, writeMultiFrame, writeSeries } from '../support/volumeFiles.ts';

/** A bright ball in a volume of 32 columns of 0.6 mm, 40 rows of 0.8 mm and 24 slices of 1.5 mm. */
const SIZE = { columns: 32, rows: 40, slices: 24 };
const ORIGIN = [-9, -16, 5] as const;
/** The middle of the ball, in column 21, row 12 and slice 15: x = -9 + 21 × 0.6, y = -16 + 12 × 0.8, z = 5 + 15 × 1.5. */
const POINT = [3.6, -6.4, 27.5] as const;
const SPACE = '1.2.826.0.1.3680043.10.77.4.1';
const UID = '1.2.826.0.1.3680043.10.77.3';

/**
 * The sample at a point of the patient. The ball is soft, so its middle can be found in a picture to much less than a
 * pixel, however the picture is sampled and enlarged.
 */
function ballAt(x: number, y: number, z: number, sigmaMm: number): number {
  const squared = (x - POINT[0]) ** 2 + (y - POINT[1]) ** 2 + (z - POINT[2]) ** 2;
  return Math.round(950 + 1050 * Math.exp(-squared / (2 * sigmaMm ** 2)));
}

function phantom(): Uint8Array[] {
  const slices = Array.from({ length: SIZE.slices }, (_, slice) => ({
    position: [ORIGIN[0], ORIGIN[1], ORIGIN[2] + 1.5 * slice] as const,
    samples: Int16Array.from({ length: SIZE.rows * SIZE.columns }, (__, i) => {
      const [row, column] = [Math.floor(i / SIZE.columns), i % SIZE.columns];
      return ballAt(ORIGIN[0] + 0.6 * column, ORIGIN[1] + 0.8 * row, ORIGIN[2] + 1.5 * slice, 0.9);
    }),
  }));
  return writeSeries(1, slices, {
    Rows: SIZE.rows,
    Columns: SIZE.columns,
    PixelSpacing: ['0.8', '0.6'],
    SeriesDescription: 'Phantom',
    WindowCenter: '200',
    WindowWidth: '1000',
  });
}

/** Coronal PET images of the same space, 2 mm apart, 11 × 9 pixels of 3 mm. Image 4 lies at y = -6.4. */
function otherSeries(): Uint8Array[] {
  const slices = Array.from({ length: 8 }, (_, slice) => ({
    position: [-11.4, -14.4 + 2 * slice, 42.5] as const,
    orientation: [1, 0, 0, 0, 0, -1],
    // The point is 15 mm to the left of the first sample and 15 mm below it: row 5, column 5.
    samples: Int16Array.from({ length: 99 }, (__, i) =>
      ballAt(-11.4 + 3 * (i % 9), -14.4 + 2 * slice, 42.5 - 3 * Math.floor(i / 9), 3),
    ),
  }));
  return writeSeries(2, slices, {
    Modality: 'PT',
    Rows: 11,
    Columns: 9,
    PixelSpacing: ['3', '3'],
    FrameOfReferenceUID: SPACE,
    WindowCenter: '200',
    WindowWidth: '1000',
  });
}

/** Four places with two b-values each; the samples with b = 1000 are bright. */
function diffusion(): Uint8Array[] {
  const slices = [0, 1, 2, 3].flatMap((place) =>
    [0, 1000].map((b) => ({
      position: [0, 0, 2 * place] as const,
      more: { DiffusionBValue: b },
      samples: new Int16Array(20).fill(b === 0 ? 950 : 2000),
    })),
  );
  return writeSeries(4, slices, { Modality: 'MR', WindowCenter: '200', WindowWidth: '1000' });
}

/**
 * A PET volume of 40 columns, 30 rows and 20 slices of 4 mm with 100 Bq/ml; one hot sample on the left, in front, near
 * the head. The slope of the rescale is 2 in one slice and 4 in the next.
 */
const HOT = { column: 32, row: 5, slice: 15 };
function emission(): Uint8Array[] {
  const slices = Array.from({ length: 20 }, (_, slice) => ({
    position: [-78, -58, 4 * slice] as const,
    more: { RescaleSlope: slice % 2 === 0 ? '2' : '4' },
    samples: Int16Array.from(
      { length: 1200 },
      (__, i) => (slice === HOT.slice && i === HOT.row * 40 + HOT.column ? 2000 : 100) / (slice % 2 === 0 ? 2 : 4),
    ),
  }));
  const dose = {
    Units: 'BQML',
    DecayCorrection: 'START',
    CorrectedImage: ['ATTN', 'DECY'],
    PatientWeight: '50',
    SeriesDate: '20250101',
    SeriesTime: '100000',
    AcquisitionDate: '20250101',
    AcquisitionTime: '100000',
    RadiopharmaceuticalInformationSequence: [
      { RadiopharmaceuticalStartTime: '100000', RadionuclideTotalDose: '100000', RadionuclideHalfLife: '6000' },
    ],
  };
  const more = { Modality: 'PT', Rows: 30, Columns: 40, PixelSpacing: ['4', '4'] };
  return writeSeries(5, slices, { ...more, ...dose, RescaleIntercept: '0', WindowCenter: '1000', WindowWidth: '2000' });
}

const single = () => writeSeries(3, [{ position: [0, 0, 0] }]);

/** Half a pixel of the screen. */
const MOST_MISSED = 0.5;

/** Waits until a cell shows an exact picture. */
async function isReady(page: Page, cell: number): Promise<Locator> {
  const found = page.locator(`[data-cell="${cell}"][data-status="ready"][data-quality="exact"]`);
  await found.waitFor();
  return found;
}

/** The middle of the bright part of a picture, in CSS pixels from the corner of its cell; undefined if it has none. */
function findBright(cell: Locator, layer = 'canvas', least = 200): Promise<{ x: number; y: number } | undefined> {
  return cell.evaluate(
    (element, [selector, leastLevel]) => {
      const canvas = element.querySelector<HTMLCanvasElement>(selector);
      const context = canvas?.getContext('2d');
      if (!canvas || !context) return undefined;
      const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
      const levels = Float64Array.from({ length: data.length / 4 }, (_, i) => {
        const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * i, 4 * i + 4);
        return (((red + green + blue) / 3) * alpha) / 255;
      });
      const most = levels.reduce((a, b) => Math.max(a, b), 0);
      if (most < leastLevel) return undefined;
      let [x, y, sum] = [0, 0, 0];
      for (const [i, level] of levels.entries()) {
        const weight = Math.max(0, level - most / 2);
        x += weight * ((i % width) + 0.5);
        y += weight * (Math.floor(i / width) + 0.5);
        sum += weight;
      }
      return { x: x / sum / devicePixelRatio, y: y / sum / devicePixelRatio };
    },
    [layer, least] as const,
  );
}

const LAYERS = '[data-layer="layers"]';

/** How far the crosshair is from the bright part of a picture, or of the layer over it, in CSS pixels. */
async function missOf(page: Page, number: number, layer?: string): Promise<number> {
  const cell = await isReady(page, number);
  const bright = await (layer === undefined ? findBright(cell) : findBright(cell, layer, 50));
  const [x = NaN, y = NaN] = ((await cell.locator('[data-layer="crosshair"]').getAttribute('data-center')) ?? '')
    .split(',')
    .map(Number);
  return bright === undefined ? Infinity : Math.hypot(bright.x - x, bright.y - y);
}

async function expectPointInAll(page: Page, cells: readonly number[], layer?: string): Promise<void> {
  for (const cell of cells) await expect.poll(() => missOf(page, cell, layer)).toBeLessThan(MOST_MISSED);
}

/** Sets the crosshair exactly: a click has whole pixels only, of which a larger cell shows the fractions. */
async function setCrosshair(page: Page): Promise<void> {
  // The address has followed the click when it has the planes of the ball.
  await page.waitForURL(new RegExp(`,16,[^&]*axial.*,11,[^&]*sagittal.*cross=${SPACE},`));
  const address = new URL(page.url()).hash.replace(/cross=[^&]*/, `cross=${SPACE},${POINT.join('_')}`);
  await page.evaluate((hash) => (location.hash = hash), address);
}

async function expectCenter(page: Page, center: string): Promise<void> {
  const layer = page.locator('[data-cell="0"] [data-layer="crosshair"]');
  await expect.poll(() => layer.getAttribute('data-center')).toBe(center);
}

async function clickBright(page: Page, cell: number, count = 1): Promise<void> {
  const found = await isReady(page, cell);
  const [bright, box] = [await findBright(found), await found.boundingBox()];
  if (bright === undefined || box === null) throw new Error('nothing bright');
  await page.mouse.click(box.x + bright.x, box.y + bright.y, { clickCount: count });
}

/** A point of a dashed line, away from the middle of the picture, and the direction away from the crosshair. */
function findEdge(layer: Element): { x: number; y: number; away: number } | undefined {
  const lines = [...layer.querySelectorAll('line')].filter((line) => getComputedStyle(line).strokeDasharray !== 'none');
  const [line] = lines;
  const center = (layer instanceof SVGElement ? layer.dataset['center'] : undefined)?.split(',').map(Number) ?? [];
  if (line === undefined) return undefined;
  const at = (name: string) => Number(line.getAttribute(name));
  const [x, y] = [at('x1') + 0.35 * (at('x2') - at('x1')), at('y1') + 0.35 * (at('y2') - at('y1'))];
  return { x, y, away: Math.sign(y - (center[1] ?? 0)) };
}

/** Distances to the left, to the front and to the head, in millimetres. */
function readPosition(text: string): readonly number[] {
  return (/L ([\d.]+) {2}A ([\d.]+) {2}H ([\d.]+) mm/.exec(text) ?? []).slice(1).map(Number);
}

test('three planes show one point under the crosshair, also after maximizing, another layout and a reload', async () => {
  const server = await serveShared(...phantom(), ...otherSeries(), ...single());
  const { page, complaints } = await openViewer(server, { address: `#cell=${UID}.1.12,1`, position: 11 });

  await page.keyboard.press('y');
  // They begin in the image on the screen: slice 12 of 24, with a MIP beside them.
  await page.waitForURL(
    /layout=2x2&cell=[\d.]+,12,,,,,,axial&cell=[\d.]+,20,,,,,,coronal&cell=[\d.]+,\d+,,,,,,sagittal/,
  );
  await showStoredBeside(page, `${UID}.1.12`);
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.locator('[data-cell="3"]').getAttribute('data-shown')).toBe('15');
  await clickBright(page, 0);
  await setCrosshair(page);
  await expectPointInAll(page, [0, 1, 2, 3]);

  // Right is on the left, head is up, and the sagittal plane is seen from the left.
  const letters = await page.evaluate(() =>
    [0, 1, 2].map((cell) =>
      [...document.querySelectorAll(`[data-cell="${cell}"] [data-texts] *`)]
        .map(({ childElementCount, textContent }) => (childElementCount === 0 ? textContent : ''))
        .filter((text) => /^[LRAPHF]$/.test(text ?? ''))
        .join(''),
    ),
  );
  expect(letters).toEqual(['RLAP', 'RLHF', 'APHF']);
  expect(await findViolations(page)).toEqual([]);

  // With another tool a double click does not move the crosshair.
  await page.keyboard.press('w');
  await clickBright(page, 1, 2);
  await expect.poll(() => page.locator('[data-cell]:visible').count()).toBe(1);
  await expectPointInAll(page, [1]);
  await clickBright(page, 1, 2);
  await expect.poll(() => page.locator('[data-cell]:visible').count()).toBe(4);
  await expectPointInAll(page, [0, 1, 2, 3]);

  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('button', { name: '2 × 3' }).click();
  await expectPointInAll(page, [0, 1, 2, 3]);

  await page.waitForURL(/layout=2x3/);
  await page.reload();
  await page.locator('html[data-parts="all"]').waitFor();
  await expectPointInAll(page, [0, 1, 2, 3]);

  // A stored stack of another series follows too: it has the point in its image 4.
  const address = new URL(page.url()).hash.replace(/layout=2x3/, 'layout=2x2');
  const cells = address.split('&').filter((part) => part.startsWith('cell='));
  const other = address.replace(cells[3] ?? '', `cell=${UID}.2.1,1`);
  await page.evaluate((hash) => (location.hash = hash), other);
  await clickBright(page, 0);
  await expect.poll(() => page.locator('[data-cell="3"]').getAttribute('data-shown')).toBe('4');
  await page.waitForURL(new RegExp(`cell=${UID}.2.5,1`));
  await setCrosshair(page);
  await expectPointInAll(page, [0, 1, 2, 3]);
  // So does the same series as a layer over the planes.
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('f');
  for (const cell of [0, 1, 2]) await page.locator(`[data-cell="${cell}"] ${LAYERS}[data-masks="1"]`).waitFor();
  await expectPointInAll(page, [0, 1, 2], LAYERS);
  await page.keyboard.press('f');

  // The position in the patient stands in the corner: 3.6 mm left, 6.4 mm to the front, 27.5 mm towards the head.
  const told = readPosition((await page.locator('[data-cell="0"]').textContent()) ?? '');
  for (const [axis, value] of told.entries()) expect(Math.abs(value - Math.abs(POINT[axis] ?? NaN))).toBeLessThan(0.3);
  expect(told).toHaveLength(3);

  // The planes were opened by a link, so back are the stored images, at the same place.
  await page.keyboard.press('y');
  await page.locator('[data-cell="0"][data-shown="15"]').waitFor();
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(1);
  await expectPointInAll(page, [0]);

  // The crosshair can be set on stored images too. With Shift it follows the pointer, whatever the tool.
  await page.keyboard.press('Shift+X');
  const box = await page.locator('[data-cell="0"]').boundingBox();
  if (box === null) throw new Error('no cell');
  await page.mouse.click(box.x + 300, box.y + 250);
  await expectCenter(page, '300.00,250.00');
  await page.keyboard.press('w');
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 320, box.y + 260);
  await page.keyboard.up('Shift');
  await expectCenter(page, '320.00,260.00');

  // Planes and back is what was there: the stored image, with its window.
  await page.keyboard.press('3');
  await page.keyboard.press('y');
  await isReady(page, 2);
  await page.keyboard.press('y');
  await page.locator('[data-cell="0"][data-shown="15"]').waitFor();
  await page.getByText('W 2000 L 350').first().waitFor();

  // A stack that is no volume: the reason in words, and nothing else changes.
  await page.evaluate((hash) => (location.hash = hash), `cell=${UID}.3.1,1`);
  await page.locator('[data-cell="0"][data-shown="0"]').waitFor();
  await settle(page);
  await page.keyboard.press('y');
  await page.getByText(/^Planes cannot be shown: /).waitFor();
  expect(await page.locator('[data-cell]').count()).toBe(1);
  expect(complaints).toEqual([]);
}, 180_000);

test('planes are turned, thickened, measured and followed in time', async () => {
  const server = await serveShared(...phantom(), ...diffusion());
  const { page, complaints } = await openViewer(server, { address: `#cell=${UID}.1.12,1`, position: 11 });
  const cells = [0, 1, 2, 3].map((cell) => page.locator(`[data-cell="${cell}"]`));
  const [axial, coronal, sagittal] = cells;
  if (axial === undefined || coronal === undefined || sagittal === undefined) throw new Error('no cells');
  const press = async (key: string, times = 1) => {
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
  };
  // As long as the server reads the volume, the page says how far it is, and the user can leave.
  await page.route('**/plane/raw*', () => undefined);
  await press('y');
  await page.getByText('Volume 0 %').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(1);
  await page.unroute('**/plane/raw*');
  await press('y');
  await axial.getByText('Axial', { exact: true }).first().waitFor();
  await press('ArrowDown', 4);
  await expect.poll(() => axial.getAttribute('data-shown')).toBe('15');
  await clickBright(page, 0);
  await setCrosshair(page);

  // Three slices of 1.5 mm away, the middle of the ball is in a slab of 10 mm, which has 7 sheets, and not in one of 7 mm.
  await press('ArrowUp', 3);
  await press('Shift+D');
  await axial.getByText('MIP 10 mm').waitFor();
  await expect.poll(async () => findBright(await isReady(page, 0))).toBeDefined();
  await press('.');
  await axial.getByText('MIP 15 mm').waitFor();
  await press(',', 2);
  await axial.getByText('MIP 7 mm').waitFor();
  await expect.poll(async () => findBright(await isReady(page, 0))).toBeUndefined();
  // A saved picture is named after the plane, and has its samples: 40 rows of 0.8 mm over columns of 0.6 mm are 53.
  await press('Control+s');
  await page.getByLabel('Entire image, 1:1').check();
  const downloading = page.waitForEvent('download');
  await press('Enter');
  const saved = await downloading;
  expect(saved.suggestedFilename()).toBe('CT-Phantom-Axial-MIP_7_mm-image13.png');
  const picture = readPng(await readFile(await saved.path()));
  expect([picture.columns, picture.rows]).toEqual([32, 53]);
  await axial.focus();
  await page.getByLabel('Projection of the slab').selectOption('MinIP');
  await axial.getByText('MinIP 7 mm').waitFor();
  await page.waitForURL(/,axial~min7&/);
  // An edge of the slab is dragged in another picture.
  const edge = await coronal.locator('[data-layer="crosshair"]').evaluate(findEdge);
  const inCoronal = await coronal.boundingBox();
  if (edge === undefined || inCoronal === null) throw new Error('the slab has no edge');
  const take = [inCoronal.x + edge.x, inCoronal.y + edge.y] as const;
  await drag(page, take, [take[0], take[1] + 20 * edge.away]);
  await expect.poll(() => new URL(page.url()).hash).toMatch(/,axial~min(?:[89]|\d\d)/);
  await axial.focus();
  await press('Shift+D', 2);
  await expect.poll(() => axial.getByText(/^M\w+ [\d.]+ mm$/).count()).toBe(0);
  await press('ArrowDown', 3);
  await expectPointInAll(page, [0, 1, 2]);

  // The others turn together around the point, which stays under the crosshair; their samples are interpolated.
  await axial.focus();
  await press('Alt+ArrowRight', 20);
  await coronal.getByText('Coronal, turned 20°').waitFor();
  await sagittal.getByText('Sagittal, turned 20°').waitFor();
  await expectPointInAll(page, [0, 1, 2]);
  const box = await coronal.boundingBox();
  if (box === null) throw new Error('no cell');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await coronal.getByText('interpolated').waitFor();
  // The address follows after a moment, when it has the cosine of 20 degrees.
  await page.waitForURL(/coronal~o0\.93969/);
  await page.reload();
  await page.locator('html[data-parts="all"]').waitFor();
  await coronal.getByText('Coronal, turned 20°').waitFor();
  await expectPointInAll(page, [0, 1, 2]);

  // A rectangle over a turned plane has values, and says how they were made.
  await press('Shift+E');
  await drag(
    page,
    [box.x + box.width * 0.45, box.y + box.height * 0.4],
    [box.x + box.width * 0.55, box.y + box.height * 0.6],
  );
  await coronal.getByText('Values interpolated').waitFor();
  await press('Shift+U');
  await coronal.getByText('Coronal', { exact: true }).first().waitFor();
  await expect.poll(() => coronal.getByText('Values interpolated').count()).toBe(0);

  await page.evaluate((hash) => (location.hash = hash), `cell=${UID}.4.1,1`);
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(1);
  await press('y');
  await axial.getByText('Axial · b 0 s/mm²').waitFor();
  await expect.poll(async () => findBright(await isReady(page, 0))).toBeUndefined();
  await showStoredBeside(page, `${UID}.4.1`);
  await axial.focus();
  await press('j');
  await axial.getByText('Axial · b 1000 s/mm²').waitFor();
  await coronal.getByText('Coronal · b 1000 s/mm²').waitFor();
  await expect.poll(async () => findBright(await isReady(page, 0))).toBeDefined();
  // The stored images beside the planes go to the same time in the same place, and stay at it where the crosshair goes.
  const stored = page.locator('[data-cell="3"]');
  const storedAt = () => stored.getAttribute('data-shown').then(Number);
  await expect.poll(async () => findBright(await isReady(page, 3))).toBeDefined();
  const bright = await storedAt();
  await press('ArrowDown');
  await expect.poll(storedAt).not.toBe(bright);
  await expect.poll(async () => findBright(await isReady(page, 3))).toBeDefined();
  await page.getByLabel('Time').fill('0');
  await axial.getByText('Axial · b 0 s/mm²').waitFor();
  await expect.poll(async () => findBright(await isReady(page, 3))).toBeUndefined();
  // Scrolling through them leads the planes to the time of the image on the screen.
  await stored.focus();
  await press('End');
  await axial.getByText('Axial · b 1000 s/mm²').waitFor();
  await press('Home');
  await axial.getByText('Axial · b 0 s/mm²').waitFor();
  await axial.focus();
  // The curve has the value of the crosshair at both times, 950 and 2000 less 1024; a point of it leads to its time.
  await page.getByRole('button', { name: 'Curve' }).click();
  await page.locator('output', { hasText: 'b 0 s/mm²: -74' }).waitFor();
  await page.getByText('-74 to 976', { exact: true }).waitFor();
  await page.locator('figure:has(figcaption) circle').last().click();
  await page.locator('output', { hasText: 'b 1000 s/mm²: 976' }).waitFor();
  await axial.getByText('Axial · b 1000 s/mm²').waitFor();
  // A region has its mean at both times.
  const inAxial = await axial.boundingBox();
  if (inAxial === null) throw new Error('no cell');
  await axial.focus();
  // The image has 5 by 4 pixels: a smaller rectangle may have the center of none of them.
  await press('Shift+E');
  await drag(
    page,
    [inAxial.x + inAxial.width * 0.3, inAxial.y + inAxial.height * 0.3],
    [inAxial.x + inAxial.width * 0.7, inAxial.y + inAxial.height * 0.7],
  );
  await expect.poll(() => page.getByLabel('What the curve is of').inputValue()).toBe('region');
  await page.locator('output', { hasText: /b 1000 s\/mm²: -?[\d.]+/ }).waitFor();
  await page.getByLabel('What the curve is of').selectOption('At the crosshair');
  await page.locator('output', { hasText: 'b 1000 s/mm²: 976' }).waitFor();
  await page.getByRole('button', { name: 'Curve' }).click();
  await page.getByLabel('Time').fill('0');
  await axial.getByText('Axial · b 0 s/mm²').waitFor();
  await press('Shift+J');
  await page.waitForURL(/,axial~t1&/);
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
}, 180_000);

test('a rotating MIP stands beside the planes of a PET, turns with the pointer and by itself, and is in the address', async () => {
  const server = await serveShared(...emission());
  const { page, complaints } = await openViewer(server, { address: `#cell=${UID}.5.1,1` });
  await page.keyboard.press('y');
  const mip = page.locator('[data-cell="3"]');
  await page.waitForURL(/,mip(?:&|$)/);
  await isReady(page, 3);
  await mip.getByText('from the front').waitFor();
  await mip.getByText('projected').waitFor();
  await mip.getByText('inverted').waitFor();
  // Planes have the unit of stored frames: 100 Bq/ml × 50,000 g / 100,000 Bq are 50 SUVbw, whatever the slope.
  const axial = page.locator('[data-cell="0"]');
  const inAxial = await axial.boundingBox();
  if (inAxial === null) throw new Error('no cell');
  await page.mouse.move(inAxial.x + inAxial.width / 2 + 30, inAxial.y + inAxial.height / 2 + 30);
  await axial.getByText(/50 SUVbw/).waitFor();
  await axial.getByText(/W 1000 L 500 SUVbw/).waitFor();
  // The hot sample is 50 mm to the left of the middle, of 100 mm from the middle to the edge of the picture: the
  // diagonal of 160 x 120 mm is 200 mm. From the left it is 38 mm in front of the middle, which is on the left.
  await expect.poll(() => darkAt(page)).toBeCloseTo(0.5 + 50 / 200, 1);
  await mip.focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
  await mip.getByText('from the left').waitFor();
  await expect.poll(() => darkAt(page)).toBeCloseTo(0.5 - 38 / 200, 1);

  // What is in front follows the pointer: 60 pixels to the right are 30 degrees back to the front.
  const box = await mip.boundingBox();
  if (box === null) throw new Error('no cell');
  await drag(page, [box.x + 100, box.y + 100], [box.x + 160, box.y + 100]);
  await mip.getByText('60° to the left').waitFor();
  await page.waitForURL(/,7,[^&]*mip~a330(?:&|$)/);
  await page.reload();
  await page.locator('html[data-parts="all"]').waitFor();
  await mip.getByText('60° to the left').waitFor();

  // The wheel zooms, Space turns it, and the side can be chosen.
  const zoom = () => mip.getByText(/^Zoom \d+ %/).textContent();
  const before = await zoom();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.wheel(0, -120);
  await expect.poll(zoom).not.toBe(before);
  await mip.focus();
  await page.keyboard.press('Space');
  await mip.getByText('75° to the left').waitFor();
  await page.keyboard.press('Space');
  await page.getByLabel('View from').selectOption('Head');
  await mip.getByText('from the head').waitFor();
  expect(await findViolations(page)).toEqual([]);

  // The key ends it, and shows it again.
  await mip.focus();
  await page.keyboard.press('Shift+G');
  await expect.poll(() => page.url()).not.toMatch(/mip/);
  await page.keyboard.press('Shift+G');
  await page.waitForURL(/,mip(?:&|$)/);
  expect(complaints).toEqual([]);
}, 180_000);

/** The middle of the dark part of an inverted picture, as a part of its width. */
async function darkAt(page: Page): Promise<number | undefined> {
  const cell = await isReady(page, 3);
  return cell.evaluate((element) => {
    const canvas = element.querySelector('canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return undefined;
    const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
    const levels = Array.from({ length: data.length / 4 }, (_, i) => data[4 * i] ?? 0);
    const dark = levels.flatMap((level, i) => (level > 20 && level < 150 ? [i % width] : []));
    return dark.reduce((sum, x) => sum + x, 0) / dark.length / width;
  });
}

test('the page counts the slices that are packed of a volume beyond the memory, and the user can leave', async () => {
  // 100 slices of 288 KiB are 28 MiB, and volumes may use 19: 60 % of the half of 64. A layer has 14 slices: 4 MiB.
  const side = 384;
  const slices = Array.from({ length: 100 }, (_, slice) => ({ position: [0, 0, slice] as const }));
  const fragments = [encodeRle(new Uint8Array(2 * side * side), 2, 1)];
  const all = { Rows: side, Columns: side, PixelData: { fragments } };
  const inputs = writeSeries(6, slices, all, { transferSyntaxUid: '1.2.840.10008.1.2.5' });
  const door = new EventEmitter();
  const opened = once(door, 'open');
  const passed = new Set<string | undefined>();
  const volumeTasks: ServeOptions['volumeTasks'] = (pool) => ({
    ...pool,
    async run(task, input, options) {
      // Four layers are packed, and the others wait for the test. A layer may be asked for several times: by each
      // plane, and again after a plane of another size was cancelled.
      if (task.name === packLayerTask.name) {
        if (passed.size < 4) passed.add(options?.shareKey);
        if (!passed.has(options?.shareKey)) await opened;
      }
      return pool.run(task, input, options);
    },
  });
  const server = await serveWith({ inputs, volumeTasks, memoryBytes: 128 * 2 ** 20 });
  const { page, complaints } = await openViewer(server, { address: `#cell=${UID}.6.1,1` });
  await page.keyboard.press('y');
  await page.getByText(/^(?:14|28|42|56) of 100 slices packed$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(1);
  door.emit('open');
  await page.keyboard.press('y');
  for (const cell of [0, 1, 2]) await isReady(page, cell);
  expect(await page.getByText(/slices packed$/).count()).toBe(0);
  // Oblique planes come from the same slices.
  await page.keyboard.press('Alt+ArrowRight');
  await page.locator('[data-cell="1"]').getByText('Coronal, turned 1°').waitFor();
  await isReady(page, 1);
  expect(complaints).toEqual([]);
}, 180_000);

test('planes of a volume that is being loaded are shown at once, marked, and give no values', async () => {
  // The slices that come last wait for the test: those in a task with slice 23, after 16 others and that of the axial plane.
  const door = new EventEmitter();
  const opened = once(door, 'open');
  const volumeTasks: ServeOptions['volumeTasks'] = (pool) => ({
    ...pool,
    async run(task, input, options) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input of the task with this name
      const slices = task.name === loadSlicesTask.name ? (input as LoadSlicesInput).slices : [];
      if (slices.some(({ place }) => place === 23)) await opened;
      return pool.run(task, input, options);
    },
  });
  const server = await serveWith({ inputs: phantom(), volumeTasks });
  const { page, complaints, requests } = await openViewer(server, { address: `#cell=${UID}.1.1,1` });
  const [coronal, sagittal] = [1, 2].map((cell) => page.locator(`[data-cell="${cell}"]`));
  if (coronal === undefined || sagittal === undefined) throw new Error('no cells');
  await page.keyboard.press('y');
  await coronal.getByText(/^loading, 1[67] of 24 slices$/).waitFor();
  await sagittal.getByText(/^loading, 1[67] of 24 slices$/).waitFor();
  // The axial plane needs one slice, which is there.
  await isReady(page, 0);
  expect(await coronal.getAttribute('data-status')).toBe('loading');
  expect(await coronal.getAttribute('data-quality')).toBe('preview');
  // Everything outside the ball has the level (950 - 1024 - 199.5) / 999 + 0.5 of 255.
  expect([57, 58]).toContain(await middleLevel(coronal));
  await page
    .getByText(/^Volume (?:66|70) %$/)
    .first()
    .waitFor();
  const box = await coronal.boundingBox();
  if (box === null) throw new Error('no cell');
  const probed = /\(\d+, \d+\)/;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await settle(page);
  expect(await coronal.textContent()).not.toMatch(probed);
  await page.keyboard.press('Shift+E');
  const middle = [box.x + box.width / 2, box.y + box.height / 2] as const;
  await drag(page, [middle[0] - 30, middle[1] - 30], [middle[0] + 30, middle[1] + 30]);
  await settle(page);
  expect(await coronal.textContent()).not.toMatch(/-74/);

  door.emit('open');
  await isReady(page, 1);
  await isReady(page, 2);
  await expect.poll(() => page.getByText(/loading, \d+ of/).count()).toBe(0);
  // 950 less 1024, in the rectangle and at the pointer.
  await expect.poll(() => coronal.textContent()).toMatch(/-74/);
  await page.mouse.move(middle[0] + 60, middle[1] + 60);
  await expect.poll(() => coronal.textContent()).toMatch(probed);
  // Two planes asked for the 16 slices, and not again and again while nothing came.
  const partial = requests.filter((url) => url.includes('partial=true')).length;
  expect(partial).toBeGreaterThanOrEqual(2);
  expect(partial).toBeLessThanOrEqual(8);
  expect(complaints).toEqual([]);
}, 180_000);

test('a busy server makes the page wait: it asks for each plane once, and nothing is logged', async () => {
  const refused = new Map<string, number>();
  const volumeTasks: ServeOptions['volumeTasks'] = (pool) => ({
    ...pool,
    async run(task, input, options) {
      const times = refused.get(task.name) ?? 0;
      refused.set(task.name, times + 1);
      if (times < 2) throw new ViewerError('decode_busy', 'other work needs the memory; try again in a moment');
      return pool.run(task, input, options);
    },
  });
  const server = await serveWith({ inputs: phantom(), volumeTasks });
  const { page, complaints, requests } = await openViewer(server, { address: `#cell=${UID}.1.1,1` });
  await page.keyboard.press('y');
  for (const cell of [0, 1, 2]) await isReady(page, cell);
  expect([...refused.values()].every((times) => times > 2)).toBe(true);
  const planes = requests.filter((url) => url.includes('/plane/') && !url.includes('partial=true'));
  // Three planes, and the MIP beside them, of which the next sides are loaded in advance.
  expect(planes.length).toBeGreaterThanOrEqual(4);
  expect(new Set(planes).size).toBe(planes.length);
  expect(complaints).toEqual([]);
});

/** The level of the pixel in the middle of a picture. */
function middleLevel(cell: Locator): Promise<number | undefined> {
  return cell.evaluate((element) => {
    const canvas = element.querySelector('canvas');
    if (!canvas) return undefined;
    const [x, y] = [Math.floor(canvas.width / 2), Math.floor(canvas.height / 2)];
    return canvas.getContext('2d')?.getImageData(x, y, 1, 1).data[0];
  });
}

test('three planes go through the image that was on the screen', async () => {
  const server = await serveShared(...writeSlices(8));
  const { page, complaints } = await openViewer(server, { address: '#cell=2.25.76,1', position: 6 });
  await page.keyboard.press('y');
  const cell = (number: number) => page.locator(`[data-cell="${number}"][data-status="ready"][data-quality="exact"]`);
  for (const number of [0, 1, 2]) await cell(number).waitFor();

  expect(await cell(0).getAttribute('data-shown')).toBe('6');
  expect(complaints).toEqual([]);
});

test('three planes go through the image on the screen although nobody has scrolled to it', async () => {
  const { page, complaints } = await openViewer(await serveShared(...writeSlices(8)));
  await page.keyboard.press('y');
  const cell = (number: number) => page.locator(`[data-cell="${number}"][data-status="ready"][data-quality="exact"]`);
  for (const number of [0, 1, 2]) await cell(number).waitFor();
  expect(await cell(0).getAttribute('data-shown')).toBe('0');

  await page.keyboard.press('y');
  await cell(0).and(page.locator('[data-shown="0"]')).waitFor();
  expect(complaints).toEqual([]);
});

test('planes of a volume of several files begin at the time of the file from which they are opened', async () => {
  const server = await serveShared(
    ...[10, 20, 40].map((ms, k) =>
      writeMultiFrame(
        1,
        [0, 2, 4].map((z) => frameAt(z, { MREchoSequence: [{ EffectiveEchoTime: ms }] })),
        { SOPInstanceUID: `${UID}.1.${k + 1}`, InstanceNumber: String(k + 1) },
      ),
    ),
  );
  const { page, complaints } = await openViewer(server, { address: `#cell=${UID}.1.1,1` });
  const at = (cell: number) => page.locator(`[data-cell="${cell}"]`);
  await page.keyboard.press('y');
  await at(1).getByText('TE 10 ms').first().waitFor();
  // The volume is known by its first file now.
  await page.keyboard.press('y');
  for (const file of [2, 3]) {
    await page.keyboard.press('PageDown');
    await page.waitForURL(`**/#cell=${UID}.1.${file},*`);
  }
  await page.keyboard.press('y');
  for (const cell of [0, 1, 2]) await at(cell).getByText('TE 40 ms').first().waitFor();

  expect(complaints).toEqual([]);
}, 120_000);

test('the menu of a series opens its planes', async () => {
  const server = await serveShared(...phantom(), ...otherSeries());
  const { page, complaints } = await openViewer(server);
  await page.getByRole('treeitem', { name: /24 images/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open in three planes' }).click();
  await isReady(page, 2);
  // Nobody has seen an image yet: the middle of 24.
  await page.waitForURL(/,12,[^&]*,axial&.*,,coronal&.*,,sagittal/);
  expect(complaints).toEqual([]);
}, 120_000);

test('the place, the slab and the window stay when planes are left and opened again', async () => {
  const server = await serveShared(...phantom());
  const { page, complaints } = await openViewer(server, { address: `#cell=${UID}.1.12,1`, position: 11 });
  const at = (cell: number) => page.locator(`[data-cell="${cell}"]`);
  await page.keyboard.press('y');
  await isReady(page, 2);
  // All pictures of a volume have one window, the MIP as well.
  for (const cell of [0, 3]) await at(cell).getByText('W 1000 L 200').first().waitFor();
  await page.keyboard.press('2');
  for (const cell of [0, 1, 2, 3]) await at(cell).getByText('W 1500 L -600').first().waitFor();
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+D');
  await at(0).getByText('MIP 10 mm').waitFor();

  await page.keyboard.press('y');
  await page.locator('[data-cell="0"][data-shown="15"]').waitFor();
  await at(0).getByText('W 1500 L -600').first().waitFor();
  // The point is on its image, and on no other one.
  const center = () => at(0).locator('[data-layer="crosshair"]').getAttribute('data-center');
  await expect.poll(center).not.toBe('');
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-cell="0"][data-shown="16"]').waitFor();
  await expect.poll(center).toBe('');
  await page.keyboard.press('ArrowUp');
  await expect.poll(center).not.toBe('');
  await page.keyboard.press('y');
  await at(0).getByText('MIP 10 mm').waitFor();
  await page.locator('[data-cell="0"][data-shown="15"]').waitFor();

  // A click in the stored images beside the planes moves these, as a click in a plane does, and so does scrolling.
  await showStoredBeside(page, `${UID}.1.16`);
  await page.keyboard.press('Shift+D');
  const before = await at(1).getAttribute('data-shown');
  const box = await at(3).boundingBox();
  if (box === null) throw new Error('no cell');
  await page.mouse.click(box.x + box.width / 2 + 20, box.y + box.height / 2 - 50);
  await expect.poll(() => at(1).getAttribute('data-shown')).not.toBe(before);
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-cell="3"][data-shown="16"]').waitFor();
  await page.locator('[data-cell="0"][data-shown="16"]').waitFor();
  expect(complaints).toEqual([]);
}, 180_000);
