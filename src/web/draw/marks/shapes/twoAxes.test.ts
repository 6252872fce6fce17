import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Point } from '../../../kit/state/viewState.ts';
import { dragAxis, orderAxes, shortAxisAt } from './twoAxes.ts';

const IMAGE = { width: 100, height: 80, aspect: 1.5 };

const anyPoint = fc.record({ x: fc.integer({ min: 0, max: 100 }), y: fc.integer({ min: 0, max: 80 }) });
const anyAxis = fc
  .tuple(anyPoint, anyPoint)
  .filter(([a, b]) => Math.hypot(b.x - a.x, b.y - a.y) > 1)
  .map(([a, b]): readonly [Point, Point] => [a, b]);

test('the short axis crosses the long one at the pointer, equally far to both sides', () => {
  // The long axis is horizontal, 60 pixels wide. The pointer is 10 rows below it.
  const long = [
    { x: 20, y: 40 },
    { x: 80, y: 40 },
  ] as const;

  expect(shortAxisAt(long, { to: { x: 50, y: 50 } }, IMAGE)).toEqual([
    { x: 50, y: 50 },
    { x: 50, y: 30 },
  ]);
  // A drag sets where it begins: 5 rows above the axis, to 10 rows below.
  expect(shortAxisAt(long, { from: { x: 30, y: 35 }, to: { x: 36, y: 50 } }, IMAGE)).toEqual([
    { x: 30, y: 35 },
    { x: 30, y: 50 },
  ]);
});

test('the short axis is perpendicular in the patient and inside the image, wherever the pointer is', () => {
  fc.assert(
    fc.property(anyAxis, anyPoint, fc.option(anyPoint, { nil: undefined }), (long, to, from) => {
      const short = shortAxisAt(long, { from, to }, IMAGE);
      expect(Math.abs(dotOf(long, short))).toBeLessThan(1e-9);
      for (const point of short) expectInside(point);
    }),
  );
});

test('both axes stay perpendicular and inside the image when an end is dragged', () => {
  fc.assert(
    fc.property(anyAxis, anyPoint, fc.integer({ min: 0, max: 3 }), anyPoint, (long, at, handle, to) => {
      const points = [...long, ...shortAxisAt(long, { to: at }, IMAGE)];
      const dragged = dragAxis(points, handle, to, IMAGE);
      const [a = to, b = to, c = to, d = to] = dragged;
      expect(dragged).toHaveLength(4);
      expect(Math.abs(dotOf([a, b], [c, d]))).toBeLessThan(1e-9);
      for (const point of dragged) expectInside(point);
      // An axis of no length is refused.
      expect(dragged[handle]).toEqual(dragged === points ? points[handle] : to);
    }),
  );
});

test('an end of the long axis takes the short one along, with its length', () => {
  const points = [
    { x: 20, y: 40 },
    { x: 60, y: 40 },
    { x: 30, y: 46 },
    { x: 30, y: 34 },
  ];

  // From 40 columns to the right to 40 columns' width down: 26.67 rows of 1.5. A quarter of the way is 6.67 rows; 6 rows
  // to each side are 9 columns' width.
  const turned = dragAxis(points, 1, { x: 20, y: 40 + 80 / 3 }, IMAGE);

  expect(turned[2]?.x).toBeCloseTo(11);
  expect(turned[3]?.x).toBeCloseTo(29);
  expect(turned[2]?.y).toBeCloseTo(40 + 20 / 3);
  expect(turned[3]?.y).toBeCloseTo(40 + 20 / 3);
});

test('the longer axis comes first, by its length in the patient', () => {
  const [a, b, c, d] = [
    { x: 0, y: 10 },
    { x: 14, y: 10 },
    { x: 5, y: 5 },
    { x: 5, y: 15 },
  ];
  // 14 columns are shorter than 10 rows of 1.5.
  expect(orderAxes([a, b, c, d], IMAGE)).toEqual([c, d, a, b]);
  expect(orderAxes([a, b, c, d], { ...IMAGE, aspect: 1 })).toEqual([a, b, c, d]);
});

/** Of the directions of two axes, relative to their lengths. */
function dotOf([a, b]: readonly [Point, Point], [c, d]: readonly [Point, Point]): number {
  const [ux, uy] = [b.x - a.x, (b.y - a.y) * IMAGE.aspect];
  const [vx, vy] = [d.x - c.x, (d.y - c.y) * IMAGE.aspect];
  const size = Math.hypot(ux, uy) * Math.hypot(vx, vy);
  // Shorter than any screen can show.
  return Math.hypot(vx, vy) < 1e-6 || Math.hypot(ux, uy) < 1e-6 ? 0 : (ux * vx + uy * vy) / size;
}

function expectInside({ x, y }: Point): void {
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x).toBeLessThanOrEqual(IMAGE.width);
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y).toBeLessThanOrEqual(IMAGE.height);
}
