import { expect, test } from 'vitest';
import { serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

/** With this budget, the heap of a task has 224 MB. */
const MEMORY = 512 * 2 ** 20;

function serveSlice(): Promise<TestServer> {
  return serveWith({ inputs: [writeSlice({ number: 0 })], memoryBytes: MEMORY });
}

async function importBody(server: TestServer, format: string, body: string | Uint8Array<ArrayBuffer>) {
  const response = await server.request(`/api/marks/import?format=${format}&file=0`, {
    method: 'POST',
    headers: { 'Content-Type': format === 'csv' ? 'text/csv' : 'application/json' },
    body,
  });
  const { code, error, imported, refused } = await response.json();
  const { marks } = await (await server.request('/api/marks')).json();
  return { status: response.status, code, error, imported, refused, marks: marks.length };
}

const FEATURE = '{"type":"Feature","geometry":{"type":"Point","coordinates":[3,4]},"properties":{"values":[';

test('a file that is larger than the heap of a task is read mark by mark', async () => {
  const server = await serveSlice();
  // 6,000,000 lists of 40 bytes each would be 240 MB, those of one mark 2.4 MB.
  const feature = `${FEATURE}${'[],'.repeat(60_000)}0]}}`;
  const body = `{"type":"FeatureCollection","features":[${Array.from({ length: 100 }, () => feature).join(',')}]}`;

  expect(await importBody(server, 'geojson', body)).toMatchObject({ status: 200, imported: 100, marks: 100 });
});

test.each(['geojson', 'coco', 'json'])('20 MB of brackets are not %s', async (format) => {
  const server = await serveSlice();
  const brackets = new Uint8Array(20 * 2 ** 20).fill(0x5b);

  expect(await importBody(server, format, brackets)).toMatchObject({ status: 422, code: 'invalid_json' });
});

test('one mark that would not fit into the heap of a task is refused before it is parsed', async () => {
  const server = await serveSlice();
  const body = `[${FEATURE}${'[],'.repeat(10_000_000)}0]}}]`;

  expect(await importBody(server, 'geojson', body)).toMatchObject({ status: 413, code: 'payload_too_large' });
});

test('a CSV of more rows than can be read is refused as a whole, with the limit', async () => {
  const server = await serveSlice();
  const body = `kind,points_px\npoint,"[[1,1]]"\n${'a,\n'.repeat(7_000_000)}`;

  expect(await importBody(server, 'csv', body)).toMatchObject({
    status: 413,
    code: 'payload_too_large',
    error: expect.stringContaining('250000'),
    marks: 0,
  });
});

test('a list of more items than can be read is refused as a whole, with the limit', async () => {
  const server = await serveSlice();
  const body = `{"images":[${'{},'.repeat(600_000)}{}],"annotations":[]}`;

  expect(await importBody(server, 'coco', body)).toMatchObject({
    status: 413,
    code: 'payload_too_large',
    error: expect.stringContaining('500000'),
  });
});
