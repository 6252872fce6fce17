import { expect, test } from 'vitest';
import type { ComparedPair } from './comparison.ts';
import {
  directionAlong,
  findLargestFalse,
  findNextSlice,
  findWorstSlice,
  type ComparedGridPlace,
  listErrorSlices,
  pointOfSample,
  sliceAt,
} from './errorPlaces.ts';

type Errors = NonNullable<ComparedPair['errors']>;

const PART = { part: 1, name: 'Liver', class: null, type: null, samples: 10, volume_ml: 1 };
const NUMBERS: ComparedPair['numbers'] = {
  dice: 1,
  iou: 1,
  precision: 1,
  recall: 1,
  volume_difference_ml: 0,
  hd_mm: null,
  hd95_mm: null,
  assd_mm: null,
  mean_truth_to_test_mm: null,
  mean_test_to_truth_mm: null,
  nsd: null,
  components: null,
};

function pairWith(errors: Partial<Errors>): ComparedPair {
  const all = { slices: [], largest_false: null, largest_missed: null, ...errors };
  return { truth: PART, test: PART, paired_by: 'label', samples_in_both: 5, numbers: NUMBERS, errors: all };
}

const slice = (number: number, falsePositive: number, falseNegative: number, column = 0) => ({
  slice: number,
  false_positive: falsePositive,
  false_negative: falseNegative,
  column,
  row: 0,
});

test('slices of several pairs are added up, and the sample to go to is that of the pair with most errors', () => {
  const pairs = [pairWith({ slices: [slice(2, 1, 2, 7), slice(9, 0, 4)] }), pairWith({ slices: [slice(2, 5, 0, 8)] })];

  const found = listErrorSlices(pairs, undefined);

  expect(found).toMatchObject([
    { slice: 2, falsePositive: 6, falseNegative: 2, column: 8 },
    { slice: 9, falsePositive: 0, falseNegative: 4 },
  ]);
  expect(findWorstSlice(found)?.slice).toBe(2);
  expect(listErrorSlices(pairs, 'fp').map((one) => one.slice)).toEqual([2]);
  expect(findWorstSlice(listErrorSlices(pairs, 'fn'))?.slice).toBe(9);
});

test('the next slice is beyond the picture, which may lie between slices', () => {
  const found = listErrorSlices([pairWith({ slices: [slice(2, 1, 0), slice(4, 1, 0)] })], undefined);

  const nextOf = (at: number) => [findNextSlice(found, at, 1)?.slice, findNextSlice(found, at, -1)?.slice];
  expect(nextOf(2)).toEqual([4, undefined]);
  expect(nextOf(2.4)).toEqual([4, undefined]);
  expect(nextOf(3)).toEqual([4, 2]);
  expect(nextOf(4)).toEqual([undefined, 2]);
  expect(nextOf(-100)).toEqual([2, undefined]);
});

test('the largest false component is that of any pair; there may be none', () => {
  const large = { samples: 30, column: 1, row: 2, slice: 3 };
  expect(findLargestFalse([pairWith({}), pairWith({ largest_false: large })])).toEqual(large);
  expect(findLargestFalse([pairWith({})])).toBe(undefined);
});

/** Rows run to the left, columns up, and slices 3 mm apart to the feet, a little forward. */
const PLACE: ComparedGridPlace = {
  frame_of_reference_uid: '1.2',
  origin_mm: [10, 20, 30],
  steps_mm: [
    [0.5, 0, 0],
    [0, -0.5, 0],
    [0, 0.3, -3],
  ],
};

test('samples have places in the patient, and points in space lie among the slices', () => {
  const point = pointOfSample(PLACE, { column: 4, row: 2, slice: 5 });

  expect(point.map((value) => Math.round(value * 1e9) / 1e9)).toEqual([12, 20.5, 15]);
  expect(sliceAt(PLACE, point)).toBeCloseTo(5, 9);
  // In the plane of the slices nothing changes.
  expect(sliceAt(PLACE, [500, -40, 15])).toBeCloseTo(5, 9);
});

test('pictures run with the slices, against them, or across them', () => {
  expect(directionAlong(PLACE, [0, 0, -3])).toBe(1);
  expect(directionAlong(PLACE, [0, 0, 3])).toBe(-1);
  expect(directionAlong(PLACE, [1, 0, 0])).toBe(0);
  expect(directionAlong(PLACE, [0, 0, 0])).toBe(0);
});
