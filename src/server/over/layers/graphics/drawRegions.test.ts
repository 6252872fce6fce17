import { describe, expect, test } from 'vitest';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import { drawInImage, drawInPlane, liftShape } from './drawRegions.ts';
import type { RegionShape } from './regionRecord.ts';

/** An axial plane at z = 0 with pixels of 2 mm across and 1 mm down. */
const AXIAL: ImagePlane = {
  position: [0, 0, 0],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rowSpacingMm: 1,
  columnSpacingMm: 2,
};
const UNDER = { plane: AXIAL, belowMm: 1, aboveMm: 1, rows: 100, columns: 50 };

function draw(shape: RegionShape, points: readonly (readonly number[])[], z = 0) {
  const plane = { ...AXIAL, position: [0, 0, z] as const };
  return drawInPlane(shape, Float64Array.from(points.flat()), { ...UNDER, plane });
}

describe('a shape in space', () => {
  test('that lies in the plane is drawn as it is stored', () => {
    expect(
      draw('polygon', [
        [2, 3, 0],
        [8, 3, 0],
        [8, 9, 0],
      ]),
    ).toEqual([{ shape: 'polygon', points: [1, 3, 4, 3, 4, 9], how: 'stored', distanceMm: 0, style: {} }]);
  });

  test('that lies beside the plane, within its reach, is drawn with its distance', () => {
    expect(
      draw('ellipse', [
        [0, 0, 0.5],
        [8, 0, 0.5],
        [4, -2, 0.5],
        [4, 2, 0.5],
      ]),
    ).toMatchObject([{ shape: 'ellipse', how: 'nearest', distanceMm: 0.5 }]);
    expect(
      draw('polyline', [
        [0, 0, 3],
        [8, 0, 3],
      ]),
    ).toEqual([]);
  });

  test('has only the points that belong to the plane', () => {
    expect(
      draw('point', [
        [2, 2, 0],
        [4, 4, 0.5],
        [6, 6, 5],
      ]),
    ).toEqual([
      { shape: 'point', points: [1, 2], how: 'stored', distanceMm: 0, style: {} },
      { shape: 'point', points: [2, 4], how: 'nearest', distanceMm: 0.5, style: {} },
    ]);
  });

  test('that stands across the plane is a line through its inside', () => {
    // A square of 10 mm in the plane x = 6, with a notch: the plane crosses it twice.
    const square = [
      [6, 0, -5],
      [6, 10, -5],
      [6, 10, 5],
      [6, 0, 5],
    ];
    expect(draw('polygon', square)).toEqual([
      { shape: 'polyline', points: [3, 0, 3, 10], how: 'cut', distanceMm: 0, style: {} },
    ]);
    const notched = [
      [6, 0, -5],
      [6, 10, -5],
      [6, 10, 5],
      [6, 7, 5],
      [6, 7, -2],
      [6, 3, -2],
      [6, 3, 5],
      [6, 0, 5],
    ];
    expect(draw('polygon', notched).map(({ points }) => points)).toEqual([
      [3, 0, 3, 3],
      [3, 7, 3, 10],
    ]);
  });

  test('that is an open line is drawn as far as it is near', () => {
    expect(
      draw('polyline', [
        [0, 0, -4],
        [8, 0, 4],
      ]),
    ).toEqual([{ shape: 'polyline', points: [1.5, 0, 2.5, 0], how: 'cut', distanceMm: 0, style: {} }]);
  });

  test('that is an ellipsoid is cut in an ellipse', () => {
    // A sphere of 5 mm around (10, 10, 3): at z = 0 a circle of 4 mm, which is 2 pixels across and 4 down.
    const [x, y, z] = [10, 10, 3];
    const sphere = [
      [x - 5, y, z],
      [x + 5, y, z],
      [x, y - 5, z],
      [x, y + 5, z],
      [x, y, z - 5],
      [x, y, z + 5],
    ];
    const [item] = draw('ellipsoid', sphere);
    expect(item).toMatchObject({ shape: 'ellipse', how: 'cut' });
    const [a, b, c, d] = [0, 2, 4, 6].map((at) => item!.points.slice(at, at + 2));
    // Conjugate radii p and q of an ellipse with axes along the pixels: p p + q q is the square of each half axis.
    const [p, q] = [half(a!, b!), half(c!, d!)];
    expect(p[0] ** 2 + q[0] ** 2).toBeCloseTo(4, 9);
    expect(p[1] ** 2 + q[1] ** 2).toBeCloseTo(16, 9);
    expect([(a![0]! + b![0]!) / 2, (a![1]! + b![1]!) / 2]).toEqual([expect.closeTo(5, 9), expect.closeTo(10, 9)]);
    expect(draw('ellipsoid', sphere, -2.1)).toEqual([]);
  });

  test('that is an endless line crosses the picture, or goes through it in a point', () => {
    expect(
      draw('line', [
        [10, 20, 0],
        [12, 20, 0],
      ])[0],
    ).toMatchObject({
      shape: 'polyline',
      points: [-0.5, 20, 49.5, 20],
      style: { isDashed: true },
    });
    expect(
      draw('line', [
        [10, 20, -4],
        [10, 20, 4],
      ]),
    ).toMatchObject([{ shape: 'point', points: [5, 20], how: 'cut' }]);
  });

  test('that is an endless plane crosses the picture in a line', () => {
    const [item] = draw('plane', [
      [10, 0, 0],
      [10, 5, 7],
      [10, 9, -3],
    ]);
    expect(item?.how).toBe('cut');
    expect(item?.points.map((value) => Math.round(value * 1e6) / 1e6).toSorted((a, b) => a - b)).toEqual([
      -0.5, 5, 5, 99.5,
    ]);
    expect(
      draw('plane', [
        [0, 0, 5],
        [1, 0, 5],
        [0, 1, 5],
      ]),
    ).toEqual([]);
  });

  test('of no extent draws nothing that is not a number', () => {
    const nothing = [
      [1, 1, 0.1],
      [1, 1, 0.1],
      [1, 1, 0.1],
      [1, 1, 0.1],
      [1, 1, 0.1],
      [1, 1, 0.1],
    ];
    for (const shape of ['ellipsoid', 'ellipse', 'plane', 'line', 'polygon'] as const) {
      const count = { ellipsoid: 6, ellipse: 4, plane: 3, line: 2, polygon: 3 }[shape];
      for (const { points } of draw(shape, nothing.slice(0, count))) expect(points.every(Number.isFinite)).toBe(true);
    }
  });
});

function half(from: readonly number[], to: readonly number[]): readonly [number, number] {
  return [(to[0]! - from[0]!) / 2, (to[1]! - from[1]!) / 2];
}

test('a shape on one level of a slide is moved to the pixels of another one', () => {
  const map = { scaleX: 4, scaleY: 4, shiftX: 1.5, shiftY: 1.5 };
  // The centre of the first pixel of a level with pixels four times as large is (1.5, 1.5) in the largest one.
  const drawn = drawInImage('polyline', Float64Array.of(0, 0, 0, 1, 2, 0), { map, aspectRatio: 1 }, UNDER);
  expect(drawn).toMatchObject([{ shape: 'polyline', points: [1.5, 1.5, 5.5, 9.5] }]);
});

describe('a circle in an image', () => {
  const map = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 };
  // Around (20, 30), through a point 3 columns to the right and 8 rows down.
  const circle = Float64Array.of(20, 30, 0, 23, 38, 0);

  test('stays a circle where pixels are square', () => {
    const drawn = drawInImage('circle', circle, { map, aspectRatio: 1 }, UNDER);
    expect(drawn).toMatchObject([{ shape: 'circle', points: [20, 30, 23, 38] }]);
  });

  test('has the same radius in millimetres in all directions where pixels are not', () => {
    // With pixels of 1 mm across and 0.5 mm down, the radius is the square root of 3² + 4²: 5 columns, or 10 rows.
    const drawn = drawInImage('circle', circle, { map, aspectRatio: 0.5 }, UNDER);
    expect(drawn).toMatchObject([{ shape: 'ellipse', points: [15, 30, 25, 30, 20, 20, 20, 40] }]);
  });

  test('is the same region whichever of its points the report names', () => {
    // Straight to the right, and straight down.
    for (const [x, y] of [
      [25, 30],
      [20, 40],
    ] as const) {
      const drawn = drawInImage('circle', Float64Array.of(20, 30, 0, x, y, 0), { map, aspectRatio: 0.5 }, UNDER);
      expect(drawn).toMatchObject([{ shape: 'ellipse', points: [15, 30, 25, 30, 20, 20, 20, 40] }]);
    }
  });

  test('is a circle in space', () => {
    // Pixels of 2 mm across and 1 mm down: 6 mm and 8 mm make a radius of 10 mm around (40, 30).
    const { shape, points } = liftShape('circle', circle, AXIAL);
    expect([shape, ...points]).toEqual(['ellipse', 30, 30, 0, 50, 30, 0, 40, 20, 0, 40, 40, 0]);
  });
});
