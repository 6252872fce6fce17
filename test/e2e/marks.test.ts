import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { MARK_FORMAT } from '../../src/server/work/marks/markFormat.ts';
import { findViolations } from '../support/axe.ts';
import { labelsOf, openMeasuring, writeRamp } from '../support/measuring.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { drag, openViewer } from '../support/viewerPage.ts';

/** Values appear only after their meaning has been loaded, which takes long on a busy machine. */
const SLOW = { timeout: 60_000 };

test('a measurement with class and label is in another tab, and in the next run after a crash', async () => {
  const data = createTempFolder();
  writeBelow(data, 'a.dcm', writeRamp());
  const folder = join(createTempFolder(), 'negato');
  const start = () => serveWith({ inputs: [data], journal: { folder, kept: 'offer' } });
  const first = await start();
  await first.request('/api/labels', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ classes: [{ key: 'n', title: 'Nodule', color: '#ff8800', digit: 1 }] }),
  });
  const { page, cell, at, complaints } = await openMeasuring(first);
  await page.keyboard.press('l');
  await page.keyboard.press('1');
  // 40 columns are 40 mm, 40 rows are 60 mm: √5200.
  await drag(page, at(20, 20), at(60, 60));
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['Nodule', '72.11 mm']]);

  await page.keyboard.press('Shift+M');
  await page.getByRole('textbox', { name: 'Label' }).fill('left');
  await page.getByRole('textbox', { name: 'Label' }).press('Enter');
  const other = await openViewer(first);
  await expect.poll(() => labelsOf(other.cell, 'length'), SLOW).toEqual([['Nodule: left', '72.11 mm']]);
  expect(await findViolations(page)).toEqual([]);

  await other.page.keyboard.press('Shift+M');
  await other.page.getByRole('button', { name: /^Nodule: left/ }).click();
  await other.page.getByRole('combobox', { name: 'Class', exact: true }).selectOption({ label: 'None' });
  await expect.poll(() => labelsOf(cell, 'length'), SLOW).toEqual([['left', '72.11 mm']]);
  expect([...complaints, ...other.complaints]).toEqual([]);

  await first.close();
  for (const name of readdirSync(folder)) {
    renameSync(join(folder, name), join(folder, nameJournal('nobody', MARK_FORMAT)));
  }
  const second = await openViewer(await start());
  const notice = second.page.getByRole('region', { name: 'Marks from an earlier run' });
  await notice.getByText(`1 mark of ${join(data, 'a.dcm')} was not exported when negato last stopped.`).waitFor();
  await notice.getByRole('button', { name: 'Restore' }).click();
  await expect.poll(() => labelsOf(second.cell, 'length'), SLOW).toEqual([['left', '72.11 mm']]);
  await notice.waitFor({ state: 'detached' });
});
