import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { compareRealFiles, findDifferentPages, listRealFolders, recordOf } from '../support/comparePictures.ts';
import { corpus } from '../support/corpus.ts';
import { GRAY_CASES, GRAY_WINDOWS } from '../support/grayCases.ts';
import { countGpuDraws, openOnGpu } from '../support/pretendedGpu.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

const UID = '1.2.826.0.1.3680043.10.69';

/** The page with and without a graphics card. The server draws each picture for both of them. */
async function openBoth(server: SharedServer) {
  const withCard = await openOnGpu(server);
  const plain = await openPage();
  await plain.page.goto(server.baseUrl);
  return {
    pages: { 'with a card': withCard.page, 'without a card': plain.page },
    countDraws: () => countGpuDraws(withCard.page),
    complaints: () => [...withCard.complaints, ...plain.complaints],
  };
}

test('with and without a graphics card the canvas has the samples of the server’s picture, for every source of the window', async () => {
  const server = await serveShared(
    ...GRAY_CASES.map(({ elements }, i) => writeDicom({ ...elements, SOPInstanceUID: `${UID}.${i}` })),
  );
  const { pages, countDraws, complaints } = await openBoth(server);
  const different: unknown[] = [];
  const drawnByCard: string[] = [];

  for (const [i, { name }] of GRAY_CASES.entries()) {
    const before = await countDraws();
    const file = await recordOf(server, `${UID}.${i}`);
    for (const window of GRAY_WINDOWS) {
      const found = await findDifferentPages(pages, server, { file, frame: 0, window });
      different.push(...found.map((each) => ({ name, window, ...each })));
    }
    if ((await countDraws()) > before) drawnByCard.push(name);
  }

  expect(different).toEqual([]);
  // The server draws what a table cannot express, and tables that are not sent with the samples.
  const byServer = ['a modality lookup table', 'an overlay', 'a shutter'];
  expect(drawnByCard).toEqual(
    expect.arrayContaining(GRAY_CASES.map(({ name }) => name).filter((name) => !byServer.includes(name))),
  );
  expect(complaints()).toEqual([]);
}, 180_000);

test(
  'of real files of every kind, those with floats, 32 bits or colors too',
  { ...needs(CORPUS), timeout: 600_000 },
  async () => {
    const server = await serveShared(...(await listRealFolders(corpus ?? '')));
    const { pages, countDraws } = await openBoth(server);
    const before = await countDraws();

    const { different, compared } = await compareRealFiles(pages, server);

    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(30);
    expect((await countDraws()) - before).toBeGreaterThan(60);
  },
);
