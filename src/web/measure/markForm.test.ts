import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceOf, formOf, type MarkForm, mergeForms, toForm, toMeasurement } from './markForm.ts';

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
      expect(toForm(toMeasurement(wire, 7)!)).toEqual(given);
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
      const merged = mergeForms(base, mine, theirs);
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
