import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pretendSource } from '../../../../test/support/sources.ts';
import { SKIP_REASONS } from '../../../shared/contract/files.ts';
import { createLedger, LEDGER_SIZE } from './ledger.ts';

test('the ledger keeps the most recent entries in order and counts all of them', () => {
  const entry = fc.record({
    path: fc.string(),
    disposition: fc.constantFrom('skipped' as const, 'filtered' as const),
    reason: fc.constantFrom(...SKIP_REASONS),
  });

  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 * LEDGER_SIZE, size: 'max' }), (entries) => {
      const ledger = createLedger();
      for (const added of entries) ledger.add(added);

      const numbered = entries.map((added, id) => ({ id, ...added, has_tags: false }));
      expect(ledger.entries()).toEqual(numbered.slice(-LEDGER_SIZE));
      expect(ledger.count('skipped')).toBe(entries.filter(({ disposition }) => disposition === 'skipped').length);
      expect(ledger.count('filtered')).toBe(entries.filter(({ disposition }) => disposition === 'filtered').length);
      for (const reason of SKIP_REASONS) {
        expect(ledger.totals().get(reason) ?? 0).toBe(entries.filter((added) => added.reason === reason).length);
      }
    }),
  );
});

const ENTRY = fc.record({
  path: fc.string({ maxLength: 300, size: 'max' }),
  disposition: fc.constantFrom('skipped' as const, 'filtered' as const),
  reason: fc.constantFrom('not_dicom' as const, 'unreadable' as const, 'media_file_missing' as const),
  file: fc.option(fc.constant(pretendSource('/a')), { nil: undefined }),
});

test('all entries that exist can be read in parts, by reason and in order, with their files', () => {
  fc.assert(
    fc.property(
      fc.array(ENTRY, { maxLength: 2_000, size: 'max' }),
      fc.integer({ min: 1, max: 700 }),
      (added, limit) => {
        const ledger = createLedger();
        for (const { file, ...entry } of added) ledger.add(file === undefined ? entry : { ...entry, file });

        const all = added.map(({ file, ...entry }, id) => ({ id, ...entry, has_tags: file !== undefined }));
        for (const reason of [undefined, 'not_dicom', 'unreadable', 'media_file_missing'] as const) {
          const expected = (reason === undefined ? SKIP_REASONS : [reason]).flatMap((one) =>
            one === 'media_file_missing' ? [] : all.filter((entry) => entry.reason === one),
          );
          const found = [];
          for (let offset = 0; offset < expected.length; offset += limit) {
            found.push(...ledger.list({ reason, offset, limit }));
          }
          expect(found).toEqual(expected);
          expect(ledger.listed(reason)).toBe(expected.length);
          expect(ledger.list({ reason, offset: expected.length, limit })).toEqual([]);
        }
        const some = [...added.entries()].filter(([id]) => id % 97 === 0);
        const isKept = (id: number) => added[id]!.reason !== 'media_file_missing' || id >= added.length - LEDGER_SIZE;
        expect(some.map(([id]) => ledger.findFile(id))).toEqual(
          some.map(([id, { file }]) => (isKept(id) ? file : undefined)),
        );
      },
    ),
    { numRuns: 5 },
  );
});

test('a part with long paths is shorter, and the next one goes on where it ends', () => {
  const ledger = createLedger();
  const paths = Array.from({ length: 300 }, (_, number) => `/${number}/${'x'.repeat(4_000)}`);
  for (const path of paths) ledger.add({ path, disposition: 'skipped', reason: 'not_dicom' });
  const found: string[] = [];
  const sizes: number[] = [];
  while (found.length < paths.length) {
    const part = ledger.list({ offset: found.length, limit: 1_000 });
    sizes.push(part.length);
    found.push(...part.map(({ path }) => path));
  }
  expect(found).toEqual(paths);
  // 2¹⁸ characters are 66 paths of 4,002 to 4,005.
  expect(Math.max(...sizes)).toBe(66);
});

test('entries beyond the room are counted', () => {
  const ledger = createLedger({ mostBytes: 1_000 });
  for (let number = 0; number < 5_000; number += 1) {
    ledger.add({ path: `/data/${number}.txt`, disposition: 'skipped', reason: 'not_dicom' });
  }
  expect(ledger.listed('not_dicom')).toBeGreaterThan(0);
  expect(ledger.listed('not_dicom') + ledger.unlisted()).toBe(5_000);
  expect(ledger.totals().get('not_dicom')).toBe(5_000);
});

test('the file of an entry is found, however many follow it', () => {
  const ledger = createLedger();
  const file = pretendSource('/a');
  const text = { path: '/text', disposition: 'skipped', reason: 'not_dicom' } as const;
  ledger.add(text);
  ledger.add({ path: '/a', disposition: 'skipped', reason: 'media_directory', file });

  expect(ledger.entries().map(({ has_tags }) => has_tags)).toEqual([false, true]);
  expect([0, 1, 2, 1 + LEDGER_SIZE].map((id) => ledger.findFile(id))).toEqual([undefined, file, undefined, undefined]);
  for (let i = 0; i < 2_000; i++) ledger.add(text);
  expect(ledger.findFile(1)).toEqual(file);
});
