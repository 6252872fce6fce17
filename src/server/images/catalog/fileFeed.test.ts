import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeSlice } from '../../../../test/support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { createCatalog } from './catalog.ts';
import { localFile } from '../../bytes/origins/origins.ts';
import { createFileFeed } from './fileFeed.ts';
import type { WalkAnswer } from './scanMessages.ts';

const fileAt = (path: string) => ({ path, ref: localFile(path) });

test('a feed answers as soon as it has a file, never with more than was asked for, and says when none follows', async () => {
  const feed = createFileFeed();
  const answers: WalkAnswer[] = [];
  const walk = feed.startWalk((answer) => answers.push(answer));

  walk.request(2);
  await setImmediate();
  expect(answers).toEqual([]);
  feed.add(fileAt('/a'));
  feed.add(fileAt('/b'));
  feed.add(fileAt('/c'));
  feed.add(fileAt('/d'));
  walk.request(2);
  await setImmediate();
  feed.end();
  walk.request(2);
  await setImmediate();

  expect(answers).toEqual([
    { entries: [fileAt('/a')], done: false },
    { entries: [fileAt('/b'), fileAt('/c')], done: false },
    { entries: [fileAt('/d')], done: true },
  ]);
});

test('the catalog lists the files of a feed while more are to come', async () => {
  const folder = createTempFolder();
  const feed = createFileFeed();
  const catalog = createCatalog({ inputs: [folder], feed });
  catalog.start();
  const write = (name: string, number: number) => fileAt(writeBelow(folder, name, writeSlice({ number })));

  feed.add(write('b.dcm', 0));
  await expect.poll(() => catalog.progress).toMatchObject({ scanned: 1, scanComplete: false });
  feed.add(write('a.dcm', 1));
  feed.end();

  expect(await catalog.scanComplete).toBe('complete');
  // In the order in which they were added, not in the order of their names.
  expect(catalog.files.map(({ path }) => path.slice(folder.length + 1))).toEqual(['b.dcm', 'a.dcm']);
});

test('a feed that never ends does not keep a catalog from being cancelled', async () => {
  const catalog = createCatalog({ inputs: [], feed: createFileFeed() });
  catalog.start();
  await catalog.cancel();
  expect(await catalog.scanComplete).toBe('cancelled');
});
