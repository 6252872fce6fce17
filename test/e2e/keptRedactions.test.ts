import { REDACTION_FORMAT } from '../../src/server/work/redactions/redactionFormat.ts';
import { appendFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { redact } from '../../src/server/bytes/origins/origins.ts';
import { findViolations } from '../support/axe.ts';
import { openTab } from '../support/browser.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

const BOX = [5, 10, 10, 20];

function prepare() {
  const data = createTempFolder();
  const path = writeBelow(data, 'a.dcm', writeSlice({ number: 0 }));
  const folder = join(createTempFolder(), 'negato');
  return {
    path,
    folder,
    start: () => serveWith({ inputs: [data], journal: { folder, kept: 'offer' } }),
    /** Ends a server as if its process had ended: the journal names its process, which is that of the test. */
    abandon: async (server: TestServer) => {
      await server.close();
      for (const name of readdirSync(folder).filter((one) => one.startsWith(REDACTION_FORMAT.name))) {
        renameSync(join(folder, name), join(folder, nameJournal('nobody', REDACTION_FORMAT)));
      }
      redact(server.catalog.files.map(({ source }) => [source, []]));
    },
  };
}

async function addRedaction(server: TestServer): Promise<void> {
  const response = await server.request('/api/file/0/redactions', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: 1, roi_coords: [BOX] }),
  });
  expect(response.status).toBe(200);
}

async function boxesOf(server: TestServer): Promise<unknown> {
  return (await (await server.request('/api/file/0/redactions')).json()).roi_coords;
}

test('the page says that redactions of an earlier run are in effect, and keeps or removes them', async () => {
  const { path, start, abandon } = prepare();
  const first = await start();
  await addRedaction(first);
  await abandon(first);

  const second = await start();
  const { page, complaints } = await openViewer(second);
  const notice = page.getByRole('region', { name: 'Redactions from an earlier run' });
  await notice.getByText(`1 redaction of ${path} is in effect, from an earlier run of negato.`).waitFor();
  await notice.getByRole('button', { name: 'Keep' }).click();
  await notice.waitFor({ state: 'detached' });
  expect(await boxesOf(second)).toEqual([BOX]);
  expect(complaints).toEqual([]);
  await abandon(second);

  const third = await start();
  const again = await openViewer(third);
  const offer = again.page.getByRole('region', { name: 'Redactions from an earlier run' });
  await offer.getByRole('button', { name: 'Remove' }).click();
  await offer.waitFor({ state: 'detached' });
  await showsImage(again.page);
  expect(await boxesOf(third)).toEqual([]);
  expect(again.complaints).toEqual([]);
});

test('if a journal of redactions cannot be read, no image is shown until the user goes on without it', async () => {
  const { folder, start, abandon } = prepare();
  const first = await start();
  await addRedaction(first);
  await abandon(first);
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), `${'x'.repeat(1024)}\nnot a line of a journal\n`);

  const second = await start();
  const { page } = await openTab(second);
  await page.goto(second.baseUrl);
  const notice = page.getByRole('region', { name: 'Redactions that cannot be read' });
  await notice.getByText('No image is shown, because any of them may have redactions.').waitFor();
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await notice.getByRole('button', { name: 'Go on without them' }).click();
  await notice.waitFor({ state: 'detached' });
  await showsImage(page);
});
