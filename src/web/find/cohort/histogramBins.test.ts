import { expect, test } from 'vitest';
import { chooseBins, rangeOfBins } from './histogramBins.ts';

// 40 bins of 0.25 each.
const histogram = { min: 1, max: 11, counts: Array.from({ length: 40 }, () => 1) };

test('a drag in either direction chooses the bins between its ends', () => {
  const begun = { from: 7, first: 7, last: 7 };
  expect(chooseBins(begun, 9)).toEqual({ from: 7, first: 7, last: 9 });
  expect(chooseBins(begun, 2)).toEqual({ from: 7, first: 2, last: 7 });
});

test('bins become the numbers at their edges, and all bins all numbers', () => {
  expect(rangeOfBins({ from: 4, first: 4, last: 7 }, histogram)).toEqual({ low: 2, high: 3 });
  expect(rangeOfBins({ from: 0, first: 0, last: 39 }, { ...histogram, min: 0.123456, max: 7.654321 })).toEqual({
    low: 0.123456,
    high: 7.654321,
  });
});
