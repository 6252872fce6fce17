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
  expect(complaints).toEqual([]);
});
