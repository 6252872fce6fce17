import { expect, test } from 'vitest';
import { type FrameKey, rankFrames } from './rankFrames.ts';

function createKey(different: Partial<FrameKey>): FrameKey {
  return { temporalPosition: undefined, dimensions: [], segment: undefined, dateTime: undefined, ...different };
}

test('the temporal position takes precedence over the dimensions, which are compared in turn', () => {
  const keys = [
    createKey({ temporalPosition: 2, dimensions: [1, 1] }),
    createKey({ temporalPosition: 1, dimensions: [1, 10] }),
    createKey({ temporalPosition: 1, dimensions: [1, 9] }),
    createKey({ temporalPosition: 1, dimensions: [1, 10] }),
  ];
  expect([...rankFrames(keys, 4)]).toEqual([2, 1, 0, 1]);
});

test('without dimensions, frames are sorted by time', () => {
  const keys = ['20240131100003', '20240131100001', '20240131100002'].map((dateTime) => createKey({ dateTime }));
  expect([...rankFrames(keys, 3)]).toEqual([2, 0, 1]);
});

test('frames that declare nothing, or are not described, have no rank', () => {
  expect([...rankFrames([createKey({}), createKey({ segment: 3 })], 3)]).toEqual([NaN, 0, NaN]);
});
