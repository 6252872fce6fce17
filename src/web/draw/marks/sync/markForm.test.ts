import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MARK_KINDS } from '../../../../shared/contract/marks.ts';
import { traitsOf } from '../../../../shared/markTraits.ts';
import { differenceOf, findWordChange, mergeForms } from './compareForms.ts';
import { volumeOfShape } from '../shapes/measurement.ts';
import { formOf, type MarkForm, toMark, toMeasurement } from './markForm.ts';

const word = fc.constantFrom('', 'a', 'b');
const number = fc.integer({ min: 0, max: 3 });
const form: fc.Arbitrary<MarkForm> = fc.record({
  kind: fc.constant('length' as const),
  place: fc.constant({ type: 'frame' as const, file_index: 1, frame_index: 2 }),
  points: fc.tuple(fc.tuple(number, number), fc.tuple(number, number)).map((points) => points.map((one) => [...one])),
  label: word,
  class: fc.constantFrom(null, 'x'),
  text: fc.constant(''),
  comment: word,
  author: word,
  locked: fc.boolean(),
});

test('a mark that was read is sent back unchanged', () => {
  fc.assert(
    fc.property(form, (given) => {
      const facts = {
        id: 4,
        uid: '2.25.1',
        etag: '"1"',
        revision: 1,
        color: null,
        created_at_ms: 0,
        modified_at_ms: 0,
      };
      const wire = { ...facts, ...given, slices: [] };
      expect(formOf(wire)).toEqual(given);
      expect(toMark(toMeasurement('2.25.1', given)!)).toEqual(given);
    }),
  );
});

/** Directions that are not exactly of unit length, as other clients may send them. */
const IN_PATIENT = {
  frame_of_reference_uid: '1.2.3',
  position: [-1.5, 2, 3.25],
  orientation: [0.6, 0.8, 0, 0, 0, -0.9999],
};

test.each(MARK_KINDS.filter((kind) => kind !== 'brush'))(
  'a mark of kind %s is drawn by the page and sent back unchanged',
  (kind) => {
    const points = Array.from({ length: traitsOf(kind).points[0] }, (_, n) => [n, n + 0.5]);
    const words = { label: 'a', class: null, text: '', comment: '', author: '', locked: false };
    const facts = { id: 4, uid: '2.25.1', etag: '"1"', revision: 1, color: null, created_at_ms: 0, modified_at_ms: 0 };
    for (const place of [
      { type: 'frame' as const, file_index: 1, frame_index: 2 },
      { type: 'slide' as const, file_index: 1, focal_plane_um: null },
      { type: 'plane' as const, file_index: 1, frame_index: 2, ...IN_PATIENT, spacing: [3, 0.7], slab_mm: 5, time: 2 },
    ]) {
      const given = { kind, place, points, ...words };
      expect(formOf({ ...facts, ...given, slices: [] })).toEqual(given);
    }
  },
);

test('a box in a volume is drawn by the page and sent back unchanged', () => {
  const place = { type: 'volume' as const, file_index: 1, frame_index: 2, ...IN_PATIENT, size: [10, 20, 30] };
  const words = { label: 'a', class: null, text: '', comment: '', author: '', locked: false };
  const facts = { id: 4, uid: '2.25.1', etag: '"1"', revision: 1, color: null, created_at_ms: 0, modified_at_ms: 0 };
  const wire = { ...facts, kind: 'box' as const, place, points: [], slices: [], ...words };
  expect(formOf(wire)).toEqual({ kind: 'box', place, points: [], ...words });
  expect(volumeOfShape(toMeasurement(wire.uid, wire)!)).toBe(6);
});

test('one request changes many marks if only words have changed that it can change', () => {
  fc.assert(
    fc.property(form, form, (before, after) => {
      const change = findWordChange(before, after);
      const isMoved = JSON.stringify(before.points) !== JSON.stringify(after.points);
      const isSame = JSON.stringify(before) === JSON.stringify(after);
      expect(change === undefined).toBe(isMoved || isSame);
      expect({ ...before, ...(change ?? after) }).toEqual(after);
    }),
  );
});

test('changes of different fields are both kept, and different changes of one field are a conflict', () => {
  fc.assert(
    fc.property(form, form, form, (base, mine, theirs) => {
      const fields = ['points', 'label', 'class', 'comment', 'author', 'locked'] as const;
      const wanted = fields.map((field) => {
        const [was = '', own = '', other = ''] = [base, mine, theirs].map((one) => JSON.stringify(one[field]));
        return was !== own && was !== other && own !== other ? undefined : was === own ? other : own;
      });
      const merged = mergeForms({ bases: [base], mine, theirs });
      const isConflict = wanted.includes(undefined);
      expect(merged && fields.map((field) => JSON.stringify(merged[field]))).toEqual(isConflict ? undefined : wanted);
    }),
  );
});

test('the difference of two forms leads from the first to the second', () => {
  fc.assert(
    fc.property(form, form, (a, b) => {
      expect({ ...a, ...differenceOf(a, b) }).toEqual(b);
    }),
  );
});
