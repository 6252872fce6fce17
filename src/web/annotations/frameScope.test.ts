import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeFrames, scopeOf, toFrameRange } from './frameScope.ts';

test.each([
  [[], 'all frames'],
  [[2], 'frame 3'],
  [[2, 3, 4], 'frames 3–5'],
  [[0, 2, 4, 5, 6], 'frames 1, 3, 5–7'],
])('%j is described as %s', (frames, text) => {
  expect(describeFrames(frames)).toBe(text);
});

test('a range holds both its ends, in whichever order they are given', () => {
  expect(toFrameRange(2, 4, 10)).toEqual([2, 3, 4]);
  expect(toFrameRange(4, 2, 10)).toEqual([2, 3, 4]);
});

test('a range ends where the frames do, and one over all of them is all frames', () => {
  expect(toFrameRange(7, 99, 10)).toEqual([7, 8, 9]);
  expect(toFrameRange(0, 9, 10)).toEqual([]);
});

test('a range is recognised as what it was made of', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.nat(40), (first, last) => {
      const [low, high] = [Math.min(first, last), Math.max(first, last)];
      // One frame more than any of them, so that none is all frames.
      const scope = scopeOf(toFrameRange(first, last, 42));
      expect(scope).toEqual(low === high ? { kind: 'one', frame: low } : { kind: 'range', first: low, last: high });
    }),
  );
});

test('frames with gaps are neither one nor a range', () => {
  expect(scopeOf([1, 2, 5])).toEqual({ kind: 'some' });
  expect(scopeOf([])).toEqual({ kind: 'all' });
});
