import { appendFileSync, chmodSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { asOrdinaryUser, createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { sourceOf } from '../../../../test/support/sources.ts';
import { changeMarkOf, placeOf, sizeOf, stateOf, streamSame, withSame } from './origins.ts';
import { packSource, unpackSource } from './sourceColumns.ts';

test('data read while the file is being written is not used', () => {
  const { path, source } = writeKnown('before');

  const read = () =>
    withSame(source, (opened) => {
      const bytes = opened.read(0, 3).slice();
      appendFileSync(path, ' and after');
      return bytes;
    });

  expect(read).toThrow(expect.objectContaining({ code: 'file_gone' }));
});

test('a file that is removed while it is open is read to its end', () => {
  const { path, source } = writeKnown('all of it');

  const text = withSame(source, (opened) => {
    rmSync(path);
    return Buffer.from(opened.read(0, 100)).toString();
  });

  expect(text).toBe('all of it');
});

test('a file that may not be read is refused as such, and is read again once it may', () => {
  const { path, source } = writeKnown('secret');
  const read = () => asOrdinaryUser(() => withSame(source, (opened) => opened.size));
  chmodSync(path, 0o000);
  expect(read).toThrow(expect.objectContaining({ code: 'file_read_failed' }));

  chmodSync(path, 0o644);

  expect(read()).toBe(6);
});

test('a file is the same until it changes, and gone when it does', async () => {
  const changed = writeKnown('content');
  const removed = writeKnown('content');
  const before = await stateOf(changed.source);
  // After this the type of the disk is known, and the file is checked synchronously.
  await statfs(changed.path);
  expect(await stateOf(changed.source)).toBe(before);
  expect(withSame(changed.source, ({ state }) => state)).toBe(before);

  utimesSync(changed.path, 1, 1);
  rmSync(removed.path);

  const failures = await Promise.all(
    [changed, removed].map(({ source }) => stateOf(source).catch((error: unknown) => error)),
  );
  expect(failures).toMatchObject([
    { code: 'file_gone', message: 'the file has changed since it was scanned' },
    { code: 'file_gone', message: 'the file no longer exists' },
  ]);
});

test('a file that was written to and whose time was put back is in another state: nothing kept of it is used', async () => {
  const { path } = writeKnown('before');
  utimesSync(path, 1, 1);
  const source = sourceOf(path);
  const before = await stateOf(source);
  // The clock of the file system advances only every few milliseconds.
  await wait(30);

  writeFileSync(path, 'after!');
  utimesSync(path, 1, 1);

  expect(await stateOf(source)).not.toBe(before);
  expect(withSame(source, ({ state }) => state)).not.toBe(before);
});

test('a file is sent as it was scanned, and not when another one is in its place', async () => {
  const { path, source } = writeKnown('all of it');
  const stream = await streamSame(source);
  const pieces = [];
  for await (const piece of stream.bytes({ start: 4, end: 9 })) pieces.push(...piece);
  await stream.close();
  expect(Buffer.from(pieces).toString()).toBe('of it');

  renameSync(writeKnown('not that!').path, path);

  await expect(streamSame(source)).rejects.toMatchObject({ code: 'file_gone' });
});

test('a file that is written to while it is sent ends in an error', async () => {
  const { path, source } = writeKnown('all of it');
  const stream = await streamSame(source);
  appendFileSync(path, ' and more');

  await expect(stream.bytes({ start: 0, end: 9 }).next()).rejects.toMatchObject({ code: 'file_gone' });
  await stream.close();
});

test('a source is identified by its place, its size and a mark of its last change', () => {
  const { path, source } = writeKnown('content');

  expect([placeOf(source), sizeOf(source), changeMarkOf(source)]).toEqual([path, 7, statSync(path).mtimeMs]);
});

test('a source is stored in columns and sent to threads unchanged, whatever its path label says', () => {
  const { path, source } = writeKnown('content');

  for (const label of [path, '/elsewhere']) {
    const packed = packSource(source, label);
    expect(packed.text).toBe(label === path ? undefined : path);
    expect(unpackSource(structuredClone(packed), { path: label, size: sizeOf(source) })).toEqual(source);
  }
});

function writeKnown(text: string) {
  const path = writeBelow(createTempFolder(), 'file', text);
  chmodSync(dirname(path), 0o755);
  return { path, source: sourceOf(path) };
}
