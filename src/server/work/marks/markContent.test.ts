import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MarkSlice } from '../../../shared/contract/marks.ts';
import { countSlices, diffSlices, mergeSlices, packMarkSlices, renumberFiles } from './markContent.ts';
import { toContent } from './parseMark.ts';

const slice: fc.Arbitrary<MarkSlice> = fc.record({
  file_index: fc.nat(3),
  frame_index: fc.nat(3),
  points: fc.constant<number[][]>([]),
  mask: fc.nat(2).map((left) => ({ left, top: 0, width: 2, height: 2, runs: [1, 3] })),
});
const slices = fc
  .uniqueArray(slice, { selector: ({ file_index, frame_index }) => `${file_index} ${frame_index}` })
  .map(packMarkSlices);

test('what differs between two versions of slices, put onto the first, is the second', () => {
  fc.assert(
    fc.property(slices, slices, (before, after) => {
      const difference = diffSlices(before, after);

      expect(mergeSlices([before, difference])).toEqual(after);
      expect(countSlices(diffSlices(after, after))).toBe(0);
    }),
  );
});

test('slices are in the order of their files, whatever numbers these get', () => {
  fc.assert(
    fc.property(slices, fc.constantFrom<number[]>([0, 1, 2, 3], [3, 2, 1, 0], [7, 2, 9, 4]), (given, numbers) => {
      const from = { file_index: 0, frame_index: 0 };
      const content = toContent({ kind: 'brush', place: { type: 'stack', from, to: from }, slices: given });

      const there = renumberFiles(content, (file) => numbers[file] ?? 0);

      const keys = Array.from({ length: countSlices(given) }, (_, n) => there.slices.frames.subarray(2 * n, 2 * n + 2));
      const places = keys.map(([file = 0, frame = 0]) => file * 10 + frame);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(renumberFiles(there, (file) => numbers.indexOf(file)).slices).toEqual(given);
    }),
  );
});
