import * as fc from 'fast-check';
import { expect, test } from 'vitest';
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

      expect(ledger.entries()).toEqual(entries.slice(-LEDGER_SIZE));
      expect(ledger.count('skipped')).toBe(entries.filter(({ disposition }) => disposition === 'skipped').length);
      expect(ledger.count('filtered')).toBe(entries.filter(({ disposition }) => disposition === 'filtered').length);
      for (const reason of SKIP_REASONS) {
        expect(ledger.totals().get(reason) ?? 0).toBe(entries.filter((added) => added.reason === reason).length);
      }
    }),
  );
});
