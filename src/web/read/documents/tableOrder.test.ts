import { expect, test } from 'vitest';
import { compareCells, type TableRow } from './tableOrder.ts';

const sort = (cells: TableRow, isDown = false) => cells.toSorted((a, b) => compareCells(a, b, isDown));

test('numbers are sorted by value and come before texts', () => {
  expect(sort(['b', 10, 9, 'a'])).toEqual([9, 10, 'a', 'b']);
});

test('numbers in texts are sorted by value', () => {
  expect(sort(['Beam 10', 'Beam 9'])).toEqual(['Beam 9', 'Beam 10']);
});

test('cells without a value are last in both directions', () => {
  expect(sort([null, 1, 2])).toEqual([1, 2, null]);
  expect(sort([null, 1, 2], true)).toEqual([2, 1, null]);
});
