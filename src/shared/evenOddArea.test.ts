import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { evenOddArea } from './evenOddArea.ts';

type Corner = readonly [number, number];

/** Small whole numbers make corners lie on edges and edges on edges. The rings of polygons have the same area: see their test. */
const anyOutline = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { minLength: 3, maxLength: 14 });

function isInside(corners: readonly Corner[], x: number, y: number): boolean {
  let isOdd = false;
  for (const [n, [ax, ay]] of corners.entries()) {
    const [bx, by] = corners[(n + 1) % corners.length]!;
    if (ay <= y !== by <= y && ax + ((y - ay) * (bx - ax)) / (by - ay) < x) isOdd = !isOdd;
  }
  return isOdd;
}

test('several outlines enclose together what is inside of an odd number of them', () => {
  fc.assert(
    fc.property(fc.array(anyOutline, { minLength: 1, maxLength: 4 }), (outlines) => {
      const across = 97;
      const step = 6 / across;
      let inside = 0;
      for (let at = 0; at < across * across; at += 1) {
        const [x, y] = [((at % across) + 0.5) * step, (Math.floor(at / across) + 0.5) * step];
        if (outlines.filter((corners) => isInside(corners, x, y)).length % 2 === 1) inside += 1;
      }
      const lengths = outlines.map((corners) =>
        corners.reduce((sum, [x, y], n) => {
          const [nextX, nextY] = corners[(n + 1) % corners.length]!;
          return sum + Math.hypot(nextX - x, nextY - y);
        }, 0),
      );
      // Cells whose center is farther from the outlines than half of their diagonal are counted right.
      const error = lengths.reduce((sum, length) => sum + length + step, 0) * Math.SQRT2 * step;
      expect(
        Math.abs(evenOddArea(outlines.map((corners) => corners.flat()))! - inside * step ** 2),
      ).toBeLessThanOrEqual(error);
    }),
    { numRuns: 200 },
  );
});

test('where a polygon begins, and in which direction it was drawn, does not change its area', () => {
  fc.assert(
    fc.property(anyOutline, fc.nat(13), (corners, turn) => {
      const area = evenOddArea([corners.flat()])!;
      const start = turn % corners.length;
      const turned = [...corners.slice(start), ...corners.slice(0, start)];
      expect(evenOddArea([turned.flat()])).toBeCloseTo(area, 8);
      expect(evenOddArea([turned.toReversed().flat()])).toBeCloseTo(area, 8);
    }),
  );
});

test('a bow tie, a star, a polygon that is gone around twice and one that touches itself', () => {
  // Two triangles with a base of 10 and a height of 5.
  expect(evenOddArea([[0, 0, 10, 10, 10, 0, 0, 10]])).toBe(50);
  // Twice around is outside.
  expect(evenOddArea([[0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 4, 0, 4, 4, 0, 4]])).toBe(0);
  // A square of 8 with a square of 4 inside that hangs on it by a line, which is passed in both directions.
  const pinched = [0, 0, 8, 0, 8, 8, 0, 8, 0, 0, 2, 2, 2, 6, 6, 6, 6, 2, 2, 2];
  expect(evenOddArea([pinched])).toBe(64 - 16);
  // The pentagon in the middle of a star is gone around twice. Of a star with radius 1, area and pentagon are
  // 5 (tan 36° ± ...): the five triangles outside have 10 / ((1 + cot 36° cot 18°) · 2 tan 18°) … computed below by parts.
  const star = [0, 2, 4, 1, 3].flatMap((n) => [Math.sin((n * 2 * Math.PI) / 5), Math.cos((n * 2 * Math.PI) / 5)]);
  const inner = Math.cos((2 * Math.PI) / 5) / Math.cos(Math.PI / 5);
  // Each of the five points of the star: its base is a side of the inner pentagon, of circumradius `inner`.
  const base = 2 * inner * Math.sin(Math.PI / 5);
  const height = 1 - inner * Math.cos(Math.PI / 5);
  expect(evenOddArea([star])).toBeCloseTo((5 * base * height) / 2, 9);
});

test('an outline of 100,000 corners has an area', () => {
  const round = Array.from({ length: 100_000 }, (_, n) => {
    const angle = (n * 2 * Math.PI) / 100_000;
    const radius = 50_000 + 2_000 * Math.sin(angle * 500);
    return [60_000 + radius * Math.cos(angle), 60_000 + radius * Math.sin(angle)];
  });
  // The mean of radius² is 50,000² + 2,000² / 2. Chords are shorter than arcs by less than a millionth.
  const area = Math.PI * (50_000 ** 2 + 2_000 ** 2 / 2);
  expect(Math.abs(evenOddArea([round.flat()], { mostSteps: 20_000_000 })! / area - 1)).toBeLessThan(1e-5);
});

test('an outline that needs more steps than allowed has no area', () => {
  // 1,000 edges from side to side, of which nearly each pair crosses.
  const crossing = Array.from({ length: 1_000 }, (_, n) => [n % 2 === 0 ? 0 : 1_000, (n * 7_919) % 10_007]).flat();
  expect(evenOddArea([crossing], { mostSteps: 200_000 })).toBeUndefined();
  expect(evenOddArea([crossing], { mostSteps: 20_000_000 })).toBeGreaterThan(0);
  expect(evenOddArea([[]])).toBe(0);
});

test('an outline with more crossings than allowed has no area, and one with as many corners that does not cross has one', () => {
  // Each edge of {101/50}, a star, crosses all but two of the others: 101 x 98 / 2 = 4,949 crossings.
  const star = Array.from({ length: 101 }, (_, n) => (n * 50 * 2 * Math.PI) / 101 + 0.1234);
  const corners = star.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]);
  expect(evenOddArea([corners], { mostSteps: Infinity, mostCrossings: 4_949 })).toBeGreaterThan(0);
  expect(evenOddArea([corners], { mostSteps: Infinity, mostCrossings: 4_900 })).toBeUndefined();
  // {201/100} has 201 x 198 / 2 = 19,899.
  const larger = Array.from({ length: 201 }, (_, n) => (n * 100 * 2 * Math.PI) / 201);
  expect(evenOddArea([larger.flatMap((angle) => [Math.cos(angle), Math.sin(angle)])])).toBeUndefined();
  // A comb of 5,000 teeth, each half of its 1,000 x 2 box.
  const comb = Array.from({ length: 10_000 }, (_, n) => [n, n % 2 === 0 ? 0 : 1_000]);
  expect(evenOddArea([[...comb.flat(), 9_999, -1, 0, -1]])).toBeCloseTo((9_999 * 1_000) / 2 + 9_999, 3);
});
