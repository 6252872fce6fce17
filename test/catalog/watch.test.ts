import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeZip } from '../support/writeArchive.ts';

type List = { files: { path: string }[]; gone: number[]; revision: number };

async function watchFolder(pollMs?: number) {
  const folder = createTempFolder();
  writeBelow(folder, 'a', writeSlice({ number: 0 }));
  writeBelow(folder, 'sub/b', writeSlice({ number: 1 }));
  const server = await serveWith({ inputs: [folder], catalog: { watch: { pollMs } } });
  const read = async () => {
    const { files, gone }: List = await (await server.request('/api/files')).json();
    return { shown: files.map(({ path }) => path.slice(folder.length + 1)), gone };
  };
  return { folder, server, read };
}

/** Long enough for a busy machine; nothing is said about how long it takes. */
const SOON = { timeout: 30_000, interval: 100 };

test.each([
  ['reported by the system', undefined],
  ['found by looking', 100],
])('files that appear, are replaced and vanish are listed, %s', async (_how, pollMs) => {
  const { folder, server, read } = await watchFolder(pollMs);
  expect(await read()).toEqual({ shown: ['a', 'sub/b'], gone: [] });

  writeBelow(folder, 'sub/new/c', writeSlice({ number: 2 }));
  await expect.poll(read, SOON).toEqual({ shown: ['a', 'sub/b', 'sub/new/c'], gone: [] });

  // Another file takes the place of the first, in one step.
  const replacement = writeBelow(createTempFolder(), 'x', writeSlice({ number: 3 }));
  renameSync(replacement, join(folder, 'a'));
  await expect.poll(read, SOON).toEqual({ shown: ['a', 'sub/b', 'sub/new/c', 'a'], gone: [0] });
  expect(await (await server.request('/api/file/0/tags')).json()).toMatchObject({ code: 'file_gone' });
  expect((await server.request('/api/file/3/frame/0')).status).toBe(200);

  rmSync(join(folder, 'sub'), { recursive: true });
  await expect.poll(read, SOON).toEqual({ shown: ['a', 'sub/b', 'sub/new/c', 'a'], gone: [0, 1, 2] });
});

test('a file is not listed while it is being written, and an archive is listed with its files', async () => {
  const { folder, read } = await watchFolder();
  const bytes = writeSlice({ number: 5 });
  const path = join(folder, 'slow');
  let isTakenEarly = false;
  let writtenMs = performance.now();
  writeFileSync(path, bytes.subarray(0, 100));
  for (let at = 100; at < bytes.length; at += 200) {
    await wait(200);
    const { shown } = await read();
    // A file that rests for a second counts as complete, and a busy machine may make such a pause.
    const hasRested = performance.now() - writtenMs > 900;
    isTakenEarly ||= shown.includes('slow') && !hasRested;
    appendFileSync(path, bytes.subarray(at, at + 200));
    writtenMs = performance.now();
  }
  expect(isTakenEarly).toBe(false);
  const last = async () => (await read()).shown.at(-1);
  await expect.poll(last, SOON).toBe('slow');

  const before = (await read()).shown.length;
  writeBelow(folder, 'later/x.zip', writeZip([{ name: 'y', bytes: writeSlice({ number: 6 }) }]));
  await expect.poll(last, SOON).toBe('later/x.zip!/y');
  rmSync(join(folder, 'later/x.zip'));
  await expect.poll(async () => (await read()).gone.at(-1), SOON).toBe(before);
});
