import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import { canMeasure, labelsOf, openMeasuring, RAMP_COLUMNS, RAMP_ROWS, writeRamp } from '../support/measuring.ts';
import { expectBoxes, writeRoiImage } from '../support/roiFiles.ts';
import { serve, serveShared, serveWith } from '../support/serve.ts';
import { drag, openViewer, projectionOf, reload, settle, showsImage } from '../support/viewerPage.ts';

/** Values appear only after their meaning has been loaded, which takes long on a busy machine. */
const SLOW = { timeout: 60_000 };

describe('on a ramp with pixels 1 mm wide and 1.5 mm high', () => {
  test('lengths, angles, areas and values are those of the patient', async () => {
    const { page, cell, at, complaints } = await openMeasuring(await serveShared(writeRamp()));

    await page.keyboard.press('l');
    await drag(page, at(20, 20), at(60, 60));
    // 40 columns are 40 mm, 40 rows are 60 mm: √5200.
    await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['72.11 mm']]);

    // The first arm of an angle is dragged, its second follows the pointer until a click.
    await page.keyboard.press('a');
    await drag(page, at(140, 20), at(80, 20));
    await page.mouse.move(...at(90, 30));
    await page.mouse.move(...at(120, 60));
    // Before the last click the angle is not a measurement yet, but its value is shown: 40 mm across, 60 mm down.
    await expect.poll(() => labelsOf(cell, 'angle'), SLOW).toEqual([['56.3°']]);
    await page.mouse.click(...at(140, 60));
    // 60 mm across and 60 mm down from the vertex.
    await expect.poll(() => labelsOf(cell, 'angle'), SLOW).toEqual([['45.0°']]);
    await page.mouse.move(...at(20, 140));
    await expect.poll(() => labelsOf(cell, 'angle'), SLOW).toEqual([['45.0°']]);

    await page.keyboard.press('Shift+E');
    await drag(page, at(20, 80), at(60, 120));
    // Columns 20 to 59: mean 39.5, population variance (40² - 1) / 12 = 133.25. 40 by 60 mm.
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 39.5 HU  SD 11.54', 'Min 20  Max 59  1600 px', 'Area 2400 mm²']]);

    // An ellipse has the pixels whose centres are inside.
    await page.keyboard.press('e');
    await drag(page, at(100, 80), at(120, 120));
    const inside: number[] = [];
    for (let y = 0; y < RAMP_ROWS; y++) {
      for (let x = 0; x < RAMP_COLUMNS; x++) {
        if (((x + 0.5 - 110) / 10) ** 2 + ((y + 0.5 - 100) / 20) ** 2 <= 1) inside.push(x);
      }
    }
    const variance = inside.reduce((sum, value) => sum + (value - 109.5) ** 2, 0) / inside.length;
    await expect
      .poll(() => labelsOf(cell, 'ellipse'), SLOW)
      .toEqual([
        [
          `Mean 109.5 HU  SD ${Number(Math.sqrt(variance).toFixed(2))}`,
          `Min 100  Max 119  ${inside.length} px`,
          // π · 10 mm · 30 mm.
          'Area 942.5 mm²',
        ],
      ]);

    await page.keyboard.press('q');
    await page.mouse.click(...at(30, 10));
    await expect.poll(() => labelsOf(cell, 'point'), SLOW).toEqual([['30 HU']]);
    expect(complaints).toEqual([]);
  });

  test('a measurement is moved, reshaped, undone, deleted and cancelled', async () => {
    const { page, cell, at } = await openMeasuring(await serveShared(writeRamp()));
    await page.keyboard.press('Shift+E');
    await drag(page, at(20, 40), at(60, 80));
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 39.5 HU  SD 11.54', 'Min 20  Max 59  1600 px', 'Area 2400 mm²']]);

    // Move it by its edge, which works with any tool.
    await page.keyboard.press('w');
    await drag(page, at(20, 60), at(50, 60));
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 69.5 HU  SD 11.54', 'Min 50  Max 89  1600 px', 'Area 2400 mm²']]);
    // Drag its corner, down to half the height.
    await drag(page, at(90, 80), at(90, 60));
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 69.5 HU  SD 11.54', 'Min 50  Max 89  800 px', 'Area 1200 mm²']]);
    await page.keyboard.press('Control+z');
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 69.5 HU  SD 11.54', 'Min 50  Max 89  1600 px', 'Area 2400 mm²']]);

    await page.mouse.move(...at(90, 80));
    await page.mouse.down();
    await page.mouse.move(...at(150, 120));
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 99.5 HU  SD 28.87', 'Min 50  Max 149  8000 px', 'Area 12000 mm²']]);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 69.5 HU  SD 11.54', 'Min 50  Max 89  1600 px', 'Area 2400 mm²']]);

    await page.keyboard.press('Delete');
    await expect.poll(() => labelsOf(cell, 'box'), SLOW).toEqual([]);
    await page.keyboard.press('Control+z');
    await expect
      .poll(() => labelsOf(cell, 'box'), SLOW)
      .toEqual([['Mean 69.5 HU  SD 11.54', 'Min 50  Max 89  1600 px', 'Area 2400 mm²']]);
  });

  test('a right click on a measurement selects it, and its menu deletes it', async () => {
    const { page, cell, at } = await openMeasuring(await serveShared(writeRamp()));
    await page.keyboard.press('l');
    await drag(page, at(20, 20), at(60, 20));
    await drag(page, at(20, 60), at(100, 60));
    await expect.poll(() => labelsOf(cell, 'length'), SLOW).toHaveLength(2);

    await page.mouse.click(...at(40, 20), { button: 'right' });
    await page.getByRole('menuitem', { name: /^Delete selected/ }).click();

    // The second one: 80 pixels of 1 mm.
    await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['80 mm']]);
  });

  test('an angle that is half drawn ends with Esc', async () => {
    const { page, cell, at } = await openMeasuring(await serveShared(writeRamp()));
    await page.keyboard.press('a');
    await drag(page, at(140, 20), at(80, 20));
    await page.mouse.move(...at(120, 60));
    await expect.poll(() => labelsOf(cell, 'angle'), SLOW).toEqual([['56.3°']]);

    await page.keyboard.press('Escape');

    await expect.poll(() => labelsOf(cell, 'angle'), SLOW).toEqual([]);
    await page.mouse.move(...at(130, 80));
    expect(await labelsOf(cell, 'angle')).toEqual([]);
  });

  test('one finger draws', async () => {
    const server = await serve(writeRamp());
    const { page } = await openPage({ hasTouch: true, viewport: { width: 1280, height: 800 } });
    await page.goto(server.baseUrl);
    await showsImage(page);
    const cell = page.locator('[data-cell="0"]');
    await canMeasure(cell);
    await page.keyboard.press('l');
    const at = await projectionOf(cell, { rows: RAMP_ROWS, columns: RAMP_COLUMNS, aspect: 1.5 }, {});
    const touches = await page.context().newCDPSession(page);
    const [fromX, fromY] = at(50, 80);
    const [toX, toY] = at(150, 80);
    await touches.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: fromX, y: fromY }] });
    await touches.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: toX - 9, y: toY }] });
    await touches.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: toX, y: toY }] });
    await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });

    await expect
      .poll(async () => Number.parseFloat((await labelsOf(cell, 'length'))[0]?.[0] ?? ''), SLOW)
      .toBeCloseTo(100, 0);
  });
});

const VIEWS = [
  { keys: ['Alt+r'], view: { turns: 1 } },
  { keys: ['Alt+l', 'h'], view: { turns: 3, flipHorizontal: true } },
  { keys: ['Shift+V'], view: { flipVertical: true } },
];

test('on an image that is turned or mirrored, lengths and values are the same', async () => {
  const { page, cell } = await openViewer(await serveShared(writeRamp()));
  await canMeasure(cell);
  for (const { keys, view } of VIEWS) {
    for (const key of keys) await page.keyboard.press(key);
    await settle(page);
    const at = await projectionOf(cell, { rows: RAMP_ROWS, columns: RAMP_COLUMNS, aspect: 1.5 }, view);
    await page.keyboard.press('l');
    await drag(page, at(20, 20), at(60, 60));
    await page.keyboard.press('Shift+E');
    // A quarter of a pixel off the edges: the same pixel centres are inside.
    await drag(page, at(100.25, 39.75), at(140.25, 80.25));

    // The mouse moves in whole screen pixels, so the last digits differ.
    await expect
      .poll(async () => Number.parseFloat((await labelsOf(cell, 'length'))[0]?.[0] ?? ''), SLOW)
      .toBeCloseTo(72.1, 0);
    await expect
      .poll(async () => (await labelsOf(cell, 'box'))[0]?.slice(0, 2), SLOW)
      .toEqual(['Mean 119.5 HU  SD 11.54', 'Min 100  Max 139  1600 px']);

    for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z');
    await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([]);
    await page.keyboard.press('Shift+Escape');
  }
});

test('each frame of an enhanced image has its own spacing and rescale', async () => {
  const size = { Rows: RAMP_ROWS, Columns: RAMP_COLUMNS };
  const frames = [{ position: [0, 0, 0] }, { position: [0, 0, 1] }];
  const groups = [
    { spacing: '1', slope: '1', intercept: '0' },
    { spacing: '0.5', slope: '3', intercept: '-10' },
  ].map(({ spacing, slope, intercept }, i) => ({
    PlanePositionSequence: [{ ImagePositionPatient: ['0', '0', String(i)] }],
    PixelMeasuresSequence: [{ PixelSpacing: [spacing, spacing] }],
    PixelValueTransformationSequence: [{ RescaleSlope: slope, RescaleIntercept: intercept, RescaleType: 'US' }],
  }));
  const ramp = Uint8Array.from({ length: 2 * RAMP_ROWS * RAMP_COLUMNS }, (_, i) => i % RAMP_COLUMNS);
  const file = writeDicom(
    enhancedElements(frames, { ...size, PerFrameFunctionalGroupsSequence: groups, PixelData: ramp }),
  );
  const { page, cell, at } = await openMeasuring(await serveShared(file), { aspect: 1 });
  const measure = async () => {
    await page.keyboard.press('l');
    await drag(page, at(20, 20), at(50, 60));
    await page.keyboard.press('Shift+E');
    await drag(page, at(100, 20), at(110, 30));
  };

  await measure();
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['50 mm']]);
  await expect
    .poll(() => labelsOf(cell, 'box'), SLOW)
    .toEqual([['Mean 104.5  SD 2.87', 'Min 100  Max 109  100 px', 'Area 100 mm²']]);

  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  await measure();
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['25 mm']]);
  // 3 · 104.5 - 10, and three times the standard deviation: √(99 / 12) · 3 = 8.617.
  await expect
    .poll(() => labelsOf(cell, 'box'), SLOW)
    .toEqual([['Mean 303.5  SD 8.62', 'Min 290  Max 317  100 px', 'Area 25 mm²']]);
});

test('floats are measured as they are stored', async () => {
  const file = writeRamp({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    Modality: 'MR',
    BitsAllocated: 32,
    BitsStored: undefined,
    HighBit: undefined,
    PixelRepresentation: undefined,
    RescaleSlope: undefined,
    RescaleIntercept: undefined,
    PixelData: undefined,
    FloatPixelData: Float32Array.from({ length: RAMP_ROWS * RAMP_COLUMNS }, (_, i) => (i % RAMP_COLUMNS) / 4),
  });
  const { page, cell, at } = await openMeasuring(await serveShared(file));
  await page.keyboard.press('Shift+E');
  await drag(page, at(40, 20), at(44, 24));

  // 10, 10.25, 10.5 and 10.75: variance (4² - 1) / 12 / 16 = 0.078125.
  await expect
    .poll(() => labelsOf(cell, 'box'), SLOW)
    .toEqual([['Mean 10.38  SD 0.2795', 'Min 10  Max 10.75  16 px', 'Area 24 mm²']]);
});

test('padding is excluded and counted', async () => {
  // Padding covers the columns below 30.
  const { page, cell, at } = await openMeasuring(
    await serve(writeRamp({ PixelPaddingValue: 1024, PixelPaddingRangeLimit: 1053 })),
  );
  await page.keyboard.press('Shift+E');
  await drag(page, at(20, 20), at(40, 40));

  await expect
    .poll(() => labelsOf(cell, 'box'), SLOW)
    .toEqual([['Mean 34.5 HU  SD 2.87', 'Min 30  Max 39  200 px', '200 px of padding excluded', 'Area 600 mm²']]);
});

test.each([
  {
    name: 'at the detector',
    elements: { PixelSpacing: undefined, ImagerPixelSpacing: ['1.5', '1'] },
    label: '60 mm at detector',
  },
  {
    name: 'nominal',
    elements: { PixelSpacing: undefined, NominalScannedPixelSpacing: ['1.5', '1'] },
    label: '60 mm nominal',
  },
  { name: 'in pixels', elements: { PixelSpacing: undefined, PixelAspectRatio: ['3', '2'] }, label: '40 px' },
])('a length without Pixel Spacing says that it is $name', async ({ elements, label }) => {
  const { page, cell, at } = await openMeasuring(await serveShared(writeRamp({ Modality: 'DX', ...elements })));
  await page.keyboard.press('l');
  await drag(page, at(20, 20), at(20, 60));

  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([[label]]);
});

test('in ultrasound a length has the scale of its region, and in M-mode a time and a distance', async () => {
  const regions = { SequenceOfUltrasoundRegions: [ultrasoundRegion(0, 79, 3), ultrasoundRegion(80, 159, 4)] };
  const file = writeRamp({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.6.1',
    Modality: 'US',
    PixelSpacing: undefined,
    ...regions,
  });
  const { page, cell, at } = await openMeasuring(await serveShared(file), { aspect: 1 });
  await page.keyboard.press('l');
  await drag(page, at(20, 20), at(60, 50));
  await drag(page, at(20, 100), at(60, 130));

  // 50 pixels of 0.05 cm.
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['25 mm'], ['Time 2 s', 'Distance 15 mm']]);
});

test('color has an area and no single value, and a pixel its red, green and blue', async () => {
  const pixels = RAMP_ROWS * RAMP_COLUMNS;
  const file = writeRamp({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    Modality: 'OT',
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'RGB',
    PlanarConfiguration: 0,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    RescaleSlope: undefined,
    RescaleIntercept: undefined,
    PixelData: Uint8Array.from({ length: pixels * 3 }, (_, i) => [10, 20, 30][i % 3] ?? 0),
  });
  const { page, cell, at } = await openMeasuring(await serveShared(file));
  await page.keyboard.press('e');
  await drag(page, at(20, 20), at(40, 40));
  await page.keyboard.press('q');
  await page.mouse.click(...at(100, 100));

  // π · 10 mm · 15 mm.
  await expect.poll(() => labelsOf(cell, 'ellipse'), SLOW).toEqual([['Color: no single value', 'Area 471.2 mm²']]);
  await expect.poll(() => labelsOf(cell, 'point'), SLOW).toEqual([['RGB 10 20 30']]);
});

test('ROIs and measurements are undone in reverse order of creation', async () => {
  const server = await serve(writeRamp());
  const { page, cell, at } = await openMeasuring(server);
  await page.keyboard.press('l');
  await drag(page, at(20, 20), at(60, 20));
  await page.keyboard.press('r');
  await drag(page, at(20, 40), at(60, 80));
  await page.keyboard.press('q');
  await page.mouse.click(...at(100, 100));
  await expect.poll(() => labelsOf(cell, 'point'), SLOW).toEqual([['100 HU']]);
  await expectBoxes(server, [[40, 20, 80, 60]]);

  await page.keyboard.press('Control+z');
  await expect.poll(() => labelsOf(cell, 'point'), SLOW).toEqual([]);
  await page.keyboard.press('Control+z');
  await expectBoxes(server, []);
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['40 mm']]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([]);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Control+Shift+Z');
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['40 mm']]);
  await expect.poll(() => labelsOf(cell, 'point'), SLOW).toEqual([['100 HU']]);
  await expectBoxes(server, [[40, 20, 80, 60]]);
});

test('a selected ROI shows the statistics of its pixels', async () => {
  const { page, at } = await openMeasuring(await serveShared(writeRamp()));
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.keyboard.press('r');
  await drag(page, at(20, 40), at(60, 80));

  const statistics = page.getByRole('status', { name: 'Values in the ROI' });
  await expect
    .poll(async () => statistics.innerText(), SLOW)
    .toBe('Mean 39.5 HU  SD 11.54\nMin 20  Max 59  1600 px\nArea 2400 mm²');
});

test('the list leads to a measurement on another image, exports it, and deletes it', async () => {
  const slices = [1, 2, 3].map((number) =>
    writeRoiImage({ rows: RAMP_ROWS, columns: RAMP_COLUMNS, aspect: 1, number }),
  );
  const { page, cell, at, complaints } = await openMeasuring(await serveShared(...slices), { aspect: 1 });
  await page.getByText('1 / 3').first().waitFor();
  await page.keyboard.press('l');
  await drag(page, at(20, 20), at(50, 60));
  await page.keyboard.press('End');
  await showsImage(page, 2);
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([]);
  await page.keyboard.press('Shift+M');

  await page.getByRole('button', { name: /^Length 50 mm/ }).click();
  await showsImage(page, 0);
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['50 mm']]);

  const downloading = page.waitForEvent('download');
  await page.getByRole('region', { name: 'Marks', exact: true }).getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /^Values/ }).click();
  const csv = await readFile(await (await downloading).path(), 'utf8');
  expect(parse(csv, { columns: true })).toMatchObject([
    {
      sop_instance_uid: '1.2.826.0.1.3680043.10.66.1',
      frame_number: '1',
      kind: 'length',
      length: '50',
      size_unit: 'mm',
    },
  ]);

  await page.getByRole('button', { name: /^Delete length/ }).click();
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([]);
  await page.getByText('No marks.').waitFor();
  expect(complaints).toEqual([]);
});

test('measurements are kept after a reload, and removed when the server restarts', async () => {
  const first = await serve(writeRamp());
  const { page, cell, at } = await openMeasuring(first);
  await page.keyboard.press('e');
  await drag(page, at(100, 40), at(120, 80));
  await expect.poll(async () => (await labelsOf(cell, 'ellipse'))[0]?.[0] ?? '', SLOW).toMatch(/^Mean 109.5 HU/);

  await reload(page);
  await expect.poll(async () => (await labelsOf(cell, 'ellipse'))[0]?.[0] ?? '', SLOW).toMatch(/^Mean 109.5 HU/);

  const { port } = new URL(first.baseUrl);
  await first.close();
  await serveWith({
    inputs: [writeRamp()],
    server: { listen: { kind: 'tcp', host: '127.0.0.1', port: Number(port) } },
  });
  await reload(page);
  await showsImage(page);
  await canMeasure(cell);
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByText('No marks.').waitFor();
  expect(await labelsOf(cell, 'ellipse')).toEqual([]);
});

/** A region of the image's full width, with pixels of 0.05 cm. With a unit other than 3 its columns are not lengths. */
function ultrasoundRegion(minY: number, maxY: number, unitX: number): DataSetInput {
  return {
    RegionSpatialFormat: unitX === 3 ? 1 : 2,
    RegionDataType: 1,
    RegionFlags: 0,
    RegionLocationMinX0: 0,
    RegionLocationMinY0: minY,
    RegionLocationMaxX1: 199,
    RegionLocationMaxY1: maxY,
    PhysicalUnitsXDirection: unitX,
    PhysicalUnitsYDirection: 3,
    PhysicalDeltaX: 0.05,
    PhysicalDeltaY: 0.05,
  };
}
