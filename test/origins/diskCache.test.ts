import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { type Fault, serveObjects } from '../support/objectServer.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SECRET = 'c4n4ry';
const SAMPLES = Uint16Array.from({ length: 256 * 256 }, (_, at) => at & 0xfff);

/** Images whose frame is longer than what the scan reads. */
function writeImages(...names: readonly string[]): string {
  const folder = createTempFolder();
  for (const [at, name] of names.entries()) {
    const elements = ctElements({ SOPInstanceUID: `2.25.${at + 1}`, Rows: 256, Columns: 256, PixelData: SAMPLES });
    writeBelow(folder, name, writeDicom(elements));
  }
  return folder;
}

const listKept = (folder: string) =>
  readdirSync(join(folder, 'negato-ranges-1')).filter((name) => !name.startsWith('draft-'));
/** Until a range is kept that is long enough to have the frame. */
const waitForFrame = (folder: string) =>
  vi.waitFor(() => expect(listKept(folder).some((name) => Number(name.split('-')[2]) > 100_000)).toBe(true), 20_000);

test('a later run shows a frame without receiving it again, until the object changes; the folder has no secrets', async () => {
  const stored = writeImages('a.dcm');
  const cacheFolder = createTempFolder();
  const objects = await serveObjects(stored);
  const input = `${objects.url.replace('//', `//user:${SECRET}@`)}/web/a.dcm?X-Amz-Signature=${SECRET}`;
  const run = async () => {
    const before = objects.requests.length;
    const server = await serveWith({ inputs: [input], remote: { cacheFolder } });
    const response = await server.request('/api/file/0/frame/0/raw');
    const samples = new Uint8Array(await response.bytes());
    await waitForFrame(cacheFolder);
    await server.close();
    const ranges = objects.requests.slice(before).map(({ headers }) => headers.range ?? '');
    // The scan reads the first 32 KiB. The frame ends 131,072 bytes after its beginning.
    return { samples, hasAskedForFrame: ranges.some((range) => Number(range.split('-')[1]) > 100_000) };
  };

  const first = await run();
  const second = await run();
  SAMPLES[65_535] = 1;
  writeBelow(stored, 'a.dcm', readFileSync(join(writeImages('b.dcm'), 'b.dcm')));
  const third = await run();

  expect([first, second, third].map(({ hasAskedForFrame }) => hasAskedForFrame)).toEqual([true, false, true]);
  expect(second.samples).toEqual(first.samples);
  expect(third.samples).toEqual(new Uint8Array(SAMPLES.buffer));
  for (const name of listKept(cacheFolder)) {
    const bytes = readFileSync(join(cacheFolder, 'negato-ranges-1', name));
    expect(name + bytes.toString('latin1')).not.toMatch(/c4n4ry|a\.dcm|127\.0\.0\.1/);
  }
});

const forbid: Fault = (request, response) => {
  if (request.url?.endsWith('/0.dcm') === true) response.setHeader('Cache-Control', 'private, No-Store');
  return undefined;
};

test('what a server forbids to store is not stored', async () => {
  const cacheFolder = createTempFolder();
  const objects = await serveObjects(writeImages('0.dcm', '1.dcm'), { fault: forbid });
  const server = await serveWith({ inputs: [`${objects.url}/web/`], remote: { cacheFolder } });

  // Ranges are written in the order in which they were read.
  for (const file of [0, 1]) expect((await server.request(`/api/file/${file}/frame/0/raw`)).status).toBe(200);
  await waitForFrame(cacheFolder);

  expect(new Set(listKept(cacheFolder).map((name) => name.slice(0, 64))).size).toBe(1);
});
