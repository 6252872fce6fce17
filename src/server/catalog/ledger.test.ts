import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pretendSource } from '../../../test/support/sources.ts';
import { SKIP_REASONS } from '../../shared/contract/files.ts';
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

test('the file of an entry is found as long as the entry is kept', () => {
  const ledger = createLedger();
  const file = pretendSource('/a');
  const text = { path: '/text', disposition: 'skipped', reason: 'not_dicom' } as const;
  ledger.add(text);
  ledger.add({ path: '/a', disposition: 'skipped', reason: 'media_directory', file });

  expect(ledger.entries().map(({ has_tags }) => has_tags)).toEqual([false, true]);
  expect([0, 1, 2, 1 + LEDGER_SIZE].map((id) => ledger.findFile(id))).toEqual([undefined, file, undefined, undefined]);
  for (let i = 0; i < LEDGER_SIZE; i++) ledger.add(text);
  expect(ledger.findFile(1)).toBeUndefined();
});
