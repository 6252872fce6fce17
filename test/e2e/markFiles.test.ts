import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { openMeasuring, writeRamp } from '../support/measuring.ts';
import { serve } from '../support/serve.ts';

test('marks are saved from the list of formats, which says what the format cannot hold, and imported again', async () => {
  const server = await serve(writeRamp());
  const points = [
    [20, 20],
    [60, 60],
  ];
  const place = { type: 'frame', file_index: 0, frame_index: 0 };
  for (const kind of ['length', 'ellipse']) {
    const headers = { 'Content-Type': 'application/json' };
    await server.request('/api/marks', { method: 'POST', headers, body: JSON.stringify({ kind, place, points }) });
  }
  const { page, complaints } = await openMeasuring(server);
  await page.keyboard.press('Shift+M');
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  await panel.getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /COCO/ }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /COCO/ }).click(),
  ]);
  await page.getByText('The format cannot hold: length on a frame: 1').first().waitFor();
  expect(download.suggestedFilename()).toBe('negato-marks.coco.json');
  const file = await readFile(await download.path());
  expect(JSON.parse(file.toString('utf8')).annotations).toMatchObject([{ attributes: { kind: 'ellipse', points } }]);

  const { marks } = await (await server.request('/api/marks?kind=ellipse')).json();
  await server.request(`/api/mark/${marks[0].id}`, { method: 'DELETE' });
  const input = panel.getByLabel('File of marks');
  await input.setInputFiles({ name: 'saved.json', mimeType: 'application/json', buffer: file });
  await page.getByText('1 mark imported').first().waitFor();
  const { marks: after } = await (await server.request('/api/marks?kind=ellipse')).json();
  expect(after).toMatchObject([{ uid: marks[0].uid, points }]);

  const dicom = Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')]);
  await input.setInputFiles({ name: 'organs.dcm', mimeType: 'application/dicom', buffer: dicom });
  await page.getByText('organs.dcm is a DICOM object: open it together with its images').first().waitFor();
  expect(complaints).toEqual([]);
});

test('the palette and the menu of the image save marks in a format, and the palette says if there are none', async () => {
  const server = await serve(writeRamp());
  const { page, cell, complaints } = await openMeasuring(server);
  const find = async (words: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a series, tag or command' }).fill(words);
    await page.getByRole('dialog', { name: 'Find' }).getByRole('option').first().waitFor();
  };
  await find('coco json');
  await page.keyboard.press('Enter');
  await page.getByText('There are no marks to save').first().waitFor();
  await cell.click({ button: 'right' });
  await page.getByRole('menu', { name: 'Image' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Save marks as…' }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await page.keyboard.press('Shift+E');
  const box = await cell.boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 40);
  await page.mouse.up();
  await find('training boxes');
  const [first] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(first.suggestedFilename()).toBe('negato-marks.coco.json');

  await cell.click({ button: 'right', position: { x: 20, y: 60 } });
  await page.getByRole('menuitem', { name: 'Save marks as…' }).click();
  const menu = page.getByRole('menu', { name: 'Image' });
  // The first format has the focus, and the menu lies within the window.
  await expect
    .poll(() =>
      menu
        .getByRole('menuitem')
        .first()
        .evaluate((item) => item === document.activeElement),
    )
    .toBe(true);
  expect(await findViolations(page)).toEqual([]);
  const [second] = await Promise.all([
    page.waitForEvent('download'),
    menu.getByRole('menuitem', { name: /^GeoJSON/ }).click(),
  ]);
  expect(second.suggestedFilename()).toBe('negato-marks.geojson');
  await expect.poll(() => page.getByRole('menu').count()).toBe(0);
  expect(complaints).toEqual([]);
});
