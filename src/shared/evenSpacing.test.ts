import { expect, test } from 'vitest';
import { evenSpacingOf } from './evenSpacing.ts';

/** As a file has them. */
function rounded(count: number, spacingMm: number, digits: number): number[] {
  return Array.from({ length: count }, (_, n) => Number((-100 + n * spacingMm).toFixed(digits)));
}

test('positions that are rounded to hundredths are evenly spaced by the mean of their distances', () => {
  // Distances are 0.7 and 0.71; 99 x 0.703125 = 69.609375, so the ends are at -100 and -30.39.
  expect(evenSpacingOf(rounded(100, 0.703125, 2))).toBeCloseTo(69.61 / 99, 9);
  expect(evenSpacingOf(rounded(100, 0.703125, 2).toReversed())).toBeCloseTo(-69.61 / 99, 9);
});

test('distances that differ by up to a hundredth of themselves are even, others are not', () => {
  expect(evenSpacingOf([0, 5, 10.02])).toBeCloseTo(5.01, 9);
  expect(evenSpacingOf([0, 5, 10.2])).toBeUndefined();
  expect(evenSpacingOf([0, 2, 4, 8])).toBeUndefined();
});

test('positions may be left out if it is known how many', () => {
  expect(evenSpacingOf([0, 2, 8, 10], [1, 3, 1])).toBe(2);
  expect(evenSpacingOf([0, 2, 8, 10], [1, 2, 1])).toBeUndefined();
});

test('one position, and positions that are no numbers, have no spacing', () => {
  expect(evenSpacingOf([5])).toBeUndefined();
  expect(evenSpacingOf([0, NaN, 2])).toBeUndefined();
});
