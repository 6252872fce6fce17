import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../../../../test/support/tempFolder.ts';
import { createDiskRanges } from './diskRanges.ts';

const OBJECT = { place: 'https://host s3://bucket/', key: 'a/b.dcm', state: { mark: '"etag"', size: 100_000 } };
/** Each place has its own byte. */
const CONTENT = Uint8Array.from({ length: OBJECT.state.size }, (_, at) => at % 251);

function openRanges(folder: string, mostBytes = 2 ** 20) {
  const troubles: string[] = [];
  const ranges = createDiskRanges({
    folder,
    mostBytes,
    mostWaitingBytes: 2 ** 20,
    onTrouble: (message) => troubles.push(message),
  });
  return { ranges, troubles, below: join(folder, 'negato-ranges-1') };
}

test('a part of a range is found by a later run, for the same object in the same state only', async () => {
  const folder = createTempFolder();
  const { ranges } = openRanges(folder);
  ranges.add(OBJECT, 1_000, CONTENT.subarray(1_000, 3_000));
  await ranges.settle();

  const later = openRanges(folder).ranges;

  expect(await later.find(OBJECT, { from: 1_500, to: 2_500 })).toEqual(CONTENT.slice(1_500, 2_500));
  expect(await later.find(OBJECT, { from: 999, to: 2_500 })).toBeUndefined();
  expect(await later.find(OBJECT, { from: 1_500, to: 3_001 })).toBeUndefined();
  for (const other of [
    { ...OBJECT, place: 'https://other s3://bucket/' },
    { ...OBJECT, key: 'a/c.dcm' },
    { ...OBJECT, state: { ...OBJECT.state, mark: '"changed"' } },
    { ...OBJECT, state: { ...OBJECT.state, size: 99_999 } },
  ]) {
    expect(await later.find(other, { from: 1_500, to: 2_500 })).toBeUndefined();
  }
});

test('whatever was added, the bytes found are those of the object, and a range that was added is found', async () => {
  const span = fc
    .tuple(fc.nat({ max: 2_000 }), fc.integer({ min: 1, max: 500 }))
    .map(([from, length]) => ({ from, to: from + length }));
  await fc.assert(
    fc.asyncProperty(fc.array(span, { maxLength: 6 }), span, async (added, wanted) => {
      const { ranges } = openRanges(createTempFolder());
      for (const { from, to } of added) ranges.add(OBJECT, from, CONTENT.subarray(from, to));
      await ranges.settle();
      const isThere = added.some(({ from, to }) => from <= wanted.from && wanted.to <= to);

      expect(await ranges.find(OBJECT, wanted)).toEqual(isThere ? CONTENT.slice(wanted.from, wanted.to) : undefined);
    }),
    { numRuns: 20 },
  );
});

test('a file that was changed or cut is not used, and removed', async () => {
  const folder = createTempFolder();
  const { ranges, below } = openRanges(folder);
  ranges.add(OBJECT, 0, CONTENT.subarray(0, 1_000));
  ranges.add(OBJECT, 5_000, CONTENT.subarray(5_000, 6_000));
  await ranges.settle();
  for (const name of readdirSync(below)) {
    const bytes = readFileSync(join(below, name));
    bytes[500]! ^= 1;
    writeFileSync(join(below, name), name.endsWith('-1000') ? bytes : bytes.subarray(0, 900));
  }

  expect(await ranges.find(OBJECT, { from: 0, to: 10 })).toBeUndefined();
  expect(await ranges.find(OBJECT, { from: 5_000, to: 5_010 })).toBeUndefined();
  expect(readdirSync(below)).toEqual([]);
});

test('the folder stays within its limit, and what was not used for the longest time leaves first', async () => {
  const folder = createTempFolder();
  const { ranges, below } = openRanges(folder, 10_000);
  const isFound = async (number: number) =>
    (await ranges.find(OBJECT, { from: number * 2_000, to: number * 2_000 + 1 })) !== undefined;
  for (let number = 0; number < 7; number += 1) {
    ranges.add(OBJECT, number * 2_000, CONTENT.subarray(number * 2_000, number * 2_000 + 2_000));
    await ranges.settle();
    // The first one is used again and again.
    expect(await isFound(0)).toBe(true);
  }

  // Four ranges of 2,000 bytes and a hash of 32 bytes each.
  expect(await Promise.all([0, 1, 2, 3, 4, 5, 6].map(isFound))).toEqual([true, false, false, false, true, true, true]);
  const sizes = readdirSync(below).map((name) => statSync(join(below, name)).size);
  expect(sizes).toEqual([2_032, 2_032, 2_032, 2_032]);
});

test('only the user can read the files', async () => {
  const folder = createTempFolder();
  const { ranges, below } = openRanges(folder);
  ranges.add(OBJECT, 0, CONTENT.subarray(0, 10));
  await ranges.settle();

  const [name] = readdirSync(below);
  expect([statSync(below), statSync(join(below, name!))].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
});

test('a folder that others can enter is not used, which is said once', async () => {
  const folder = createTempFolder();
  const { below } = { below: join(folder, 'negato-ranges-1') };
  mkdirSync(below);
  chmodSync(below, 0o755);
  const { ranges, troubles } = openRanges(folder);
  ranges.add(OBJECT, 0, CONTENT.subarray(0, 10));
  await ranges.settle();

  expect(await ranges.find(OBJECT, { from: 0, to: 1 })).toBeUndefined();
  expect(troubles).toEqual([
    `the folder of --cache-dir is not used: other users can access the folder; run chmod 700 ${below}`,
  ]);
  expect(readdirSync(below)).toEqual([]);
});
