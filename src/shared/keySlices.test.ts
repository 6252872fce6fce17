import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keySlices, sharePictures, spreadPlaces } from './keySlices.ts';

test.each([
  { count: 100, wanted: 9, places: [10, 20, 30, 40, 50, 59, 69, 79, 89] },
  // Of 60, six are left out at each end: 6 to 53 in steps of 47 / 2.
  { count: 60, wanted: 3, places: [6, 30, 53] },
  { count: 60, wanted: 1, places: [29] },
  { count: 9, wanted: 9, places: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
  { count: 2, wanted: 9, places: [0, 1] },
  // Without the first and the last there would be eight.
  { count: 10, wanted: 9, places: [0, 1, 2, 3, 5, 6, 7, 8, 9] },
  { count: 1, wanted: 4, places: [0] },
  { count: 0, wanted: 4, places: [] },
])('of $count slices, $wanted are $places', ({ count, wanted, places }) => {
  expect(keySlices(count, wanted)).toEqual(places);
});

test('places are distinct, ascend, and are as many as are wanted or there', () => {
  fc.assert(
    fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 64 }), (count, wanted) => {
      for (const places of [spreadPlaces(count, wanted), keySlices(count, wanted)]) {
        expect(places.length).toBe(Math.min(count, wanted));
        expect(places.every((place, at) => place >= 0 && place < count && (at === 0 || place > places[at - 1]!))).toBe(
          true,
        );
      }
    }),
  );
});

test('groups get pictures by how much they have, and each gets one', () => {
  // Six are left after one each. 100 / 1 to 100 / 5 are not below 20 / 1, and 100 / 6 is.
  expect(sharePictures([100, 3, 20], 9)).toEqual([6, 1, 2]);
  expect(sharePictures([2, 1], 9)).toEqual([2, 1]);
});

test('of more groups than pictures, evenly spaced ones get one', () => {
  expect(sharePictures([5, 5, 5, 5, 5], 3)).toEqual([1, 0, 1, 0, 1]);
});
