import { expect, test } from 'vitest';
import { binOf, countBetween } from './valueBins.ts';

test('the lowest value is in the first bin, the highest one in the last', () => {
  expect([0, 9.99, 10, 39.9, 40].map((value) => binOf([0, 40], 4, value))).toEqual([0, 0, 1, 3, 3]);
  expect(binOf([7, 7], 4, 7)).toBe(0);
});

test('values of whole bins are counted exactly, and those of others by the part of the bin', () => {
  const counts = [10, 20, 30, 40];
  expect(countBetween(counts, [0, 40], [0, 40])).toBe(100);
  expect(countBetween(counts, [0, 40], [-5, 99])).toBe(100);
  expect(countBetween(counts, [0, 40], [10, 30])).toBe(50);
  // Half of the first bin, and a quarter of the second: 5 + 5.
  expect(countBetween(counts, [0, 40], [5, 12.5])).toBe(10);
  expect([countBetween(counts, [0, 40], [41, 50]), countBetween(counts, [0, 40], [30, 10])]).toEqual([0, 0]);
});

test('equal values are counted or not', () => {
  expect(countBetween([5, 0], [7, 7], [0, 7])).toBe(5);
  expect(countBetween([5, 0], [7, 7], [7.1, 8])).toBe(0);
});
