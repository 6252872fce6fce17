import { expect, test } from 'vitest';
import type { MarksResponse, WireMark } from '../../src/shared/contract/marks.ts';
import { findViolations } from '../support/axe.ts';
import { labelsOf, openMeasuring, writeRamp } from '../support/measuring.ts';
import { serve } from '../support/serve.ts';
import { drag, showsImage } from '../support/viewerPage.ts';

/** Values appear only after their meaning has been loaded, which takes long on a busy machine. */
const SLOW = { timeout: 60_000 };

type Server = Awaited<ReturnType<typeof serve>>;

async function listMarks(server: Server): Promise<WireMark[]> {
  const { marks }: MarksResponse = await (await server.request('/api/marks')).json();
  return marks.flatMap((mark) => (mark.kind === 'roi' ? [] : mark));
}

function writeSeries(number: number): Uint8Array {
  return writeRamp({
    SOPInstanceUID: `1.2.826.0.1.3680043.10.71.${number}`,
    SeriesInstanceUID: `1.2.826.0.1.3680043.10.71.10${number}`,
    SeriesNumber: String(number),
  });
}

function writeSliceAt(number: number): Uint8Array {
  return writeRamp({
    SOPInstanceUID: `1.2.826.0.1.3680043.10.71.${number}`,
    FrameOfReferenceUID: '1.2.826.0.1.3680043.10.71.200',
    InstanceNumber: String(number),
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    ImagePositionPatient: ['0', '0', String(2 * number)],
  });
}

test('polygons, lines, arrows, Cobb angles and axes are drawn with the mouse and are marks of the server', async () => {
  const server = await serve(writeRamp());
  const { page, cell, at, complaints } = await openMeasuring(server);
  const click = (x: number, y: number) => page.mouse.click(...at(x, y));

  // Backspace takes the third corner back, Enter ends the polygon.
  await page.keyboard.press('Shift+O');
  await click(20, 20);
  await click(60, 20);
  await click(90, 90);
  await page.keyboard.press('Backspace');
  await click(60, 60);
  await click(20, 60);
  await page.keyboard.press('Enter');
  // Columns 20 to 59 of a ramp, 40 by 60 mm, as for a rectangle.
  const square = ['Mean 39.5 HU  SD 11.54', 'Min 20  Max 59  1600 px', 'Area 2400 mm²'];
  await expect.poll(() => labelsOf(cell, 'polygon'), SLOW).toEqual([square]);

  // A double click sets the last corner; so does a click on the first one.
  await click(100, 20);
  await click(140, 20);
  await page.mouse.dblclick(...at(140, 60));
  // Half of 40 by 60 mm.
  await expect.poll(async () => (await labelsOf(cell, 'polygon'))[1]?.at(-1), SLOW).toBe('Area 1200 mm²');
  await click(160, 20);
  await click(180, 20);
  await click(180, 40);
  await click(160, 20);
  await expect.poll(async () => (await labelsOf(cell, 'polygon'))[2]?.at(-1), SLOW).toBe('Area 300 mm²');
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await labelsOf(cell, 'polygon')).length).toBe(2);
  await click(160, 20);
  await click(180, 20);
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await labelsOf(cell, 'polygon')).length).toBe(2);

  await page.keyboard.press('Shift+Z');
  await page.mouse.move(...at(20, 80));
  await page.mouse.down();
  await page.mouse.move(...at(40, 80), { steps: 4 });
  await page.mouse.move(...at(40, 100), { steps: 5 });
  await page.mouse.up();
  // 20 columns of 1 mm and 20 rows of 1.5 mm.
  await expect.poll(() => labelsOf(cell, 'freehand'), SLOW).toEqual([['50 mm']]);

  await page.keyboard.press('Shift+A');
  await drag(page, at(100, 80), at(130, 100));
  await page.getByRole('textbox', { name: 'Text of the arrow' }).fill('Here');
  await page.keyboard.press('Enter');
  await expect.poll(() => labelsOf(cell, 'arrow'), SLOW).toEqual([['Here']]);

  await page.keyboard.press('Shift+T');
  await drag(page, at(20, 110), at(60, 110));
  await drag(page, at(20, 150), at(60, 130));
  // 40 mm across and 30 mm up against a horizontal line: atan(3 / 4).
  await expect.poll(() => labelsOf(cell, 'cobb'), SLOW).toEqual([['36.9°']]);

  await page.keyboard.press('Shift+I');
  await drag(page, at(100, 130), at(160, 130));
  await page.mouse.move(...at(128, 138));
  await click(130, 140);
  // 10 rows of 1.5 mm to each side.
  await expect.poll(() => labelsOf(cell, 'bidirectional'), SLOW).toEqual([['Long 60 mm', 'Short 30 mm']]);

  await expect
    .poll(async () =>
      (await listMarks(server)).map(({ kind, points, text }) => [
        kind,
        points.map((point) => point.map((value) => Number(value.toFixed(3))).join(' ')).join(', '),
        text,
      ]),
    )
    .toEqual([
      ['polygon', '20 20, 60 20, 60 60, 20 60', ''],
      ['polygon', '100 20, 140 20, 140 60', ''],
      ['freehand', '20 80, 40 80, 40 100', ''],
      ['arrow', '100 80, 130 100', 'Here'],
      ['cobb', '20 110, 60 110, 20 150, 60 130', ''],
      ['bidirectional', '100 130, 160 130, 130 140, 130 120', ''],
    ]);
  expect(complaints).toEqual([]);
}, 180_000);

test('several marks are changed in one request and one step of undo, hidden by class, and lead to what is not marked', async () => {
  const server = await serve(writeSeries(1), writeSeries(2));
  await server.request('/api/labels', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ classes: [{ key: 'n', title: 'Nodule', color: '#ff8800', digit: 1 }] }),
  });
  const { page, cell, at, complaints } = await openMeasuring(server);
  const changes: string[] = [];
  page.on('request', (request) => {
    if (/PATCH|DELETE/.test(request.method())) changes.push(new URL(request.url()).pathname);
  });
  const classes = async () => (await listMarks(server)).map((mark) => mark.class);
  await page.keyboard.press('l');
  await drag(page, at(20, 20), at(60, 20));
  await drag(page, at(20, 40), at(50, 40));
  await drag(page, at(20, 60), at(40, 60));
  await expect.poll(classes).toEqual([null, null, null]);

  await page.keyboard.press('Shift+M');
  await page.getByRole('button', { name: /^Length 40 mm/ }).click();
  await page.getByRole('button', { name: /^Length 20 mm/ }).click({ modifiers: ['Shift'] });
  await page.getByText('3 chosen').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('combobox', { name: 'Class of the chosen marks' }).selectOption({ label: 'Nodule' });
  await expect.poll(classes).toEqual(['n', 'n', 'n']);
  expect(changes).toEqual(['/api/marks']);
  await cell.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(classes).toEqual([null, null, null]);
  await page.keyboard.press('Control+y');
  await expect.poll(classes).toEqual(['n', 'n', 'n']);
  expect(changes).toEqual(['/api/marks', '/api/marks', '/api/marks']);

  // The chosen marks are drawn although their class is hidden.
  await page.getByRole('button', { name: 'By class' }).click();
  await page.getByRole('button', { name: 'Draw Nodule' }).click();
  await page.getByText('3 marks are not drawn').waitFor();
  await expect.poll(() => labelsOf(cell, 'length')).toHaveLength(3);
  await cell.focus();
  await page.keyboard.press('Escape');
  await expect.poll(() => labelsOf(cell, 'length')).toEqual([]);
  await page.getByRole('button', { name: 'Draw Nodule' }).click();
  await expect.poll(async () => (await labelsOf(cell, 'length')).length).toBe(3);

  await page.getByText('1 of 2 stacks marked').first().waitFor();
  await cell.focus();
  await page.keyboard.press('Shift+PageDown');
  await expect.poll(() => labelsOf(cell, 'length')).toEqual([]);
  // Nothing can be drawn before the image of the second series is there.
  await expect.poll(() => cell.innerText()).toContain('#2');
  await showsImage(page);
  await page.keyboard.press('1');
  await drag(page, at(20, 80), at(120, 80));
  await page.getByText('2 of 2 stacks marked').first().waitFor();
  await page.keyboard.press('Shift+PageDown');
  await page.getByText('All 2 stacks are marked').waitFor();

  // From the list back to the first series.
  const row = page.getByRole('button', { name: /^Nodule Length \S+ mm/ }).first();
  await row.click();
  await expect.poll(async () => (await labelsOf(cell, 'length')).length).toBe(3);
  await page.keyboard.press('Control+a');
  await page.getByText('4 chosen').waitFor();
  await page.keyboard.press('Delete');
  await page.getByText('No marks.').waitFor();
  await expect.poll(classes).toEqual([]);
  expect(changes).toEqual(['/api/marks', '/api/marks', '/api/marks', '/api/marks']);
  await page.keyboard.press('Control+z');
  await expect.poll(classes).toEqual(['n', 'n', 'n', 'n']);
  expect(complaints).toEqual([]);
}, 180_000);

test('a box is extended through a stack, changed on another image, and interpolated between', async () => {
  const server = await serve(...[1, 2, 3].map(writeSliceAt));
  const { page, cell, at, complaints } = await openMeasuring(server);
  await page.getByText('1 / 3').first().waitFor();
  const drawn = async () => (await listMarks(server)).map(({ place, slices }) => [place.type, slices.length]);
  await page.keyboard.press('Shift+E');
  await drag(page, at(20, 20), at(60, 60));
  await page.keyboard.press('End');
  await showsImage(page, 2);
  await page.keyboard.press('Alt+e');
  // 40 by 60 mm on three images, 2 mm each.
  await expect.poll(() => labelsOf(cell, 'box'), SLOW).toEqual([['Area 2400 mm²', 'Volume 14.4 ml', 'Interpolated']]);
  await expect.poll(drawn).toEqual([['stack', 1]]);

  await drag(page, at(60, 60), at(100, 60));
  // 2400, 3600 and 4800 mm².
  await expect.poll(() => labelsOf(cell, 'box'), SLOW).toEqual([['Area 4800 mm²', 'Volume 21.6 ml']]);
  await expect.poll(drawn).toEqual([['stack', 2]]);
  await page.keyboard.press('ArrowUp');
  await showsImage(page, 1);
  await expect.poll(() => labelsOf(cell, 'box'), SLOW).toEqual([['Area 3600 mm²', 'Volume 21.6 ml', 'Interpolated']]);
  const dashes = cell.locator('[data-measure="box"] path').last();
  expect(await dashes.evaluate((path) => getComputedStyle(path).strokeDasharray)).toBe('6px, 4px');
  await page.keyboard.press('Shift+M');
  await page.getByRole('button', { name: /^Box Area 2400 mm² Volume 21.6 ml .*images 1 to 3 as shown$/ }).waitFor();

  await page.keyboard.press('Control+z');
  await expect.poll(drawn).toEqual([['stack', 1]]);
  await page.keyboard.press('Control+z');
  await expect.poll(drawn).toEqual([['frame', 0]]);
  expect(complaints).toEqual([]);
}, 180_000);
