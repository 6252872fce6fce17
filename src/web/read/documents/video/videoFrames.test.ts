import { expect, test } from 'vitest';
import { frameAt, frameOfKey, timeOf } from './videoFrames.ts';

test('frame 10 of 40 ms begins at 0.4 s and is sought in its middle, at 0.42 s', () => {
  expect(timeOf(10, 40)).toBeCloseTo(0.42);
  expect([0.4, 0.399_99, 0.400_01].map((seconds) => frameAt(seconds, 40, 75))).toEqual([10, 10, 10]);
});

test('a time beyond the last frame is the last frame', () => {
  expect([-1, 2.96, 3, 99].map((seconds) => frameAt(seconds, 40, 75))).toEqual([0, 74, 74, 74]);
});

test('30000/1001 frames a second are told apart after an hour', () => {
  const frameTimeMs = 1001 / 30;
  const frame = 107_892;
  // The time as a browser reports it, to the microsecond.
  const seconds = Math.round(frame * frameTimeMs * 1000) / 1e6;
  expect(frameAt(seconds, frameTimeMs, 200_000)).toBe(frame);
});

test.each([
  ['ArrowRight', 5, 6],
  ['ArrowLeft', 0, 0],
  ['PageDown', 70, 74],
  ['Home', 70, 0],
  ['End', 0, 74],
  ['a', 3, undefined],
])('%s at frame %d of 75 leads to %s', (key, frame, next) => {
  expect(frameOfKey(key, frame, 75)).toBe(next);
});
