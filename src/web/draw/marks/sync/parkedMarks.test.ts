import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { mergeForms } from './compareForms.ts';
import { type MarkForm } from './markForm.ts';
import { renumberMark } from './parkedMarks.ts';

const BASE: MarkForm = {
  kind: 'length',
  place: { type: 'frame', file_index: 3, frame_index: 0 },
  points: [
    [1, 1],
    [5, 5],
  ],
  label: '',
  class: null,
  text: '',
  comment: '',
  author: '',
  locked: false,
};

const change = fc.record(
  { label: fc.constantFrom('a', 'b'), comment: fc.constantFrom('c', 'd'), points: fc.constant<number[][]>([[2, 2]]) },
  { requiredKeys: [] },
);

test('whatever two clients have made of a mark, each change of either of them is in what is left', () => {
  fc.assert(
    fc.property(change, change, (own, other) => {
      const [mine, theirs] = [
        { ...BASE, ...own },
        { ...BASE, ...other },
      ];
      const merged = mergeForms({ bases: [BASE], mine, theirs });
      // Otherwise the page keeps a copy beside the mark of the server.
      const left = merged === undefined ? [mine, theirs] : [merged];
      for (const changed of [own, other]) {
        for (const [field, value] of Object.entries(changed)) {
          expect(left.map((form) => new Map<string, unknown>(Object.entries(form)).get(field))).toContainEqual(value);
        }
      }
    }),
  );
});

test('the files of a mark get other numbers in all of its slices, and an unchanged mark stays unchanged', () => {
  const slices = [3, 4].map((file_index) => ({ file_index, frame_index: 7, points: [] }));
  const place = {
    type: 'stack' as const,
    from: { file_index: 3, frame_index: 7 },
    to: { file_index: 4, frame_index: 7 },
  };
  const form: MarkForm = { ...BASE, kind: 'brush', place, slices };

  const { mine, base } = renumberMark({
    work: { uid: '2.25.1', mine: form, base: form },
    files: new Map(),
    found: new Map([3, 4].map((index) => [index, createFileRecord(index + 10)])),
  });

  expect(mine).toBe(base);
  expect(mine).toMatchObject({
    place: { from: { file_index: 13 }, to: { file_index: 14 } },
    slices: [
      { file_index: 13, frame_index: 7 },
      { file_index: 14, frame_index: 7 },
    ],
  });
});
