import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { labelsOf, openMeasuring, writeRamp } from '../support/measuring.ts';
import { serve } from '../support/serve.ts';
import { drag, showsImage } from '../support/viewerPage.ts';

function writeSliceAt(number: number): Uint8Array {
  return writeRamp({
    SOPInstanceUID: `1.2.826.0.1.3680043.10.73.${number}`,
    FrameOfReferenceUID: '1.2.826.0.1.3680043.10.73.200',
    InstanceNumber: String(number),
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    ImagePositionPatient: ['0', '0', String(2 * number)],
  });
}

test('three boxes of a new class are drawn on three images and saved for training in twelve actions', async () => {
  const server = await serve(...[1, 2, 3].map(writeSliceAt));
  const { page, at, complaints } = await openMeasuring(server);
  await page.getByText('1 / 3').first().waitFor();
  let actions = 0;
  const act = async <T>(doing: Promise<T>): Promise<T> => {
    actions += 1;
    return doing;
  };
  const drawBox = () => act(drag(page, at(20, 20), at(60, 60)));

  await act(page.keyboard.press('Shift+M'));
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  await panel.getByText('0 of 1 stack marked').waitFor();
  await act(panel.getByRole('button', { name: 'Class', exact: true }).click());
  await act(page.keyboard.type('Nodule'));
  await act(page.keyboard.press('Enter'));
  await panel.getByRole('button', { name: /^Nodule/, pressed: true }).waitFor();
  await act(page.keyboard.press('Shift+E'));
  await drawBox();
  await panel.getByText('1 of 1 stack marked').waitFor();
  for (const position of [1, 2]) {
    await act(page.keyboard.press('ArrowDown'));
    await showsImage(page, position);
    await drawBox();
  }
  await act(panel.getByRole('button', { name: 'Save marks' }).click());
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    act(page.getByRole('menuitem', { name: /^COCO/ }).click()),
  ]);

  expect(actions).toBeLessThanOrEqual(12);
  const { annotations, categories, images } = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(categories).toMatchObject([{ name: 'Nodule' }]);
  expect(images).toHaveLength(3);
  expect(annotations.map(({ bbox }: { bbox: number[] }) => bbox.map(Math.round))).toEqual(
    Array.from({ length: 3 }, () => [20, 20, 40, 40]),
  );
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a user who has chosen a class and the tool of ROIs is told that they have none, and draws boxes instead', async () => {
  const server = await serve(writeRamp());
  const { page, cell, at, complaints } = await openMeasuring(server);
  await page.keyboard.press('Shift+M');
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  await panel.getByRole('button', { name: 'Class', exact: true }).click();
  await page.keyboard.type('Cyst');
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: /^Cyst/, pressed: true }).waitFor();

  await page.keyboard.press('r');
  await page.getByText('ROIs (CSV) have no class.').waitFor();
  await drag(page, at(20, 20), at(60, 60));
  await panel.getByRole('button', { name: /^ROI 1 \(CSV\)/ }).waitFor();
  await panel.getByText('1 of 1 stack marked').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /^COCO/ }).click();
  await page.getByText(/^There are only ROIs/).waitFor();
  await page.getByRole('button', { name: 'Draw boxes' }).click();
  await drag(page, at(100, 20), at(140, 60));
  await expect.poll(async () => (await labelsOf(cell, 'box'))[0]?.[0]).toBe('Cyst');
  expect(complaints).toEqual([]);
});

test('a mark is hidden and locked in its row, alone or with others that are chosen', async () => {
  const server = await serve(writeRamp());
  const { page, cell, at, complaints } = await openMeasuring(server);
  await page.keyboard.press('Shift+M');
  await page.keyboard.press('Shift+E');
  await drag(page, at(20, 20), at(60, 60));
  await drag(page, at(100, 20), at(140, 60));
  await page.keyboard.press('r');
  await drag(page, at(20, 80), at(60, 120));
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  const rows = panel.getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(3);
  const boxes = async () => (await labelsOf(cell, 'box')).length;
  await expect.poll(boxes).toBe(2);

  const eyes = panel.getByRole('button', { name: /^Draw (box|ROI 1)/ });
  await eyes.first().click();
  await expect.poll(boxes).toBe(1);
  await panel.getByText('1 mark is not drawn').waitFor();
  await eyes.first().click();
  await expect.poll(boxes).toBe(2);
  await eyes.last().click();
  await expect.poll(() => cell.locator('[data-roi]').count()).toBe(0);
  await eyes.last().click();
  await expect.poll(() => cell.locator('[data-roi]').count()).toBe(1);

  await panel
    .getByRole('button', { name: /^Lock box/ })
    .first()
    .click();
  await panel
    .getByRole('button', { name: /^Delete box/ })
    .first()
    .click();
  await page.getByText('A locked mark stays as it is').waitFor();
  // With a tool that draws nothing, a box is moved by its edge.
  await page.keyboard.press('w');
  await drag(page, at(20, 40), at(40, 40));
  await rows.first().getByRole('button').first().click();
  await rows
    .last()
    .getByRole('button')
    .first()
    .click({ modifiers: ['Shift'] });
  await panel.getByText('3 chosen').waitFor();
  await panel.getByRole('button', { name: 'Hide the chosen marks' }).click();
  await expect.poll(boxes).toBe(0);
  expect(await cell.locator('[data-roi]').count()).toBe(0);
  await panel.getByRole('button', { name: 'Draw the chosen marks' }).click();
  await expect.poll(boxes).toBe(2);
  await panel.getByRole('button', { name: 'Delete the chosen marks' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  const { marks } = await (await server.request('/api/marks?kind=box')).json();
  expect(marks).toMatchObject([{ locked: true }]);
  expect(marks[0].points.map((point: number[]) => point.map(Math.round))).toEqual([
    [20, 20],
    [60, 60],
  ]);
  expect(complaints).toEqual([]);
});

test('a ROI becomes a box of the chosen class and a ROI again, each in one step of undo', async () => {
  const server = await serve(writeRamp());
  const { page, cell, at, complaints } = await openMeasuring(server);
  await page.keyboard.press('Shift+M');
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  await panel.getByRole('button', { name: 'Class', exact: true }).click();
  await page.keyboard.type('Cyst');
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: /^Cyst/, pressed: true }).waitFor();
  await page.keyboard.press('r');
  await drag(page, at(20, 20), at(60, 80));

  await panel.getByRole('button', { name: 'Turn into a box' }).click();
  await expect
    .poll(async () => (await (await server.request('/api/marks?kind=box')).json()).marks)
    .toMatchObject([
      {
        class: 'Cyst',
        place: { type: 'frame', file_index: 0, frame_index: 0 },
        points: [
          [20, 20],
          [60, 80],
        ],
      },
    ]);
  const rois = async () => (await (await server.request('/api/file/0/annotations')).json()).roi_coords;
  await expect.poll(rois).toEqual([]);
  await cell.focus();
  await page.keyboard.press('Control+z');
  await expect.poll(rois).toEqual([[20, 20, 80, 60]]);
  await expect.poll(() => labelsOf(cell, 'box')).toEqual([]);
  await page.keyboard.press('Control+y');
  await expect.poll(rois).toEqual([]);
  await expect.poll(async () => (await labelsOf(cell, 'box')).length).toBe(1);

  await panel.getByRole('button', { name: /^Cyst Box Mean/ }).click();
  await panel.getByRole('button', { name: 'Turn into a ROI (CSV)' }).click();
  await expect.poll(rois).toEqual([[20, 20, 80, 60]]);
  await expect.poll(() => labelsOf(cell, 'box')).toEqual([]);
  expect(complaints).toEqual([]);
});
