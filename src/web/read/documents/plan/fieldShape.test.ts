import { expect, test } from 'vitest';
import type { WireControlPoint } from '../../../../shared/contract/plans.ts';
import { extentOf, fieldShapeOf } from './fieldShape.ts';

function pointOf(...positions: (number[] | null)[]): WireControlPoint {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
  return { positions, spots: null } as unknown as WireControlPoint;
}

const jaw = (type: string) => ({ type, boundaries: [], problem: null });

test('jaws cover what is outside of their positions, along their own direction', () => {
  const shape = fieldShapeOf([jaw('ASYMX'), jaw('ASYMY')], pointOf([-20, 30], [-5, 10]), 50);
  expect(shape.leaves).toEqual([]);
  expect(shape.jaws).toEqual([
    { x: -50, y: -50, width: 30, height: 100 },
    { x: 30, y: -50, width: 20, height: 100 },
    { x: -50, y: -50, width: 100, height: 45 },
    { x: -50, y: 10, width: 100, height: 40 },
  ]);
});

test('leaves of MLCX lie between boundaries along y, and the second half of the positions is the other bank', () => {
  const device = { type: 'MLCX', boundaries: [-10, 0, 20], problem: null };
  expect(fieldShapeOf([device], pointOf([-3, -4, 5, 6]), 50).leaves).toEqual([
    { x: -50, y: -10, width: 47, height: 10 },
    { x: 5, y: -10, width: 45, height: 10 },
    { x: -50, y: 0, width: 46, height: 20 },
    { x: 6, y: 0, width: 44, height: 20 },
  ]);
});

test('leaves of MLCY move along y', () => {
  const device = { type: 'MLCY', boundaries: [-10, 10], problem: null };
  expect(fieldShapeOf([device], pointOf([-3, 5]), 50).leaves).toEqual([
    { x: -10, y: -50, width: 20, height: 47 },
    { x: -10, y: 5, width: 20, height: 45 },
  ]);
});

test('a device that cannot be drawn covers nothing', () => {
  const device = { type: 'MLCX', boundaries: [], problem: 'why' };
  expect(fieldShapeOf([device], pointOf([-3, 5]), 50)).toEqual({ leaves: [], jaws: [] });
});

test('the drawing is as large as the widest field of all control points, and some more', () => {
  const points = [pointOf([-20, 20]), pointOf([-20, 100]), pointOf(null)];
  expect(extentOf([jaw('ASYMX')], points)).toBe(120);
  expect(extentOf([], points)).toBe(20);
  expect(extentOf([jaw('X')], [pointOf([-1e300, 1e300])])).toBe(2000);
});

test('the corners of a field are in the drawing also if the collimator is turned', () => {
  const turned = { ...pointOf([-100, 100], [-100, 100]), collimator: 45 };
  // The corners of the square of 200 mm are 100 mm times the root of 2 away from its middle.
  expect(extentOf([jaw('ASYMX'), jaw('ASYMY')], [turned])).toBeCloseTo(1.2 * 100 * Math.SQRT2, 9);
});

test('without jaws, the drawing is as large as the opening between the leaves', () => {
  const device = { type: 'MLCX', boundaries: [-100, -50, 50, 100], problem: null };
  // The outer leaves are closed. Of the inner ones, the boundaries at 50 mm reach further than the opening.
  expect(extentOf([device], [pointOf([0, -30, 0, 0, 40, 0])])).toBe(60);
});
