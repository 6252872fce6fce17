import { expect, test } from 'vitest';
import { AXIAL, createTable } from '../../../../../test/support/rampVolume.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { findHoles } from './findHoles.ts';

/** Slices at 0, 2, 4, 10 and 12 mm: between 4 and 10 two are missing. */
const TABLE = createTable({
  ...AXIAL,
  rows: 10,
  columns: 8,
  rowSpacingMm: 1,
  columnSpacingMm: 1,
  origin: [0, 0, 0],
  offsetsMm: [0, 2, 4, 10, 12],
  holes: [2],
});

/** A coronal picture with a row for each millimetre, the lowest first. */
const CORONAL: PlaneGrid = {
  position: [0, 5, 0],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 0, 1],
  rowSpacingMm: 1,
  columnSpacingMm: 1,
  rows: 13,
  columns: 8,
};

test('a plane across the slices has a strip where they are missing, without what the slices beside it reach', () => {
  // From 5 to 9 mm: 1 mm from each slice. The centre of row 5 is 5.5 pixels down.
  const [strip, ...others] = findHoles(TABLE, CORONAL, 0);
  expect(others).toEqual([]);
  expect(strip!.map(({ y }) => Number(y.toFixed(6))).toSorted((a, b) => a - b)).toEqual([5.5, 5.5, 9.5, 9.5]);
  expect(new Set(strip!.map(({ x }) => x))).toEqual(new Set([0, 8]));
});

test('a plane in the hole is nothing but hole, and one in a slice has none', () => {
  const axial = { ...CORONAL, columnDirection: [0, 1, 0] as const, rows: 10 };
  expect(findHoles(TABLE, { ...axial, position: [0, 0, 7] }, 0)).toHaveLength(1);
  expect(findHoles(TABLE, { ...axial, position: [0, 0, 7] }, 3)).toHaveLength(1);
  // A slab of 4 mm reaches what the slices reach.
  expect(findHoles(TABLE, { ...axial, position: [0, 0, 7] }, 4)).toEqual([]);
  expect(findHoles(TABLE, { ...axial, position: [0, 0, 4] }, 0)).toEqual([]);
});
