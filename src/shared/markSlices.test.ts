import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpolateOutline, outlineAt } from './markSlices.ts';

describe('a box through a stack', () => {
  const slices = [
    { position: 2, points: [10, 20, 30, 40] },
    // Drawn from its lower right corner.
    { position: 6, points: [50, 60, 14, 28] },
  ];
  const at = (position: number) => outlineAt('box', slices, { from: 1, to: 8, position });

  test('has the drawn corners where it was drawn', () => {
    expect(at(2)).toEqual({ points: Float64Array.of(10, 20, 30, 40), isInterpolated: false });
    expect(at(6)).toEqual({ points: Float64Array.of(50, 60, 14, 28), isInterpolated: false });
  });

  test('moves its corners in equal steps between them', () => {
    // A quarter of the way from 10, 20, 30, 40 to 14, 28, 50, 60.
    expect(at(3)).toEqual({ points: Float64Array.of(11, 22, 35, 45), isInterpolated: true });
    expect(at(4)?.points).toEqual(Float64Array.of(12, 24, 40, 50));
  });

  test('goes on unchanged to the ends of its range, and is nowhere else', () => {
    expect(at(1)).toEqual({ points: Float64Array.of(10, 20, 30, 40), isInterpolated: true });
    expect(at(8)).toEqual({ points: Float64Array.of(50, 60, 14, 28), isInterpolated: true });
    expect([at(0), at(9)]).toEqual([undefined, undefined]);
  });
});

describe('polygons', () => {
  const SQUARE = [0, 0, 10, 0, 10, 10, 0, 10];

  test('that begin at another corner or run the other way are the same polygon', () => {
    for (const other of [
      [10, 10, 0, 10, 0, 0, 10, 0],
      [0, 10, 10, 10, 10, 0, 0, 0],
    ]) {
      expect([...interpolateOutline('polygon', SQUARE, other, 0.5)]).toEqual(SQUARE);
    }
  });

  test('with different numbers of corners have the larger number between them', () => {
    // The outline of 40 in five steps of 8: corners at 0, 8, 16, 24 and 32.
    const spread = [0, 0, 8, 0, 10, 6, 6, 10, 0, 8];
    expect([...interpolateOutline('polygon', SQUARE, spread, 0.5)]).toEqual(spread);
  });

  test('that are moved keep their form on the way, whatever it is', () => {
    const point = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }));
    const shift = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 }));
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 12 }), shift, (points, [dx, dy]) => {
        const from = points.flat();
        const to = points.flatMap(([x, y]) => [x + dx, y + dy]);
        const wanted = points.flatMap(([x, y]) => [x + dx / 2, y + dy / 2]);
        const halfway = [...interpolateOutline('polygon', from, to, 0.5)];
        for (const [n, value] of halfway.entries()) expect(value).toBeCloseTo(wanted[n]!, 9);
      }),
    );
  });
});
