import { appendFileSync, chmodSync, linkSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ReadEvent, readEvents } from '../support/readEvents.ts';
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
const SOON = { timeout: 60_000, interval: 100 };

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

test('a file that takes the place of another with an old date is listed; one that is only linked or renamed to itself is not', async () => {
  const { folder, read } = await watchFolder();
  const old = new Date('2001-02-03');
  const replacement = writeBelow(createTempFolder(), 'x', writeSlice({ number: 4 }));
  utimesSync(replacement, old, old);
  chmodSync(join(folder, 'sub/b'), 0o600);
  linkSync(join(folder, 'sub/b'), join(folder, 'sub/link'));
  renameSync(join(folder, 'sub/b'), join(folder, 'moved'));
  renameSync(join(folder, 'moved'), join(folder, 'sub/b'));

  renameSync(replacement, join(folder, 'a'));

  const sorted = async () => {
    const { shown, gone } = await read();
    return { shown: shown.toSorted(), gone };
  };
  await expect.poll(sorted, SOON).toEqual({ shown: ['a', 'a', 'sub/b', 'sub/link'], gone: [0] });
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

test('the files of an archive vanish with it, and those of a folder that has its name do not', async () => {
  const folder = createTempFolder();
  const inner = writeZip([{ name: 'deep', bytes: writeSlice({ number: 2 }) }]);
  const members = [
    { name: 'one', bytes: writeSlice({ number: 1 }) },
    { name: 'inner.zip', bytes: inner },
  ];
  const archive = writeBelow(folder, 'x.zip', writeZip(members));
  writeBelow(folder, 'x.zip!/kept', writeSlice({ number: 3 }));
  writeBelow(folder, 'y.zip', writeZip([{ name: 'one', bytes: writeSlice({ number: 4 }) }]));
  const server = await serveWith({ inputs: [folder], catalog: { watch: { pollMs: 100 } } });
  const { files } = server.catalog;
  const gone = () => server.catalog.snapshot().goneFiles.map((index) => files[index]!.path.slice(folder.length + 1));
  expect(files).toHaveLength(4);

  rmSync(archive);

  await expect.poll(() => gone().toSorted(), SOON).toEqual(['x.zip!/inner.zip!/deep', 'x.zip!/one']);
});

const progress = (scanned: number) => ({ name: 'progress', data: { scanned, skipped: 0, filtered: 0 } });
const revision = (number: number) => ({ name: 'revision', data: { revision: number } });
const isRevision = (number: number) => (event: ReadEvent) => JSON.stringify(event) === JSON.stringify(revision(number));

test('a client of the events is told of a new, a replaced and a vanished file, in this order', async () => {
  const { folder, server, read } = await watchFolder(100);
  const leaving = new AbortController();
  const events = readEvents(await server.request('/api/events', { signal: leaving.signal }));
  /** The events up to the first one that satisfies this. */
  const readUntil = async (isLast: (event: ReadEvent) => boolean) => {
    const found: ReadEvent[] = [];
    for (let step = await events.next(); step.done !== true; step = await events.next()) {
      found.push(step.value);
      if (isLast(step.value)) break;
    }
    return found;
  };
  await readUntil(({ name }) => name === 'scan_complete');

  writeBelow(folder, 'c', writeSlice({ number: 2 }));
  expect(await readUntil(isRevision(3))).toEqual([progress(3), revision(3)]);
  expect(await read()).toEqual({ shown: ['a', 'sub/b', 'c'], gone: [] });

  renameSync(writeBelow(createTempFolder(), 'x', writeSlice({ number: 3 })), join(folder, 'a'));
  const replaced = await readUntil(isRevision(4));
  expect(replaced.slice(-2)).toEqual([progress(4), revision(4)]);
  // That the old file is gone may be told before the new one is read.
  expect(replaced.slice(0, -2).filter((event) => !isRevision(3)(event))).toEqual([]);
  expect(await read()).toEqual({ shown: ['a', 'sub/b', 'c', 'a'], gone: [0] });

  rmSync(join(folder, 'sub/b'));
  // The list is as long as before; a client asks for it again because of the event.
  expect(await readUntil(isRevision(4))).toEqual([revision(4)]);
  expect(await read()).toEqual({ shown: ['a', 'sub/b', 'c', 'a'], gone: [0, 1] });
  leaving.abort();
});
