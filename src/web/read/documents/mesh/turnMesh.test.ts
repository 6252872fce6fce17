import { expect, test } from 'vitest';
import { limitTurn, placeCorners, rotationOf, turnByKey } from './turnMesh.ts';

test('a triangle is placed around the origin, with its normal', () => {
  const corners = placeCorners({
    points: Float32Array.of(0, 0, 5, 6, 0, 5, 0, 8, 5),
    indices: Uint32Array.of(0, 1, 2),
  });
  // Its box is 6 × 8 × 0, so the centre is (3, 4, 5) and the radius is half of 10.
  expect([...corners.subarray(0, 6)].map((value) => Math.fround(value))).toEqual(
    [-0.6, -0.8, 0, 0, 0, 1].map((value) => Math.fround(value)),
  );
});

test('without a turn, the third axis points up and the second away from the viewer', () => {
  const rotation = rotationOf({ around: 0, up: 0, zoom: 1 }).map((value) => value + 0);
  expect(rotation).toEqual([1, 0, 0, 0, 0, 1, 0, -1, 0]);
});

test('keys turn by 7.5 degrees, up to the poles', () => {
  const turn = { around: 0, up: Math.PI / 2, zoom: 1 };
  expect(turnByKey(turn, 'ArrowRight')?.around).toBeCloseTo((7.5 * Math.PI) / 180);
  expect(turnByKey(turn, 'ArrowUp')?.up).toBe(Math.PI / 2);
  expect(turnByKey(turn, 'x')).toBeUndefined();
  expect(limitTurn({ ...turn, zoom: 99 }).zoom).toBe(8);
});
