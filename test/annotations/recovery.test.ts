import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AnnotationJournalResponse, AnnotationPayload } from '../../src/shared/contract/annotations.ts';
import type { JournalSettings } from '../../src/server/work/journal/keptStore.ts';
import { ROI_FORMAT } from '../../src/server/work/annotations/roiFormat.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { writeDicomFiles } from '../cli/dicomFiles.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

/** Creates files, and a state folder that all servers of a test share. */
async function prepare(...names: string[]) {
  const data = createTempFolder();
  await writeDicomFiles(data, ...names);
  const folder = join(createTempFolder(), 'negato');
  const listKept = () => (existsSync(folder) ? readdirSync(folder) : []);
  return {
    data,
    folder,
    listKept,
    start: (options: Partial<JournalSettings> & { input?: string; annotationCsv?: string } = {}) => {
      const { input = data, annotationCsv, ...journal } = options;
      return serveWith({
        inputs: [input],
        ...(annotationCsv !== undefined && { annotationCsv }),
        journal: { folder, kept: 'offer', ...journal },
      });
    },
    /** Acts as if the server's process had ended. The journal names its process, which is the process of the test. */
    abandon: async (server: TestServer) => {
      await server.close();
      for (const name of listKept()) renameSync(join(folder, name), join(folder, nameJournal('nobody', ROI_FORMAT)));
    },
  };
}

const box = (n: number): [number, number, number, number] => [0, 0, 1 + (n % 16), 1 + (Math.floor(n / 16) % 16)];
const payload = (...numbers: number[]): AnnotationPayload => ({
  num_roi: numbers.length,
  roi_coords: numbers.map(box),
  roi_frames: [],
});

async function send(server: TestServer, path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return server.request(path, { method: 'PUT', headers, body: JSON.stringify(body) });
}

const put = (server: TestServer, index: number, body: AnnotationPayload) =>
  send(server, `/api/file/${index}/annotations`, body);

async function read(server: TestServer, index: number): Promise<AnnotationPayload> {
  return (await server.request(`/api/file/${index}/annotations`)).json();
}

async function offerOf(server: TestServer): Promise<AnnotationJournalResponse['kept']> {
  await server.annotations.recovered;
  const answer: AnnotationJournalResponse = await (await server.request('/api/annotations/journal')).json();
  expect(answer.searched).toBe(true);
  return answer.kept;
}

const recover = (server: TestServer, action: string) => send(server, '/api/annotations/journal', { action });

describe('ROIs saved by an earlier run', () => {
  test('are added to an edit made in the meantime, which is unchanged', async () => {
    const { start, abandon } = await prepare('a.dcm');
    const first = await start();
    await put(first, 0, payload(1, 2));
    await abandon(first);

    const second = await start();
    await put(second, 0, payload(9, 2));
    await recover(second, 'restore');

    expect(await read(second, 0)).toEqual(payload(9, 2, 1));
  });

  test('are not offered if the new run already has them', async () => {
    const { start, abandon, listKept } = await prepare('a.dcm');
    const first = await start();
    await put(first, 0, payload(1, 2));
    await abandon(first);

    const second = await start();
    await put(second, 0, payload(1, 2, 3));

    expect(await offerOf(second)).toBeNull();
    await expect.poll(listKept).toHaveLength(1);
  });

  test('are kept for files that are not open, until they are opened', async () => {
    const { start, abandon, listKept, data } = await prepare('a.dcm', 'b.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    await put(first, 1, payload(2));
    await abandon(first);

    const second = await start({ kept: 'restore', input: join(data, 'b.dcm') });
    expect(await read(second, 0)).toEqual(payload(2));
    await (await second.request('/api/annotations/export.csv')).text();
    await expect.poll(listKept).toHaveLength(1);
    // While the second server runs, another one can restore the rest.
    const third = await start({ kept: 'restore' });
    expect(await read(third, 0)).toEqual(payload(1));
    expect(await read(third, 1)).toEqual(payload());
  });

  test('are never applied to another object at the same path', async () => {
    const { start, abandon, data, listKept } = await prepare('a.dcm', 'b.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    await abandon(first);
    writeFileSync(join(data, 'a.dcm'), readFileSync(join(data, 'b.dcm')));

    const second = await start({ kept: 'restore' });

    expect(await offerOf(second)).toBeNull();
    expect(await read(second, 0)).toEqual(payload());
    expect(listKept()).toHaveLength(1);
  });

  test('are found if the folder is opened through a link', async () => {
    const { start, abandon, data } = await prepare('a.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    await abandon(first);
    const link = join(createTempFolder(), 'link');
    symlinkSync(data, link);

    expect(await offerOf(await start({ input: link }))).toMatchObject({ num_roi: 1, path: join(link, 'a.dcm') });
  });

  test('belong to the same object if only the time of the file has changed, and the offer says so', async () => {
    const { start, abandon, data } = await prepare('a.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    await abandon(first);
    utimesSync(join(data, 'a.dcm'), new Date(0), new Date(0));

    expect(await offerOf(await start())).toMatchObject({ num_roi: 1, changed_files: 1 });
  });

  test('take precedence over the rows of an imported CSV, as edits do', async () => {
    const { start, abandon, data } = await prepare('a.dcm', 'b.dcm');
    const annotationCsv = join(createTempFolder(), 'rois.csv');
    const rows = [`${join(data, 'a.dcm')},"[[0,0,9,9]]"`, `${join(data, 'b.dcm')},"[[0,0,8,8]]"`];
    writeFileSync(annotationCsv, `anon_dicom_path,ROI_coords\n${rows.join('\n')}\n`);
    const first = await start({ annotationCsv });
    await put(first, 0, payload());
    await abandon(first);

    const second = await start({ annotationCsv, kept: 'restore' });

    expect(await read(second, 0)).toEqual(payload());
    expect(await read(second, 1)).toMatchObject({ roi_coords: [[0, 0, 8, 8]] });
  });

  test('are restored as far as they reached the disk: a truncated line is left out, the lines before it are not', async () => {
    const { start, abandon, folder, listKept } = await prepare('a.dcm', 'b.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    await put(first, 1, payload(2));
    await abandon(first);
    const path = join(folder, listKept()[0] ?? '');
    const bytes = readFileSync(path);
    for (const length of [bytes.length - 1, bytes.length - 5, bytes.length - 40]) {
      writeFileSync(path, bytes.subarray(0, length));
      const second = await start();
      expect(await offerOf(second)).toMatchObject({ num_roi: 1, num_files: 1 });
      await second.close();
    }
    // A record with a changed digit is invalid, even if its line is complete.
    const text = bytes.toString('latin1');
    writeFileSync(path, text.replace('"num_roi":1', '"num_roi":7'), 'latin1');
    expect(await offerOf(await start())).toMatchObject({ num_roi: 1, num_files: 1 });
  });

  test('are not read from a link in place of the journal', async () => {
    const { start, abandon, folder, listKept } = await prepare('a.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    await abandon(first);
    const path = join(folder, listKept()[0] ?? '');
    const elsewhere = join(createTempFolder(), 'journal');
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);

    expect(await offerOf(await start())).toBeNull();
  });

  test('can be restored or forgotten, and other actions are refused', async () => {
    const { start } = await prepare('a.dcm');
    const server = await start();
    expect((await recover(server, 'delete')).status).toBe(422);
    expect((await recover(server, 'restore')).status).toBe(200);
  });
});

describe('an exported edit', () => {
  test.each(['', '?edits_only=true'])('is no longer kept (%s)', async (query) => {
    const { start, folder } = await prepare('a.dcm');
    const server = await start();
    await put(server, 0, payload(1));
    await (await server.request(`/api/annotations/export.csv${query}`)).text();
    await expect.poll(() => existsSync(folder)).toBe(false);

    // Edits after the export are kept again.
    await put(server, 0, payload(1, 2));
    expect(existsSync(folder)).toBe(true);
    await (await server.request(`/api/annotations/export.csv${query}`)).text();
    await server.close();
    expect(existsSync(folder)).toBe(false);
  });

  test('must have arrived: neither HEAD, nor a refused request, nor a broken connection counts', async () => {
    const { start, listKept } = await prepare('a.dcm');
    const server = await start();
    // Several megabytes, more than the buffers of a connection hold.
    const many = Array.from({ length: 140_000 }, () => [0, 0, 16, 16]);
    expect((await send(server, '/api/file/0/annotations', { num_roi: many.length, roi_coords: many })).status).toBe(
      200,
    );
    await server.request('/api/annotations/export.csv', { method: 'HEAD' });
    await server.request('/api/annotations/export.csv?edits_only=perhaps');
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /api/annotations/export.csv HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await read(server, 0);
    expect(listKept()).toHaveLength(1);
    expect(server.annotations.countUnexported()).toEqual({ files: 1, rois: many.length });
  });
});

describe('the journal', () => {
  test('stays small, however often a file is edited', async () => {
    const { start, folder, listKept } = await prepare('a.dcm');
    const server = await start();
    // 100 edits of about 130 kB each: 13 MB if none of them were dropped.
    for (let edit = 0; edit < 100; edit += 1) {
      const many = Array.from({ length: 10_000 }, () => [0, 0, 1 + (edit % 16), 16]);
      await send(server, '/api/file/0/annotations', { num_roi: many.length, roi_coords: many });
    }
    const [name = ''] = listKept();
    expect(listKept()).toHaveLength(1);
    expect(lstatSync(join(folder, name)).size).toBeLessThan(2 * 2 ** 20);
  });

  test('is written again after it was removed', async () => {
    const { start, abandon, folder } = await prepare('a.dcm', 'b.dcm');
    const first = await start();
    await put(first, 0, payload(1));
    rmSync(folder, { recursive: true });
    await put(first, 1, payload(2));
    await abandon(first);

    expect(await offerOf(await start())).toMatchObject({ num_roi: 2, num_files: 2 });
  });

  test('is not written to a linked folder, and the response to the edit says so', async () => {
    const { start, folder } = await prepare('a.dcm');
    const elsewhere = createTempFolder();
    symlinkSync(elsewhere, folder);
    const server = await start();

    const response = await put(server, 0, payload(1));

    expect(response.headers.get('X-Annotation-Durability')).toBe('memory');
    expect(await (await server.request('/api/annotations/journal')).json()).toMatchObject({ state: 'failing' });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('restricts its own folder if others could access it', async () => {
    const { start, folder } = await prepare('a.dcm');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const server = await start();
    await put(server, 0, payload(1));
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  });

  test('is written as soon as writing works again', async () => {
    const { start, abandon, folder } = await prepare('a.dcm', 'b.dcm');
    writeFileSync(folder, 'in the way');
    const troubles: (string | undefined)[] = [];
    const server = await start({ onTrouble: (reason) => troubles.push(reason) });
    const lost = await put(server, 0, payload(1));
    expect(lost.headers.get('X-Annotation-Durability')).toBe('memory');

    rmSync(folder);
    const kept = await put(server, 1, payload(2));

    expect(kept.headers.get('X-Annotation-Durability')).toBe('kept');
    expect(troubles).toEqual([expect.any(String), undefined]);
    await abandon(server);
    expect(await offerOf(await start())).toMatchObject({ num_roi: 2, num_files: 2 });
  });
});
