import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROI_FORMAT } from '../../src/server/work/annotations/roiFormat.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { storedRois, writeRoiImage } from '../support/roiFiles.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer } from '../support/viewerPage.ts';

const BOX = [10, 20, 30, 40];

test('the page offers the ROIs of a run that ended without export, and restores, forgets or keeps them for later', async () => {
  const data = createTempFolder();
  writeBelow(data, 'a.dcm', writeRoiImage({ rows: 64, columns: 96 }));
  const folder = join(createTempFolder(), 'negato');
  const start = () => serveWith({ inputs: [data], journal: { folder, kept: 'offer' } });
  const first = await start();
  await first.request('/api/file/0/annotations', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: 1, roi_coords: [BOX] }),
  });
  await first.close();
  const abandon = () => {
    for (const name of readdirSync(folder))
      renameSync(join(folder, name), join(folder, nameJournal('nobody', ROI_FORMAT)));
  };
  abandon();

  const second = await start();
  const { page, cell } = await openViewer(second);
  const notice = page.getByRole('region', { name: 'Marks from an earlier run' });
  await notice.getByText(`1 ROI of ${join(data, 'a.dcm')} was not exported when negato last stopped.`).waitFor();
  await notice.getByRole('button', { name: 'Restore' }).click();
  await cell.locator('[data-box="10 20 30 40"]').waitFor();
  await notice.waitFor({ state: 'detached' });
  expect((await storedRois(second)).roi_coords).toEqual([BOX]);

  await second.close();
  abandon();
  const third = await start();
  const again = await openViewer(third);
  const offer = again.page.getByRole('region', { name: 'Marks from an earlier run' });
  await offer.getByText('Restore brings them back, Forget deletes them for good.').waitFor();
  await offer.getByRole('button', { name: 'Later' }).click();
  await offer.waitFor({ state: 'detached' });
  await again.page.reload();
  await offer.getByRole('button', { name: 'Forget' }).click();
  await offer.waitFor({ state: 'detached' });
  expect((await storedRois(third)).roi_coords).toEqual([]);
});
