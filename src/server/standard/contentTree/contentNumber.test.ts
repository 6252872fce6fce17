import { expect, test } from 'vitest';
import { valueOfNumber } from './contentNumber.ts';

// PS3.3 C.18.1: Floating Point Value has the precision that 16 characters of Numeric Value cannot express.
test.each([
  ['12.5', undefined, 12.5],
  ['0.33333333333333', 1 / 3, 1 / 3],
  [undefined, 1 / 3, 1 / 3],
  ['1e3', undefined, 1000],
  ['', undefined, undefined],
  ['many', undefined, undefined],
  [undefined, undefined, undefined],
])('%j with the floating point value %s is %s', (stored, float, value) => {
  expect(valueOfNumber({ stored, float })).toBe(value);
});
