import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { comparePictures, compareRealFiles, EQUAL, listRealFolders, recordOf } from '../support/comparePictures.ts';
import { corpus } from '../support/corpus.ts';
import { GRAY_CASES } from '../support/grayCases.ts';
import { serve, serveShared } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

describe('the canvas has the samples of the server’s picture', () => {
  test.each(GRAY_CASES)('of $name', async ({ elements }) => {
    const server = await serve(writeDicom(elements));
    const { page, complaints } = await openPage();
    await page.goto(server.baseUrl);

    for (const window of ['', 'full', '100w250', '-20.5w33.3']) {
      expect(await comparePictures(page, server, { file: await recordOf(server), frame: 0, window })).toEqual(EQUAL);
    }
    expect(complaints).toEqual([]);
  });
});

test('of real files of every kind', { ...needs(CORPUS), timeout: 600_000 }, async () => {
  const server = await serveShared(...(await listRealFolders(corpus ?? '')));
  const { page } = await openPage();
  await page.goto(server.baseUrl);

  const { different, compared } = await compareRealFiles(page, server);

  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(30);
});
