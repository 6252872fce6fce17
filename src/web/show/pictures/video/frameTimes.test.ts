import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseFrame, findFrameAt, isReachedByGoingOn } from './frameTimes.ts';

test('a time that a decoder has rounded to microseconds is that of its frame, whatever the times are', () => {
  const steps = fc.array(fc.double({ min: 0.001, max: 2, noNaN: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.nat(), (gaps, choice) => {
      const times = new Float64Array(gaps.length);
      for (const [at, gap] of gaps.entries()) times[at] = (times[at - 1] ?? 0) + gap;
      const frame = choice % times.length;
      const rounded = Math.floor(times[frame]! * 1e6) / 1e6;
      expect(findFrameAt(times, rounded)).toBe(frame);
    }),
  );
});

test.each([
  // What the user waits for comes first, even if it lies behind.
  [
    [
      { frame: 11, isUrgent: false },
      { frame: 3, isUrgent: true },
    ],
    10,
    3,
  ],
  // Of the others, the next one ahead, and then those behind.
  [
    [
      { frame: 14, isUrgent: false },
      { frame: 9, isUrgent: false },
      { frame: 11, isUrgent: false },
    ],
    10,
    11,
  ],
  [[{ frame: 9, isUrgent: false }], 10, 9],
  [[], 10, undefined],
])('of the wanted frames %j, with frame %d next, %s is decoded', (wanted, next, frame) => {
  expect(chooseFrame(wanted, next)).toBe(frame);
});

test('decoding goes on for a frame that is near, and begins again for one that is far or behind', () => {
  expect([10, 34, 35, 9].map((frame) => isReachedByGoingOn(frame, 10))).toEqual([true, true, false, false]);
});
