import { copyFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { createFrames } from '../../src/server/images/pixels/frames.ts';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { bundleWorker } from '../support/bundleWorker.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { ctRow } from '../support/imageElements.ts';
import { grayOf } from '../support/readPng.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

/** Memory for one decode at a time, so that memory which is not returned would block every later frame. */
const ONE_AT_A_TIME = 80 * 2 ** 20;

test('a worker that dies fails one request, and the other frames are still sent', async () => {
  const folder = createTempFolder();
  await writeFile(join(folder, 'a-deadly.dcm'), writeDicom(ctRow()));
  await writeFile(join(folder, 'b-good.dcm'), writeDicom(ctRow({ SOPInstanceUID: '2.25.9' })));
  const { server, pool } = await serveWithDeadlyWorker(folder);

  for (let attempt = 0; attempt < 2; attempt++) {
    const answers = await Promise.all([failureOf(server, '/api/file/0/frame/0'), grayLevels(server, 1)]);
    expect(answers).toEqual([
      { status: 500, code: 'pixel_decode_failed', error: 'frame 0: the decoder ended unexpectedly' },
      [0, 121, 255],
    ]);
  }
  // The file has ended two workers, so it gets no third one from any endpoint.
  const { error, ...failure } = await failureOf(server, '/api/file/0/frame/0/thumbnail');
  expect(failure).toEqual({ status: 500, code: 'pixel_decode_failed' });
  expect(error).toContain('will not be tried again');
  expect(pool.statistics()).toMatchObject({ died: 2, quarantined: 1 });
  expect(await grayLevels(server, 1, '?wc=40&ww=400')).toEqual([0, 128, 255]);
});

test('a client that prefers it gets the error of a file as a successful response; all others get its status', async () => {
  const stream = { transferSyntaxUid: '1.2.840.10008.1.2.4.70' };
  const PixelData = { fragments: [new Uint8Array(64).fill(7)] };
  const server = await serveWith({ inputs: [writeDicom(ctRow({ PixelData }), stream)] });
  const ask = async (path: string, Prefer?: string) => {
    const answer = await server.request(path, Prefer === undefined ? {} : { headers: { Prefer } });
    const { code } = await answer.json();
    return [answer.status, code, answer.headers.get('preference-applied')];
  };
  for (const path of ['', '/raw', '/thumbnail']) {
    expect(await ask(`/api/file/0/frame/0${path}`)).toEqual([500, 'pixel_decode_failed', null]);
    for (const preference of ['failure=body', 'respond-async, failure=body']) {
      const answered = await ask(`/api/file/0/frame/0${path}`, preference);
      expect(answered).toEqual([200, 'pixel_decode_failed', 'failure=body']);
    }
    expect(await ask(`/api/file/0/frame/0${path}`, 'failure=bodyguard')).toEqual([500, 'pixel_decode_failed', null]);
  }
  // Errors in the request itself are refused as usual.
  expect(await ask('/api/file/0/frame/x', 'failure=body')).toEqual([400, 'invalid_path', null]);
  expect(await ask('/api/file/7/frame/0', 'failure=body')).toEqual([404, 'not_found', null]);
  expect(await ask('/api/file/0/frame/9', 'failure=body')).toEqual([404, 'frame_out_of_range', null]);
});

test('a damaged frame has an error message, and its neighbours are still sent', async () => {
  const good = encodeRle(new Uint8Array(Int16Array.of(863, 1064, 1264).buffer), 2, 1);
  const damaged = good.slice(0, 66);
  const PixelData = { fragments: [good, damaged, good] };
  const rle = { transferSyntaxUid: '1.2.840.10008.1.2.5' };
  const server = await serveWith({
    inputs: [writeDicom(ctRow({ NumberOfFrames: '3', PixelData }), rle)],
    memoryBytes: ONE_AT_A_TIME,
  });

  for (let attempt = 0; attempt < 3; attempt++) {
    const { error, ...failure } = await failureOf(server, '/api/file/0/frame/1/raw');
    expect(failure).toEqual({ status: 500, code: 'pixel_decode_failed' });
    expect(error).toMatch(/^frame 1, RLE/);
  }
  for (const frame of [0, 2]) {
    const response = await server.request(`/api/file/0/frame/${frame}`);
    expect(grayOf(new Uint8Array(await response.arrayBuffer()))).toEqual([0, 121, 255]);
  }
  expect(server.errors).toEqual([]);
});

test.each([
  ['deleted', (path: string) => rm(path)],
  ['overwritten', (path: string) => writeFile(path, writeDicom(ctRow({ Rows: 3, Columns: 1 })))],
  ['cut off', (path: string) => truncate(path, 600)],
])('a file that is %s between two requests is gone, but the other files are not', async (_, change) => {
  const folder = createTempFolder();
  const path = join(folder, '0.dcm');
  await writeFile(path, writeDicom(ctRow()));
  await copyFile(path, join(folder, '1.dcm'));
  const server = await serveWith({ inputs: [folder], memoryBytes: ONE_AT_A_TIME });
  expect(await grayLevels(server, 0)).toEqual([0, 121, 255]);

  await change(path);

  for (const address of ['', '?wc=40&ww=400', '/raw', '/thumbnail']) {
    expect(await failureOf(server, `/api/file/0/frame/0${address}`)).toMatchObject({ status: 404, code: 'file_gone' });
  }
  expect(await grayLevels(server, 1)).toEqual([0, 121, 255]);
  expect(server.errors).toEqual([]);
});

async function serveWithDeadlyWorker(folder: string) {
  const file = await bundleWorker(new URL('../support/deadlyWorker.ts', import.meta.url));
  const pool = createWorkerPool({ size: 2, file });
  onTestFinished(async () => {
    await pool.close();
    await rm(new URL('.', file), { recursive: true });
  });
  const frames = createFrames({ tasks: pool, memory: createMemoryAccount(ONE_AT_A_TIME) });
  const server = await serveWith({ inputs: [folder], domains: { frames } });
  return { pool, server };
}

async function failureOf(server: TestServer, url: string) {
  const response = await server.request(url);
  return { status: response.status, ...(await response.json()) };
}

async function grayLevels(server: TestServer, file: number, query = ''): Promise<number[]> {
  const response = await server.request(`/api/file/${file}/frame/0${query}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(Buffer.from(bytes).toString());
  return grayOf(bytes);
}
