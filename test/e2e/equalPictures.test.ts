import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { comparePictures, compareRealFiles, EQUAL, listRealFolders, recordOf } from '../support/comparePictures.ts';
import { corpus } from '../support/corpus.ts';
import { GRAY_CASES, GRAY_WINDOWS } from '../support/grayCases.ts';
import { serveShared } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

const UID = '1.2.826.0.1.3680043.10.69';

test('the canvas has the samples of the server’s picture, for every source of the window', async () => {
  const server = await serveShared(
    ...GRAY_CASES.map(({ elements }, i) => writeDicom({ ...elements, SOPInstanceUID: `${UID}.${i}` })),
  );
  const { page, complaints } = await openPage();
  await page.goto(server.baseUrl);
  const found: unknown[] = [];

  for (const [i, { name }] of GRAY_CASES.entries()) {
    const file = await recordOf(server, `${UID}.${i}`);
    for (const window of GRAY_WINDOWS) {
      found.push({ name, window, ...(await comparePictures(page, server, { file, frame: 0, window })) });
    }
  }

  expect(found).toEqual(GRAY_CASES.flatMap(({ name }) => GRAY_WINDOWS.map((window) => ({ name, window, ...EQUAL }))));
  expect(complaints).toEqual([]);
});

test(
  'the canvas has the samples of the server’s picture of real files of every kind',
  { ...needs(CORPUS), timeout: 600_000 },
  async () => {
    const server = await serveShared(...(await listRealFolders(corpus ?? '')));
    const { page } = await openPage();
    await page.goto(server.baseUrl);

    const { different, compared } = await compareRealFiles(page, server);

    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(30);
  },
);
