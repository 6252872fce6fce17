import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/shared/contract/endpoints.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { indexFolder, openTable, writeRows } from '../support/indexFiles.ts';
import { CORPUS, findCorpus, needs } from '../support/needs.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SECRET = 'root:$6$secret:19000:0:99999:7:::\n';
const UIDS = { StudyInstanceUID: '2.25.1', SeriesInstanceUID: '2.25.2', SOPInstanceUID: '2.25.3' };
const KINDS = ['image', 'encapsulated_document', 'structured_report', 'whole_slide_microscopy', 'waveform', 'video'];

/** An index whose rows say of a text file, with its right numbers, that it is DICOM of each of some kinds. */
async function indexText() {
  const folder = createTempFolder();
  writeBelow(folder, 'image.dcm', writeDicom(ctElements(UIDS)));
  const [row = {}] = await indexFolder(folder);
  const path = writeBelow(folder, 'shadow', SECRET.repeat(500));
  const { size, dev, ino, mtimeMs } = statSync(path);
  const numbers = { file_bytes: BigInt(size), file_dev: dev, file_ino: ino, file_mtime_ms: mtimeMs };
  const rows = KINDS.map((kind) => ({ ...row, path, real_path: null, ...numbers, object_kind: kind }));
  return openTable(writeRows([row, ...rows]));
}

const INSTANCE = '/studies/2.25.1/series/2.25.2/instances/2.25.3';
const DICOMWEB = [
  '/studies/2.25.1',
  '/studies/2.25.1/series/2.25.2',
  INSTANCE,
  `${INSTANCE}/metadata`,
  `${INSTANCE}/frames/1`,
  `${INSTANCE}/rendered`,
  `${INSTANCE}/bulkdata/7FE00010`,
];

test('no endpoint sends bytes or values of a text file that an index calls DICOM', async () => {
  const { known } = await indexText();
  const server = await serveWith({ catalog: { known }, dicomweb: true });
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  expect(files).toHaveLength(1 + KINDS.length);
  const ofFile = Object.values(ENDPOINTS).filter(({ method, path }) => method === 'GET' && path.includes(':index'));
  expect(ofFile.length).toBeGreaterThan(40);
  const paths = files.slice(1).flatMap(({ index }) => {
    return ofFile.map(({ path }) => `/api${path.replace(':index', String(index)).replaceAll(/:\w+/g, '0')}`);
  });

  for (const path of [...paths, ...DICOMWEB.map((each) => `/dicomweb${each}`)]) {
    const response = await server.request(path);
    const body = Buffer.from(await response.arrayBuffer().catch(() => new ArrayBuffer()));
    const mustRefuse = /\/(?:file|content|tags|frame\/0|raw|video)$/.test(path);
    const isRefused = !mustRefuse || response.status >= 400;
    expect({ path, isRefused, leaks: body.includes('secret') }).toEqual({ path, isRefused: true, leaks: false });
  }
});

test.each([
  ['with a preamble', (bytes: Uint8Array) => bytes],
  ['without a preamble', (bytes: Uint8Array) => bytes.slice(128)],
  // 12 + 4 bytes of the group length, and what it counts, follow the prefix.
  [
    'without meta information',
    (bytes: Uint8Array) => bytes.slice(132 + 12 + new DataView(bytes.buffer).getUint32(140, true)),
  ],
])('a file of an index is sent as it is stored, %s', async (_, cut) => {
  const folder = createTempFolder();
  // The first element of the data set is longer than what usually shows that a file is DICOM.
  const bytes = cut(writeDicom(ctElements({ ...UIDS, ImageType: Array.from({ length: 600 }, () => 'A'.repeat(16)) })));
  writeBelow(folder, 'image.dcm', bytes);
  const { known } = await openTable(writeRows(await indexFolder(folder)));
  const server = await serveWith({ catalog: { known } });

  const response = await server.request('/api/file/0/file');
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(bytes));
});

test('every file of the corpus has a row that is read, and is sent as it is stored', needs(CORPUS), async () => {
  const folder = join(findCorpus()!, 'odd-and-broken');
  const rows = await indexFolder(folder);
  const { known, troubles } = await openTable(writeRows(rows));
  const server = await serveWith({ catalog: { known } });

  expect(troubles).toEqual([]);
  expect(Object.fromEntries(server.catalog.skippedByReason())).toEqual({});
  expect(server.catalog.files).toHaveLength(rows.length);
  for (const { index, path } of server.catalog.files) {
    const response = await server.request(`/api/file/${index}/file`);
    const body = Buffer.from(await response.arrayBuffer());
    expect({ path, status: response.status, same: body.equals(readFileSync(path)) }).toEqual({
      path,
      status: 200,
      same: true,
    });
  }
});
