import { expect, test } from 'vitest';
import type { PointShapes } from '../../../../shared/pointsPacket.ts';
import { findAnnotationsAt } from './pointsAt.ts';

// A point, a line, a triangle, a turned ellipse and a rectangle.
const SHAPES: PointShapes = {
  parts: Uint32Array.of(1, 2, 3, 4, 5),
  types: Uint8Array.of(0, 1, 2, 3, 4),
  starts: Uint32Array.of(0, 1, 3, 6, 10, 14),
  points: Float32Array.from(
    [
      [10, 10],
      [20, 10, 40, 10],
      [50, 0, 60, 0, 50, 10],
      // Axes along the diagonals, with radii of 10 and 5 times the square root of 2.
      [70, 70, 90, 90, 85, 75, 75, 85],
      [0, 50, 10, 50, 10, 60, 0, 60],
    ].flat(),
  ),
  numbers: Uint32Array.of(1, 1, 1, 1, 1),
  width: 0,
  values: new Float32Array(0),
};

test.each([
  ['a point within reach', [11, 11], [0]],
  ['a point out of reach', [12, 12], []],
  ['a line from the side', [30, 11], [1]],
  ['what a line would enclose', [30, 14], []],
  ['the inside of a triangle', [53, 3], [2]],
  ['the corner that a triangle does not have', [59, 9], []],
  ['the middle of an ellipse', [80, 80], [3]],
  ['an ellipse along its long axis', [88, 88], [3]],
  ['beside the short axis of an ellipse', [88, 72], []],
  ['the inside of a rectangle', [5, 55], [4]],
] as const)('%s', (_, at, found) => {
  expect(findAnnotationsAt(SHAPES, at, 2, 8)).toEqual(found);
});

test('no more annotations are listed than wanted', () => {
  const many = {
    ...SHAPES,
    types: new Uint8Array(5),
    starts: Uint32Array.of(0, 1, 2, 3, 4, 5),
    points: new Float32Array(10),
  };
  expect(findAnnotationsAt(many, [0, 0], 1, 3)).toEqual([0, 1, 2]);
});
