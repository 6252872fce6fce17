import { expect, test } from 'vitest';
import { NO_RESCALE, toRescale } from '../modality.ts';
import { markRange, rangeAround } from './markRange.ts';

test('values are those of the modality, and both ends of the range are in it', () => {
  const samples = Int16Array.of(0, 10, 20, 30);
  const state = new Uint8Array(4);
  // 2 × sample − 20: −20, 0, 20, 40.
  markRange(samples, toRescale(2, -20), { low: 0, high: 20 }, state);
  expect([...state]).toEqual([0, 1, 1, 0]);
  markRange(samples, NO_RESCALE, { low: 20, high: 30 }, state);
  expect([...state]).toEqual([0, 0, 1, 1]);
});

test('the first range is the mean of 5 × 5 values and 2.5 deviations to both sides', () => {
  // Columns 0 to 4 have these values in every row: their mean is 4, their variance (16 + 4 + 0 + 4 + 16) / 5 = 8.
  const columns = [0, 2, 4, 6, 8];
  const size = { columns: 5, rows: 9 };
  const { low, high, deviation } = rangeAround((at) => columns[at % 5]!, size, [2, 4]);
  expect(deviation).toBeCloseTo(Math.sqrt(8), 12);
  expect(low).toBeCloseTo(4 - 2.5 * Math.sqrt(8), 12);
  expect(high).toBeCloseTo(4 + 2.5 * Math.sqrt(8), 12);
});

test('a value that is far from all around it is in its own range', () => {
  const size = { columns: 5, rows: 5 };
  // One of 25 values is 100: mean 4, deviation √(96² + 24 × 4²)/5 = 19.6, so 2.5 of them end at 53.
  const { low, high } = rangeAround((at) => (at === 12 ? 100 : 0), size, [2, 2]);
  expect(high).toBe(100);
  expect(low).toBeCloseTo(4 - 2.5 * 19.595917942265423, 9);
});
