import { execFileSync } from 'node:child_process';
import { appendFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { identityOf, isSameFile, openFile } from './openFile.ts';

const KIB = 1024;

function openPath(realPath: string) {
  return openFile({ kind: 'file', realPath });
}

function identityAt(path: string) {
  return identityOf(statSync(path));
}

function writeNumbered(length: number): { path: string; bytes: Uint8Array } {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 256);
  return { path: writeBelow(createTempFolder(), 'numbered', bytes), bytes };
}

describe('a file source', () => {
  test('reads 8 KiB at first and answers from them', () => {
    const { path, bytes } = writeNumbered(100 * KIB);
    const source = openPath(path);

    expect(source.read(0, 132)).toEqual(bytes.subarray(0, 132));
    expect(source.read(4000, 4000)).toEqual(bytes.subarray(4000, 8000));
    expect([source.reads, source.bytesRead]).toEqual([1, 8 * KIB]);
    source.close();
  });

  test('skips bytes that are not requested', () => {
    const { path, bytes } = writeNumbered(10 * KIB * KIB);
    const source = openPath(path);
    source.read(0, 10);

    expect(source.read(9 * KIB * KIB, 100)).toEqual(bytes.subarray(9 * KIB * KIB, 9 * KIB * KIB + 100));
    expect([source.reads, source.bytesRead]).toEqual([2, 16 * KIB]);
    source.close();
  });

  test('takes longer steps while reading goes straight ahead', () => {
    const { path } = writeNumbered(1000 * KIB);
    const source = openPath(path);
    for (let position = 0; position < 1000 * KIB; position += 100) source.read(position, 100);

    // Windows of 8, 16, 32 and then 64 KiB, with the few bytes that are cut by the end of a window read twice.
    expect(source.reads).toBeLessThan(20);
    expect(source.bytesRead).toBeLessThan(1010 * KIB);
    source.close();
  });

  test('returns the bytes that exist, and nothing beyond the end', () => {
    const { path, bytes } = writeNumbered(1000);
    const source = openPath(path);

    expect(source.read(990, 100)).toEqual(bytes.subarray(990));
    expect(source.read(5000, 100)).toHaveLength(0);
    expect(source.read(0, 4_000_000_000)).toEqual(bytes);
    expect(source.peek(10, 1)).toEqual(bytes.subarray(10));
    source.close();
  });

  test('refuses a folder, and the target of a symbolic link', () => {
    const folder = createTempFolder();
    const path = writeBelow(folder, 'file', 'x');
    symlinkSync(path, join(folder, 'link'));

    expect(() => openPath(folder)).toThrow('not a regular file');
    expect(() => openPath(join(folder, 'link'))).toThrow('ELOOP');
  });

  test('does not wait for a writer at a FIFO', () => {
    const path = join(createTempFolder(), 'fifo');
    execFileSync('mkfifo', [path]);

    expect(() => openPath(path)).toThrow('not a regular file');
  });

  test('detects that a file has changed', () => {
    const path = writeBelow(createTempFolder(), 'file', 'before');
    const before = identityAt(path);
    expect(isSameFile(before, identityAt(path))).toBe(true);

    appendFileSync(path, 'x');
    const longer = identityAt(path);
    expect(isSameFile(before, longer)).toBe(false);

    utimesSync(path, 1, 1);
    expect(isSameFile(longer, identityAt(path))).toBe(false);
  });

  test('throws when it is read after closing', () => {
    const source = openPath(writeNumbered(100).path);
    source.close();
    expect(() => source.read(0, 1)).toThrow('closed');
  });
});
