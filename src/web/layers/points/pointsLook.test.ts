import { expect, test } from 'vitest';
import { colorAt, colorPlaceOf, VALUE_COLORS } from './pointsLook.ts';

test('values have colors from the lowest to the highest, and none is beyond', () => {
  const range = { low: 10, high: 20 };
  expect([10, 15, 20, -5, 99, NaN].map((value) => colorPlaceOf(range, value))).toEqual([0, 32, 63, 0, 63, undefined]);
  // Where all values are equal, they have the color of the middle.
  expect(colorPlaceOf({ low: 7, high: 7 }, 7)).toBe(VALUE_COLORS / 2);
});

test('the first and the last color are those of the map', () => {
  expect([colorAt('gray', 0), colorAt('gray', VALUE_COLORS - 1)]).toEqual(['rgb(0 0 0)', 'rgb(255 255 255)']);
});
