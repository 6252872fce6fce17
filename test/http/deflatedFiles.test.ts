import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ExplicitVrBigEndian, DeflatedExplicitVrLittleEndian } from '../../src/server/standard/dicom/transferSyntax.ts';
import { AXIAL, placedImage } from '../support/placedElements.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const [ROWS, COLUMNS] = [2_000, 3_000];

/** An image of 12 MB, more than is inflated in memory. The sample at `at` is `at` modulo 65,521. */
const SAMPLES = Uint16Array.from({ length: ROWS * COLUMNS }, (_, at) => at % 65_521);
const ELEMENTS = placedImage(
  { uid: '2.25.9001', rows: ROWS, columns: COLUMNS, plane: AXIAL },
  { BitsAllocated: 16, BitsStored: 16, HighBit: 15, PixelRepresentation: 0, PixelData: SAMPLES },
);

async function open(transferSyntaxUid: string): Promise<{ readonly server: TestServer; readonly bulk: string }> {
  const folder = createTempFolder();
  writeBelow(folder, 'image.dcm', writeDicom(ELEMENTS, { transferSyntaxUid }));
  const server = await serveWith({ inputs: [folder], dicomweb: true });
  const { files } = await (await server.request('/api/files')).json();
  const [{ study_instance_uid: study, series_instance_uid: series }] = files;
  return { server, bulk: `/dicomweb/studies/${study}/series/${series}/instances/2.25.9001/bulkdata/7FE00010` };
}

test('a long deflated file has the samples, values and tags of its data set, asked one after another', async () => {
  const { server, bulk } = await open(DeflatedExplicitVrLittleEndian);
  const expected = Buffer.from(SAMPLES.buffer);
  for (const path of ['/api/file/0/frame/0/raw', bulk, '/api/file/0/frame/0/raw']) {
    const answer = await server.request(path, { headers: { Accept: 'application/octet-stream' } });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true);
  }
  const pixel = await server.request(`/api/file/0/frame/0/raw/pixel?row=${ROWS - 1}&column=${COLUMNS - 1}`);
  // 5,999,999 modulo 65,521.
  expect(Buffer.from(await pixel.arrayBuffer()).readUInt16LE()).toBe(37_588);
});

test.each([
  ['deflated', DeflatedExplicitVrLittleEndian],
  ['big-endian', ExplicitVrBigEndian],
])('stored values of a %s file with redactions are not sent', async (_name, transferSyntaxUid) => {
  const { server, bulk } = await open(transferSyntaxUid);
  expect((await server.request(bulk)).status).toBe(200);
  await server.request('/api/file/0/redactions', {
    method: 'PUT',
    body: JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 9, 9]], roi_frames: [] }),
    headers: { 'Content-Type': 'application/json' },
  });
  for (const headers of [{ Accept: 'application/octet-stream' }, {}]) {
    const refused = await server.request(bulk, { headers });
    expect([refused.status, (await refused.json()).code]).toEqual([403, 'masked']);
  }
});
