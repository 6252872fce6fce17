import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRowAt, stackHeights } from './virtualRows.ts';

test('rows lie below each other', () => {
  expect([...stackHeights([10, 20, 5])]).toEqual([0, 10, 30, 35]);
});

test.each([
  [-5, 0],
  [0, 0],
  [9.9, 0],
  [10, 1],
  [29, 1],
  [30, 2],
  [999, 2],
])('at %d px is row %d', (y, row) => {
  expect(findRowAt(stackHeights([10, 20, 5]), y)).toBe(row);
});

test('the row that is found holds the point', () => {
  const heights = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
  fc.assert(
    fc.property(heights, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (rows, part) => {
      const tops = stackHeights(rows);
      const y = part * (tops.at(-1) ?? 0);
      const row = findRowAt(tops, y);
      expect(tops[row]).toBeLessThanOrEqual(y);
      expect(tops[row + 1]).toBeGreaterThan(y);
    }),
  );
});
