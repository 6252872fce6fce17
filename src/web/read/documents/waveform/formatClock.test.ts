import { expect, test } from 'vitest';
import { formatClock } from './formatClock.ts';

test.each([
  [0, 1, '0 s'],
  [12.4, 0.2, '12.4 s'],
  [0.125, 0.025, '0.125 s'],
  [90, 10, '1:30'],
  [3_750.5, 0.5, '1:02:30.5'],
  [86_399, 60, '23:59:59'],
  [-61, 1, '-1:01'],
])('%d s with steps of %d s is written %s', (seconds, step, text) => {
  expect(formatClock(seconds, step)).toBe(text);
});
