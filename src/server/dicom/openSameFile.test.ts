import { appendFileSync, chmodSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { asOrdinaryUser, createTempFolder, writeBelow } from '../../../test/support/tempFolder.ts';
import { openFileSource } from './byteSource.ts';
import { type KnownFile, withSameFile } from './openSameFile.ts';

test('what was read while somebody wrote to the file is not used', () => {
  const file = writeKnown('before');

  const read = () =>
    withSameFile(file, (source) => {
      const bytes = source.read(0, 3).slice();
      appendFileSync(file.path, ' and after');
      return bytes;
    });

  expect(read).toThrow(expect.objectContaining({ code: 'file_gone' }));
});

test('a file that is removed while it is open is read to its end', () => {
  const file = writeKnown('all of it');

  const text = withSameFile(file, (source) => {
    rmSync(file.path);
    return Buffer.from(source.read(0, 100)).toString();
  });

  expect(text).toBe('all of it');
});

test('a file that may not be read is refused as such, and is read again once it may', () => {
  const file = writeKnown('secret');
  const read = () => asOrdinaryUser(() => withSameFile(file, (source) => source.size));
  chmodSync(file.path, 0o000);
  expect(read).toThrow(expect.objectContaining({ code: 'file_read_failed' }));

  chmodSync(file.path, 0o644);

  expect(read()).toBe(6);
});

function writeKnown(text: string): KnownFile {
  const path = writeBelow(createTempFolder(), 'file', text);
  chmodSync(dirname(path), 0o755);
  const source = openFileSource(path);
  source.close();
  return { path, identity: source.identity };
}
