import { expect, test } from 'vitest';
import { createFileFeed } from '../../src/server/images/catalog/fileFeed.ts';
import { openPage } from '../support/browser.ts';
import { writeSlices } from '../support/segmentedSlices.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { localFile } from '../../src/server/bytes/origins/origins.ts';

test('a study that is being written is shown as far as it exists, and the page shows the progress', async () => {
  const folder = createTempFolder();
  const feed = createFileFeed();
  const slices = writeSlices(5);
  let written = 0;
  const write = (count: number) => {
    for (const bytes of slices.slice(written, written + count)) {
      const path = writeBelow(folder, `${written}.dcm`, bytes);
      feed.add({ path, ref: localFile(path) });
      written += 1;
    }
  };
  const server = await serveWith({
    scans: false,
    catalog: { feed },
    domains: { demoProgress: () => (written < slices.length ? { written, total: slices.length } : undefined) },
  });
  server.catalog.start();
  write(2);
  const { page, complaints } = await openPage();

  await page.goto(server.baseUrl);
  await page.getByText('Creating demo study: 2 of 5 files').waitFor();
  const place = page.getByRole('group', { name: 'Position in the stack' });
  await place.getByText('1 / 2').waitFor();
  write(3);
  feed.end();

  await place.getByText('1 / 5').waitFor();
  await page.getByText('5 files open').waitFor();
  expect(complaints).toEqual([]);
});
