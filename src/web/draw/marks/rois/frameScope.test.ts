import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { describePlace, type FrameOrder, orderOf } from '../../../kit/state/frameOrder.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { describeScope, framesInRange, scopeOf, suggestRange } from './frameScope.ts';

/** A stack that shows these frames of file 0 in this order, at the given positions in millimetres. */
function stackOf(frames: readonly number[], placesMm?: readonly number[]): ViewStack {
  return {
    id: 's',
    kind: 'ordinary',
    frames: frames.map((frame, i) => ({ fileIndex: 0, frame, sopInstanceUid: '1', positionMm: placesMm?.[i] })),
    warnings: [],
    fileIndex: 0,
    seriesUid: undefined,
    studyUid: undefined,
  };
}

const fileOf = (frame_count: number): FileRecord => createFileRecord(0, { frame_count });
const order = (frames: readonly number[], placesMm?: readonly number[], frameCount = frames.length): FrameOrder =>
  orderOf(stackOf(frames, placesMm), fileOf(frameCount));
const asStored = (count: number) => order(Array.from({ length: count }, (_, frame) => frame));

/** Three positions with two b-values each; all frames of one b-value are stored before all of the other. */
const DIFFUSION = order([0, 3, 1, 4, 2, 5], [0, 0, 5, 5, 10, 10]);

describe('frames that are shown as they are stored', () => {
  test.each([
    [[], 'all frames'],
    [[2], 'frame 3'],
    [[2, 3, 4], 'frames 3–5'],
    [[0, 2, 4, 5, 6], 'frames 1, 3, 5–7'],
    [[0, 2, 4, 6, 8, 10, 12], 'frames 1, 3, 5 … 13 (7)'],
  ])('%j are described as %s', (frames, text) => {
    expect(describeScope(frames, asStored(20))).toBe(text);
  });

  test('a range holds both its ends, in whichever order they are given, and one over all is all frames', () => {
    expect(framesInRange({ first: 2, last: 4 }, asStored(10))).toEqual([2, 3, 4]);
    expect(framesInRange({ first: 4, last: 2 }, asStored(10))).toEqual([2, 3, 4]);
    expect(framesInRange({ first: 7, last: 99 }, asStored(10))).toEqual([7, 8, 9]);
    expect(framesInRange({ first: 0, last: 9 }, asStored(10))).toEqual([]);
  });
});

describe('frames that are shown in another order', () => {
  test('are named by both', () => {
    // Frame 4 of the file is the second image.
    expect(describeScope([3], DIFFUSION)).toBe('image 2 / 6 · frame 4');
    expect(describeScope([1, 4], DIFFUSION)).toBe('images 3–4 · frames 2, 5');
    expect(describeScope([3, 4, 5], DIFFUSION)).toBe('images 2, 4, 6 · frames 4–6');
    const stack = stackOf([0, 3, 1, 4, 2, 5]);
    expect(describePlace(stack, 1, fileOf(6))).toBe('2 / 6 · frame 4');
    expect(describePlace(stackOf([0, 1]), 1, fileOf(2))).toBe('2 / 2');
  });

  test('a range is taken in the order in which they are shown', () => {
    expect(framesInRange({ first: 2, last: 4 }, DIFFUSION)).toEqual([1, 2, 4]);
    expect(scopeOf([1, 2, 4], DIFFUSION)).toEqual({ kind: 'range', first: 2, last: 4 });
  });

  test('a range begins as all images of the same b-value', () => {
    expect(suggestRange(4, DIFFUSION)).toEqual([3, 4, 5]);
    expect(suggestRange(0, DIFFUSION)).toEqual([0, 1, 2]);
    expect(scopeOf([3, 4, 5], DIFFUSION)).toEqual({ kind: 'sameKind', of: 1, first: 1, last: 5 });
    // A range limited to some of the positions still has one b-value.
    expect(framesInRange({ first: 2, last: 5 }, DIFFUSION, 1)).toEqual([4, 5]);
  });

  test('a range begins as the whole stack where the file has several', () => {
    const second = order([6, 5, 4], [0, 1, 2], 7);
    expect(suggestRange(5, second)).toEqual([4, 5, 6]);
    expect(describeScope([4], second)).toBe('image 3 / 3 · frame 5');
    expect(describeScope([0], second)).toBe('frame 1, in another stack');
  });
});

test.each([
  [0, [0, 1]],
  [4, [3, 4, 5]],
  [9, [8, 9]],
])('else a range begins as image %i and its neighbours', (frame, frames) => {
  expect(suggestRange(frame, asStored(10))).toEqual(frames);
});

test('a suggested range is never all frames', () => {
  for (const frame of [0, 1, 2]) expect(suggestRange(frame, asStored(3))).toHaveLength(2);
});

test('a range is recognised as what it was made of, in every order', () => {
  const shuffled = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 });
  fc.assert(
    fc.property(shuffled, fc.nat(6), fc.nat(6), (frames, a, b) => {
      const [first, last] = [Math.min(a, b), Math.max(a, b)];
      const shown = order(frames);
      const scope = scopeOf(framesInRange({ first, last }, shown), shown);
      expect(scope).toEqual(first === last ? { kind: 'one', frame: frames[first] } : { kind: 'range', first, last });
    }),
  );
});

test('frames with gaps are neither one nor a range', () => {
  expect(scopeOf([1, 2, 5], asStored(10))).toEqual({ kind: 'some' });
  expect(scopeOf([], asStored(10))).toEqual({ kind: 'all' });
});
