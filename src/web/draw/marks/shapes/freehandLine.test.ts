import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { simplifyLine } from './freehandLine.ts';
import { distanceToLines } from './outline.ts';

const anyPoint = fc.record({ x: fc.integer({ min: 0, max: 40 }), y: fc.integer({ min: 0, max: 40 }) });
const anyLine = fc.array(anyPoint, { minLength: 2, maxLength: 40 });

test('a line keeps its ends, and no removed point is farther from it than the tolerance', () => {
  fc.assert(
    fc.property(anyLine, fc.integer({ min: 0, max: 8 }), (points, tolerance) => {
      const kept = simplifyLine(points, tolerance);
      expect([kept[0], kept.at(-1)]).toEqual([points[0], points.at(-1)]);
      for (const point of points) expect(distanceToLines(point, kept)).toBeLessThanOrEqual(tolerance);
    }),
  );
});

test('points on a straight line are not needed', () => {
  const points = Array.from({ length: 50 }, (_, x) => ({ x, y: 2 * x }));
  expect(simplifyLine(points, 0.01)).toEqual([points[0], points[49]]);
});

test('a line has no more points than a mark can have', () => {
  const zigzag = Array.from({ length: 100 }, (_, x) => ({ x, y: x % 2 }));
  expect(simplifyLine(zigzag, 0)).toHaveLength(100);
  expect(simplifyLine(zigzag, 0, 20).length).toBeLessThanOrEqual(20);
});
