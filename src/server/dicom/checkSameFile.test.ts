import { rmSync, statSync, utimesSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createTempFolder, writeBelow } from '../../../test/support/tempFolder.ts';
import { checkSameFile, createFileCheck } from './checkSameFile.ts';
import type { KnownFile } from './openSameFile.ts';

test.each([
  ['by those who ask seldom', () => checkSameFile],
  ['by those who ask often, at first', createFileCheck],
  ['by those who ask often, when the kind of disk is known', createUsedCheck],
])('a file is the same until it changes, and gone when it does: asked %s', async (_, createCheck) => {
  const check = await createCheck();
  const changed = writeKnownFile();
  const removed = writeKnownFile();
  expect(await check(changed)).toBe(await check(changed));

  utimesSync(changed.path, 1, 1);
  rmSync(removed.path);

  const failures = await Promise.all([changed, removed].map((file) => check(file).catch((error: unknown) => error)));
  expect(failures).toMatchObject([
    { code: 'file_gone', message: 'the file has changed since it was scanned' },
    { code: 'file_gone', message: 'the file is no longer there' },
  ]);
});

async function createUsedCheck(): Promise<typeof checkSameFile> {
  const check = createFileCheck();
  const file = writeKnownFile();
  await check(file);
  // It has asked the same before.
  await statfs(file.path);
  return check;
}

function writeKnownFile(): KnownFile {
  const path = writeBelow(createTempFolder(), 'file.dcm', 'content');
  const { dev, ino, size, mtimeMs } = statSync(path);
  return { path, identity: { dev, ino, size, mtimeMs } };
}
