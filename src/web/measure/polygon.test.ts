import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crossesItself, polygonArea } from './polygon.ts';

test('the area of a polygon is that in the patient', () => {
  // A box of 4 columns of 2 mm by 6 rows of 0.5 mm, 24 mm², without a triangle of 4 columns by 3 rows, 6 mm².
  const corners = [
    { x: 10, y: 10 },
    { x: 14, y: 13 },
    { x: 14, y: 16 },
    { x: 10, y: 16 },
  ];
  expect(polygonArea(corners, [0.5, 2])).toBeCloseTo(18);
});

test('where a polygon begins, and in which direction it was drawn, does not change its area', () => {
  const anyPoint = fc.record({ x: fc.integer({ min: 0, max: 1e6 }), y: fc.integer({ min: 0, max: 1e6 }) });
  fc.assert(
    fc.property(fc.array(anyPoint, { minLength: 3, maxLength: 9 }), fc.nat(8), (corners, turn) => {
      const area = polygonArea(corners, [1, 1]);
      const start = turn % corners.length;
      const turned = [...corners.slice(start), ...corners.slice(0, start)];
      expect(polygonArea(turned, [1, 1])).toBe(area);
      expect(polygonArea(turned.toReversed(), [1, 1])).toBe(area);
    }),
  );
});

test('an outline that crosses itself is recognised, one that touches itself is not', () => {
  const [a, b, c, d] = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: 10 },
    { x: 0, y: 10 },
  ];
  expect(crossesItself([a, b, c, d])).toBe(false);
  expect(crossesItself([a, c, b, d])).toBe(true);
  expect(crossesItself([a, b, { x: 5, y: 0 }, c, d])).toBe(false);
  expect(crossesItself([a, b, c])).toBe(false);
});
