import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { badAnnotationBodies } from '../support/badAnnotationBodies.ts';
import { open } from '../support/rawHttp.ts';
import { serve, serveShared, serveWith, type SharedServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeImage } from '../support/writeImage.ts';

const NO_ROIS = { num_roi: 0, roi_coords: [], roi_frames: [] };
const ONE_BOX = { num_roi: 1, roi_coords: [[1, 2, 3, 4]], roi_frames: [] };
const HEADER = 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';

describe('the ROIs of one file', () => {
  test('are none at first', async () => {
    const server = await serve(writeImage());
    const response = await server.request('/api/file/0/annotations');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(await response.json()).toEqual(NO_ROIS);
  });

  test('are returned and stored in their canonical form', async () => {
    const server = await serve(writeImage({ frames: 3 }));
    const given = {
      num_roi: 2,
      roi_coords: [
        [5, 5, 9, 9],
        [0, 0, 100, 200],
      ],
      roi_frames: [[2, 0, 2], []],
    };
    const canonical = { ...given, roi_frames: [[0, 2], []] };
    const response = await put(server, given);
    expect([response.status, await response.json()]).toEqual([200, canonical]);
    expect(await read(server)).toMatchObject({ body: canonical, etag: response.headers.get('etag') });
  });

  test('are replaced as a whole, never merged', async () => {
    const server = await serve(writeImage());
    await put(server, ONE_BOX);
    await put(server, { num_roi: 1, roi_coords: [[7, 7, 8, 8]] });
    expect((await read(server)).body).toEqual({ num_roi: 1, roi_coords: [[7, 7, 8, 8]], roi_frames: [] });
    await put(server, NO_ROIS);
    expect((await read(server)).body).toEqual(NO_ROIS);
  });

  test('respond to HEAD as to GET, without a body', async () => {
    const server = await serve(writeImage());
    const response = await server.request('/api/file/0/annotations', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('etag')).toBe((await read(server)).etag);
  });

  test('are those of that file only', async () => {
    const server = await serve(writeImage(), writeImage());
    await put(server, ONE_BOX, { index: 1 });
    expect((await read(server, 0)).body).toEqual(NO_ROIS);
    expect((await read(server, 1)).body).toEqual(ONE_BOX);
  });
});

describe('the list of files with ROIs', () => {
  test('has the imported and edited ones, with the same entity tags as reading them', async () => {
    const folder = createTempFolder();
    const images = ['1.dcm', '2.dcm', '3.dcm', '4.dcm'].map((name) => writeBelow(folder, name, writeImage()));
    const rows = images.slice(1, 3).map((image) => `${image},1,"[[1,2,3,4]]",\n`);
    const csv = writeBelow(createTempFolder(), 'rois.csv', HEADER + rows.join(''));
    const server = await serveWith({ inputs: [folder], annotationCsv: csv });
    await put(server, NO_ROIS, { index: 2 });
    await put(server, ONE_BOX, { index: 3 });

    const list = await (await server.request('/api/annotations')).json();

    const [first, second, third, fourth] = await Promise.all([0, 1, 2, 3].map((index) => read(server, index)));
    expect(list).toEqual({
      untouched_etag: first?.etag,
      files: [
        { index: 1, num_roi: 1, etag: second?.etag },
        { index: 2, num_roi: 0, etag: third?.etag },
        { index: 3, num_roi: 1, etag: fourth?.etag },
      ],
    });
  });

  test('has an entity tag for all others, with which an edit is refused if another client was faster', async () => {
    const server = await serve(writeImage(), writeImage());
    const { untouched_etag: ifMatch } = await (await server.request('/api/annotations')).json();

    expect((await put(server, ONE_BOX, { index: 0, ifMatch })).status).toBe(200);
    expect((await put(server, ONE_BOX, { index: 0, ifMatch })).status).toBe(412);
    expect((await put(server, ONE_BOX, { index: 1, ifMatch })).status).toBe(200);
  });
});

describe('If-Match', () => {
  test('accepts an edit that knows what it replaces', async () => {
    const server = await serve(writeImage());
    const first = await put(server, ONE_BOX, { ifMatch: (await read(server)).etag });
    const second = await put(server, NO_ROIS, { ifMatch: first.headers.get('etag') ?? '' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });

  test('refuses an edit that would undo that of another client', async () => {
    const server = await serve(writeImage());
    const { etag } = await read(server);
    await put(server, ONE_BOX);
    const late = await put(server, NO_ROIS, { ifMatch: etag });
    expect([late.status, await late.json()]).toMatchObject([412, { code: 'stale_annotation' }]);
    expect((await read(server)).body).toEqual(ONE_BOX);
  });

  test('of an earlier server run never matches', async () => {
    const server = await serve(writeImage());
    const { etag } = await read(server);
    const earlier = etag.replace(String(server.server.startedAtMs), '1');
    expect((await put(server, ONE_BOX, { ifMatch: earlier })).status).toBe(412);
    expect((await put(server, ONE_BOX, { ifMatch: '*' })).status).toBe(200);
  });

  test('does not hide an invalid payload', async () => {
    const server = await serve(writeImage());
    expect((await put(server, { ...ONE_BOX, num_roi: 2 }, { ifMatch: '"other"' })).status).toBe(400);
  });
});

describe('a bad payload is refused and changes nothing', () => {
  test('whatever is wrong', async () => {
    const server = await serve(writeImage({ rows: 100, columns: 200, frames: 3 }));
    await put(server, ONE_BOX);
    const before = await read(server);
    const bodies = badAnnotationBodies();
    const answers = [];
    for (const [body] of bodies) {
      const response = await putBody(server, body);
      answers.push([body, response.status, await response.json(), await read(server)]);
    }
    expect(answers).toEqual(
      bodies.map(([body, status, code, part]) => [
        body,
        status,
        { code, error: expect.stringContaining(part) },
        before,
      ]),
    );
    expect(server.errors).toEqual([]);
  });

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=latin1'],
    ['text/csv'],
  ])('as %s', async (contentType) => {
    const server = await serveShared(writeImage());
    const response = await putBody(server, JSON.stringify(ONE_BOX), { 'Content-Type': contentType });
    expect([response.status, await response.json()]).toMatchObject([415, { code: 'unsupported_media_type' }]);
    expect((await read(server)).body).toEqual(NO_ROIS);
  });

  test.each([
    ['/api/file/1/annotations', 404, 'not_found'],
    ['/api/file/x/annotations', 400, 'invalid_path'],
    ['/api/file/-1/annotations', 400, 'invalid_path'],
  ])('to %s', async (url, status, code) => {
    const server = await serveShared(writeImage());
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { body: '{', headers: { 'Content-Type': 'application/json' } } : {};
      const response = await server.request(url, { method, ...body });
      expect([response.status, await response.json()]).toMatchObject([status, { code }]);
    }
  });

  test('with another method, and the response lists the allowed ones', async () => {
    const server = await serve(writeImage());
    const response = await server.request('/api/file/0/annotations', { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT']);
  });

  test('on an object without pixels, which can have no ROI', async () => {
    const report = { SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11', SOPInstanceUID: '2.25.1', Modality: 'SR' };
    const server = await serve(writeDicom(report));
    const response = await put(server, ONE_BOX);
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_annotation' }]);
    expect((await put(server, NO_ROIS)).status).toBe(200);
  });
});

test('a payload of the largest size is accepted and returned', async () => {
  const server = await serve(writeImage());
  // Each box takes 10 characters and a comma, which together is a little less than 2 MiB.
  const roi_coords = Array.from({ length: 185_000 }, (_, i) => [i % 9, 0, 9, 1]);
  const response = await put(server, { num_roi: roi_coords.length, roi_coords });
  expect(response.status).toBe(200);
  expect(JSON.stringify((await read(server)).body)).toBe(
    JSON.stringify({ num_roi: 185_000, roi_coords, roi_frames: [] }),
  );
});

test('of two concurrent edits with the same If-Match, one is stored and the other is refused', async () => {
  const server = await serve(writeImage());
  const { etag } = await read(server);
  const payloads = Array.from({ length: 8 }, (_, i) => ({ num_roi: 1, roi_coords: [[i, 0, 9, 1]], roi_frames: [] }));
  const responses = await Promise.all(payloads.map((payload) => put(server, payload, { ifMatch: etag })));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 7 }, () => 412),
  ]);
  const winner = responses.findIndex(({ status }) => status === 200);
  expect((await read(server)).body).toEqual(payloads[winner]);
});

test('an incomplete body stores nothing', async () => {
  const server = await serve(writeImage());
  const body = JSON.stringify(ONE_BOX);
  const head = `PUT /api/file/0/annotations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = open(server);
  await new Promise((sent) => socket.write(head + body.slice(0, 20), sent));
  socket.destroy();
  expect((await read(server)).body).toEqual(NO_ROIS);
});

describe('the export', () => {
  test('has a row for each file with ROIs, in the order of the files', async () => {
    const folder = createTempFolder();
    for (const name of ['1.dcm', '2.dcm', '10.dcm']) writeBelow(folder, name, writeImage({ frames: 2 }));
    const server = await serve(folder);
    await put(server, ONE_BOX, { index: 2 });
    await put(
      server,
      {
        num_roi: 2,
        roi_coords: [
          [0, 0, 1, 1],
          [1, 1, 2, 2],
        ],
        roi_frames: [[1], []],
      },
      { index: 0 },
    );
    await put(server, NO_ROIS, { index: 1 });

    const response = await server.request('/api/annotations/export.csv');

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="viewer-annotations.csv"');
    expect(await response.text()).toBe(
      `${HEADER}${folder}/1.dcm,2,"[[0,0,1,1],[1,1,2,2]]","[[1],[]]"\n${folder}/10.dcm,1,"[[1,2,3,4]]",[]\n`,
    );
  });

  test('of no ROIs is the header', async () => {
    expect(await exportOf(await serve(writeImage()))).toBe(HEADER);
  });

  test('refuses a query that it does not understand', async () => {
    const response = await (await serve(writeImage())).request('/api/annotations/export.csv?edits_only=yes');
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_query' }]);
  });

  test('has no cell that a spreadsheet reads as a formula, whatever the names of the files', async () => {
    const folder = createTempFolder();
    const names = ['=1+1', '=cmd|calc!A0', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '|x', 'a,=1+1', 'a"\n=1+1'];
    for (const name of names) writeBelow(folder, name, writeImage());
    const server = await serve(folder);
    for (const index of names.keys()) await put(server, ONE_BOX, { index });

    const cells: string[] = parse(await exportOf(server)).flat();

    expect(cells).toHaveLength(4 * (names.length + 1));
    expect(cells.filter((cell) => /^[=+\-@|\t\r\n]/.test(cell))).toEqual([]);
  });

  test('can be imported and exported again byte for byte, whatever the names of the files', async () => {
    const folder = createTempFolder();
    const names = [
      'plain.dcm',
      'a,b.dcm',
      'say "hi".dcm',
      'two\nlines.dcm',
      'cr\rlf\r\n.dcm',
      ' space .dcm',
      "it's.dcm",
      '""',
      ',',
      '=1+1',
      '+cmd',
      '-1',
      '@SUM(A1)',
      '\ttab',
      '|pipe',
      'back\\slash.dcm',
      'Ünïcödé-日本語-🩻.dcm',
      '\u202eflip.dcm',
      'e\u0301.dcm',
      'é.dcm',
    ];
    for (const name of names) writeBelow(folder, name, writeImage({ frames: 4 }));
    const first = await serve(folder);
    expect(first.catalog.files).toHaveLength(names.length);
    for (const index of names.keys()) {
      const roi_frames = index % 2 === 0 ? [] : [[index % 4], []];
      await put(
        first,
        {
          num_roi: 2,
          roi_coords: [
            [index, 0, 100, 1],
            [0, index, 1, 200],
          ],
          roi_frames,
        },
        { index },
      );
    }
    const exported = await exportOf(first);
    const csv = writeBelow(createTempFolder(), 'rois.csv', exported);
    const before = hashes([csv, ...names.map((name) => join(folder, name))]);

    const second = await serveWith({ inputs: [folder], annotationCsv: csv });

    expect(await exportOf(second)).toBe(exported);
    for (const index of names.keys()) expect((await read(second, index)).body).toEqual((await read(first, index)).body);
    expect(hashes([csv, ...names.map((name) => join(folder, name))])).toEqual(before);
  });
});

describe('the import of a CSV', () => {
  test('is done after the scan, and its state is in the list of files', async () => {
    const folder = createTempFolder();
    const image = writeBelow(folder, '1.dcm', writeImage());
    const csv = writeBelow(folder, 'rois.csv', `${HEADER}${image},1,"[[1,2,3,4]]",\n/elsewhere,1,?,?\n`);
    const server = await serveWith({ inputs: [folder], annotationCsv: csv });
    expect((await read(server)).body).toEqual(ONE_BOX);
    expect(await importStateOf(server)).toEqual({ import_state: 'done', error: null });
    expect(await server.annotations.imported).toMatchObject({ unmatchedRows: 1 });
  });

  test('delays reads and exports, but not edits, which it does not overwrite', async () => {
    const folder = createTempFolder();
    const images = ['1.dcm', '2.dcm'].map((name) => writeBelow(folder, name, writeImage()));
    const rows = images.map((image) => `${image},1,"[[1,2,3,4]]",\n`).join('');
    const csv = writeBelow(createTempFolder(), 'rois.csv', HEADER + rows);
    const server = await serveWith({ inputs: [folder], annotationCsv: csv, scans: false });
    expect(await importStateOf(server)).toEqual({ import_state: 'waiting', error: null });
    const exported = exportOf(server);
    server.catalog.start();
    await server.catalog.scanComplete;
    await put(server, { num_roi: 1, roi_coords: [[7, 7, 8, 8]] }, { index: 1 });
    expect((await read(server, 0)).body).toEqual(ONE_BOX);
    expect((await read(server, 1)).body).toMatchObject({ roi_coords: [[7, 7, 8, 8]] });
    expect(await exported).toContain(`${images[0]},1,"[[1,2,3,4]]",[]\n`);
    expect(await exportOf(server)).toContain(`${images[1]},1,"[[7,7,8,8]]",[]\n`);
  });

  test('that fails is reported everywhere, and edits are still accepted and saved', async () => {
    const folder = createTempFolder();
    const images = ['1.dcm', '2.dcm'].map((name) => writeBelow(folder, name, writeImage()));
    const rows = `${images[0]},1,"[[1,2,3,4]]",\n${images[1]},1,"[[1,2,300,4]]",\n`;
    const csv = writeBelow(createTempFolder(), 'rois.csv', HEADER + rows);
    const server = await serveWith({ inputs: [folder], annotationCsv: csv });
    const error = `${csv}: line 3, column ROI_coords: ROI 0: ymax 300 is greater than 100, the number of rows`;

    for (const url of ['/api/file/0/annotations', '/api/file/1/annotations', '/api/annotations/export.csv']) {
      const response = await server.request(url);
      expect([response.status, await response.json()]).toEqual([500, { code: 'annotation_import_failed', error }]);
    }
    expect(await importStateOf(server)).toEqual({ import_state: 'failed', error });

    await put(server, ONE_BOX, { index: 1 });
    expect((await read(server, 1)).body).toEqual(ONE_BOX);
    expect((await server.request('/api/file/0/annotations')).status).toBe(500);
    expect((await server.request('/api/annotations/export.csv')).status).toBe(500);
    expect(await exportOf(server, '?edits_only=true')).toBe(`${HEADER}${images[1]},1,"[[1,2,3,4]]",[]\n`);
    expect(server.errors).toEqual([]);
  });

  test('that is still running when the server closes makes waiting requests fail with 503', async () => {
    const csv = writeBelow(createTempFolder(), 'rois.csv', HEADER);
    const server = await serveWith({ inputs: [createTempFolder()], annotationCsv: csv, scans: false });
    const waiting = server.request('/api/annotations/export.csv');
    await server.request('/api/health');
    void server.close();
    const response = await waiting;
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'shutting_down' }]);
    expect(response.headers.get('retry-after')).not.toBeNull();
  });
});

type PutOptions = { index?: number; ifMatch?: string };

function put(server: SharedServer, payload: unknown, { index = 0, ifMatch }: PutOptions = {}): Promise<Response> {
  const condition = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
  return putBody(server, JSON.stringify(payload), { 'Content-Type': 'application/json', ...condition }, index);
}

function putBody(
  server: SharedServer,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
  index = 0,
): Promise<Response> {
  return server.request(`/api/file/${index}/annotations`, { method: 'PUT', body, headers });
}

async function read(server: SharedServer, index = 0): Promise<{ body: unknown; etag: string }> {
  const response = await server.request(`/api/file/${index}/annotations`);
  expect(response.status).toBe(200);
  return { body: await response.json(), etag: response.headers.get('etag') ?? '' };
}

async function exportOf(server: SharedServer, query = ''): Promise<string> {
  const response = await server.request(`/api/annotations/export.csv${query}`);
  expect(response.status).toBe(200);
  return response.text();
}

async function importStateOf(server: SharedServer): Promise<unknown> {
  const response = await server.request('/api/files');
  const { annotations }: { annotations: unknown } = await response.json();
  return annotations;
}

function hashes(paths: string[]): string[] {
  return paths.map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'));
}
