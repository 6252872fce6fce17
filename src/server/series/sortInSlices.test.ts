import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { doAtOnce } from './slices.ts';
import { sortInSlices } from './sortInSlices.ts';

test('the order is that of a stable sort, however many entries there are', () => {
  // Few values over more than three runs of 1024, so that equal ones meet in every merge.
  const values = fc.array(fc.nat({ max: 50 }), { minLength: 0, maxLength: 5000, size: 'max' });
  fc.assert(
    fc.property(values, (keys) => {
      const compare = (a: number, b: number) => keys[a]! - keys[b]!;
      const expected = keys.map((_, index) => index).toSorted(compare);
      expect([...doAtOnce(sortInSlices(keys.length, compare))]).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test('of 100,000 entries never more than a small part is compared before others have their turn', () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
  let compared = 0;
  let most = 0;
  const work = sortInSlices(keys.length, (a, b) => {
    compared += 1;
    return keys[a]! - keys[b]!;
  });
  for (let step = work.next(); step.done !== true; step = work.next()) {
    most = Math.max(most, compared);
    compared = 0;
  }
  // A run of 1024 takes at most about 1024 * 10 comparisons: log2(1024) = 10.
  expect(most).toBeLessThanOrEqual(1024 * 10);
});
