import { expect, test } from 'vitest';
import { listTicks } from './listTicks.ts';

test.each([
  [0, 66, 8, [0, 10, 20, 30, 40, 50, 60]],
  [0, 100, 5, [0, 20, 40, 60, 80, 100]],
  [0, 0.7, 5, [0, 0.2, 0.4, 0.6]],
  [-0.5, 4.2, 5, [0, 1, 2, 3, 4]],
  [-1.2, 1.2, 4, [-1, 0, 1]],
  [5, 5, 4, [5]],
])('round numbers from %d to %d', (lowest, highest, count, ticks) => {
  expect(listTicks(lowest, highest, count)).toEqual(ticks);
});
