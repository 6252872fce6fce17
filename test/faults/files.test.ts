import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { askEverything } from '../support/askEverything.ts';
import { ctRow } from '../support/imageElements.ts';
import { grayOf } from '../support/readPng.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

/** Endpoints that read the file itself. The others are for other kinds of objects, or answer from memory. */
const READS_THE_FILE = ['info', 'tags', 'tagSelect', 'displayFrame', 'rawFrame', 'thumbnail', 'references'];

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

const FAULTS: readonly [name: string, change: (path: string) => Promise<unknown>][] = [
  ['removed', (path) => rm(path)],
  ['cut off', (path) => truncate(path, 600)],
  ['emptied', (path) => truncate(path, 0)],
  ['grown', (path) => appendFile(path, new Uint8Array(2))],
  ['written again with the same size', (path) => rewrite(path)],
  ['touched', (path) => utimes(path, 1, 1)],
  [
    'replaced by a copy',
    async (path) => {
      await writeFile(`${path}.new`, writeDicom(ctRow()));
      await rename(`${path}.new`, path);
    },
  ],
  ['replaced by a FIFO', (path) => replace(path, () => void execFileSync('mkfifo', [path]))],
  ['replaced by a folder', (path) => replace(path, () => mkdir(path))],
  ['replaced by a link to another image', (path) => replace(path, () => symlink(join(path, '../1.dcm'), path))],
  [
    'moved, with a link to it in its place',
    async (path) => {
      await rename(path, `${path}.moved`);
      await symlink(`${path}.moved`, path);
    },
  ],
  ['replaced by a link to itself', (path) => replace(path, () => symlink(path, path))],
  ['replaced by a link to a device', (path) => replace(path, () => symlink('/dev/zero', path))],
];

describe('a file that is', () => {
  test.each(FAULTS)('%s is gone, from every address and every cache, and the others are not', async (_, change) => {
    const { server, path } = await serveTwo();
    // Fills all caches.
    await askEverything(server.baseUrl, 0);

    await change(path);

    const answers = await askEverything(server.baseUrl, 0);
    const outcomes = answers.filter(({ endpoint }) => READS_THE_FILE.includes(endpoint));
    expect(Object.fromEntries(outcomes.map(({ endpoint, outcome }) => [endpoint, outcome]))).toEqual(
      Object.fromEntries(READS_THE_FILE.map((endpoint) => [endpoint, 'file_gone'])),
    );
    expect(await grayLevels(server, 1)).toEqual([0, 121, 255]);
    expect(server.errors).toEqual([]);
  });

  test('rewritten with the same size and its old time is shown with its new content', async () => {
    const { server, path } = await serveTwo();
    const before = await readAll(server);

    const other = ctRow({ RescaleIntercept: '-1000', PixelData: Int16Array.of(1264, 1064, 863) });
    await writeFile(path, writeDicom(other), { flag: 'r+' });
    await utimes(path, LONG_AGO, LONG_AGO);

    const fresh = await serve(path);
    const after = await readAll(server);
    expect(after).toEqual(await readAll(fresh));
    expect(after).not.toEqual(before);
  });

  test('moved away and back is shown again', async () => {
    const { server, path } = await serveTwo();
    await rename(path, `${path}.away`);
    expect((await server.request('/api/file/0/frame/0')).status).toBe(404);

    await rename(`${path}.away`, path);

    expect(await grayLevels(server, 0)).toEqual([0, 121, 255]);
  });
});

test('a folder that is replaced while it is open takes its files with it, and gives them back', async () => {
  const folder = createTempFolder();
  const study = join(folder, 'study');
  await mkdir(study);
  await writeFile(join(study, '0.dcm'), writeDicom(ctRow()));
  const server = await serve(study);
  await rename(study, join(folder, 'away'));
  await writeFile(study, 'a file where the folder was');
  expect((await server.request('/api/file/0/info')).status).toBe(404);

  await rm(study);
  await rename(join(folder, 'away'), study);

  expect(await grayLevels(server, 0)).toEqual([0, 121, 255]);
});

async function serveTwo(): Promise<{ server: TestServer; path: string }> {
  const folder = createTempFolder();
  const path = join(folder, '0.dcm');
  await writeFile(path, writeDicom(ctRow()));
  await utimes(path, LONG_AGO, LONG_AGO);
  await writeFile(join(folder, '1.dcm'), writeDicom(ctRow({ SOPInstanceUID: '2.25.9' })));
  return { server: await serve(folder), path };
}

/**
 * Writes in place. Sets the time, because the clock of the file system may not have advanced since the file was
 * written.
 */
async function rewrite(path: string): Promise<void> {
  await writeFile(path, writeDicom(ctRow({ PixelData: Int16Array.of(1, 2, 3) })), { flag: 'r+' });
  await utimes(path, new Date(), new Date(Date.now() + 1_000));
}

async function replace(path: string, put: () => unknown): Promise<void> {
  await rm(path);
  await put();
}

/** Requests every cached resource of file 0 twice. */
async function readAll(server: TestServer): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const path of [
    'frame/0',
    'frame/0/raw',
    'frame/0/raw?filter=predicted',
    'frame/0/thumbnail',
    'frame/0/value-mapping',
  ]) {
    for (let time = 0; time < 2; time += 1) {
      const response = await server.request(`/api/file/0/${path}`);
      answers[path] = `${response.status} ${Buffer.from(await response.arrayBuffer()).toString('hex')}`;
    }
  }
  return answers;
}

async function grayLevels(server: TestServer, file: number): Promise<number[]> {
  const response = await server.request(`/api/file/${file}/frame/0`);
  return grayOf(new Uint8Array(await response.arrayBuffer()));
}
