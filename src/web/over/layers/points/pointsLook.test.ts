import { expect, test } from 'vitest';
import { colorAt, colorPlaceOf, countShown, isShown, type ShownInRange, VALUE_COLORS } from './pointsLook.ts';

test('values have colors from the lowest to the highest, and none is beyond', () => {
  const range = { low: 10, high: 20 };
  expect([10, 15, 20, -5, 99, NaN].map((value) => colorPlaceOf(range, value))).toEqual([0, 32, 63, 0, 63, undefined]);
  // Where all values are equal, they have the color of the middle.
  expect(colorPlaceOf({ low: 7, high: 7 }, 7)).toBe(VALUE_COLORS / 2);
});

test('the first and the last color are those of the map', () => {
  expect([colorAt('gray', 0), colorAt('gray', VALUE_COLORS - 1)]).toEqual(['rgb(0 0 0)', 'rgb(255 255 255)']);
});

/** Group 1 has the measurement as its second one, with values from 0 to 32; group 2 does not have it. */
const FILTER: ShownInRange = {
  placeOf: new Map([[1, 1]]),
  rangeOf: new Map([[1, [0, 32]]]),
  low: 8,
  high: 16,
};

test('annotations with a value in the range are shown, and those without one are not', () => {
  const shapes = {
    parts: Uint32Array.of(1, 1, 1, 1, 2),
    width: 2,
    values: Float32Array.of(0, 8, 0, 16, 0, 16.1, 0, NaN, 8, 8),
  };
  expect([0, 1, 2, 3, 4].map((at) => isShown(FILTER, shapes, at))).toEqual([true, true, false, false, false]);
  expect([0, 4].map((at) => isShown(undefined, shapes, at))).toEqual([true, true]);
});

test('of a cluster, those with a value in the range are counted', () => {
  // One value in each of the 32 parts of the range of both measurements.
  const clusters = {
    cell: 64,
    x: Float32Array.of(1, 2),
    y: Float32Array.of(1, 2),
    parts: Uint32Array.of(1, 2),
    counts: Uint32Array.of(32, 5),
    width: 2,
    values: new Float32Array(4),
    bins: new Uint32Array(2 * 2 * 32).fill(1),
  };
  expect([countShown(FILTER, clusters, 0), countShown(FILTER, clusters, 1)]).toEqual([8, 0]);
  expect(countShown(undefined, clusters, 1)).toBe(5);
  // Without bins nothing is known of them.
  expect(countShown(FILTER, { ...clusters, bins: new Uint32Array(0) }, 0)).toBe(32);
});
