import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MarkForm } from './markForm.ts';
import { meetServer, renumberMark } from './parkedMarks.ts';

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
      const meeting = meetServer({ mine, base: BASE }, theirs);
      // A copy is beside the mark of the server; a change is in place of it.
      const left = 'form' in meeting ? [meeting.form, ...(meeting.do === 'copy' ? [theirs] : [])] : [theirs];
      for (const changed of [own, other]) {
        for (const [field, value] of Object.entries(changed)) {
          expect(left.map((form) => new Map<string, unknown>(Object.entries(form)).get(field))).toContainEqual(value);
        }
      }
    }),
  );
});

test('a mark that the restarted server lacks is made if it was not saved, and asked about if it was', () => {
  expect(meetServer({ mine: BASE, base: BASE }, undefined)).toEqual({ do: 'ask' });
  expect(meetServer({ mine: BASE, base: undefined }, undefined)).toEqual({ do: 'make', form: BASE });
  expect(meetServer({ mine: { ...BASE, label: 'a' }, base: BASE }, undefined)).toMatchObject({ do: 'make' });
  expect(meetServer({ mine: BASE, base: BASE }, { ...BASE, label: 'theirs' })).toEqual({ do: 'nothing' });
});

test('a mark that was deleted here is deleted, unless somebody has changed it since', () => {
  expect(meetServer({ mine: undefined, base: BASE }, { ...BASE })).toEqual({ do: 'delete' });
  expect(meetServer({ mine: undefined, base: BASE }, { ...BASE, label: 'theirs' })).toEqual({ do: 'nothing' });
  expect(meetServer({ mine: undefined, base: BASE }, undefined)).toEqual({ do: 'nothing' });
});

test('the files of a mark get other numbers in all of its slices, and an unchanged mark stays unchanged', () => {
  const slices = [3, 4].map((file_index) => ({ file_index, frame_index: 7, points: [] }));
  const place = {
    type: 'stack' as const,
    from: { file_index: 3, frame_index: 7 },
    to: { file_index: 4, frame_index: 7 },
  };
  const form: MarkForm = { ...BASE, kind: 'brush', place, slices };

  const { mine, base } = renumberMark({ uid: '2.25.1', mine: form, base: form }, (index) => index + 10);

  expect(mine).toBe(base);
  expect(mine).toMatchObject({
    place: { from: { file_index: 13 }, to: { file_index: 14 } },
    slices: [
      { file_index: 13, frame_index: 7 },
      { file_index: 14, frame_index: 7 },
    ],
  });
});
