import { assert, maxSafeNat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { groupDigits } from './groupDigits.ts';

test('whole numbers are written as English writes them', () => {
  assert(
    property(maxSafeNat(), (count) => {
      expect(groupDigits(count)).toBe(count.toLocaleString('en'));
    }),
  );
});
