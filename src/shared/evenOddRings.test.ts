import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { evenOddArea, evenOddRings, type SimplePolygon, type SimpleRing } from './evenOddRings.ts';

type Corner = readonly [number, number];

function areaOf(ring: SimpleRing): number {
  return (
    Math.abs(
      ring.reduce((sum, [x, y], n) => {
        const [nextX, nextY] = ring[(n + 1) % ring.length]!;
        return sum + x * nextY - nextX * y;
      }, 0),
    ) / 2
  );
}

function areaOfAll(polygons: readonly SimplePolygon[]): number {
  return polygons.reduce(
    (sum, [outer, ...holes]) => sum + areaOf(outer!) - holes.reduce((own, hole) => own + areaOf(hole), 0),
    0,
  );
}

function isInside(corners: readonly Corner[], x: number, y: number): boolean {
  let isOdd = false;
  for (const [n, [ax, ay]] of corners.entries()) {
    const [bx, by] = corners[(n + 1) % corners.length]!;
    if (ay <= y !== by <= y && ax + ((y - ay) * (bx - ax)) / (by - ay) < x) isOdd = !isOdd;
  }
  return isOdd;
}

/** The ends of edges that two rings, or one with itself, have in common, and whether edges meet elsewhere. */
function meet([a, b]: readonly [Corner, Corner], [c, d]: readonly [Corner, Corner]): 'apart' | 'ends' | 'within' {
  const shared = [a, b].filter((one) => [c, d].some((other) => one[0] === other[0] && one[1] === other[1])).length;
  const side = (p: Corner, q: Corner, r: Corner) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  const [sa, sb, sc, sd] = [side(c, d, a), side(c, d, b), side(a, b, c), side(a, b, d)];
  if (shared === 2) return 'within';
  if (shared === 1) return 'ends';
  return sa * sb < 0 && sc * sd < 0 ? 'within' : 'apart';
}

function edgesOf(ring: SimpleRing): (readonly [Corner, Corner])[] {
  return ring.map((corner, n) => [corner, ring[(n + 1) % ring.length]!] as const);
}

/** Small whole numbers make corners lie on edges and edges on edges; fractions make crossings that must be rounded. */
const anyOutline = fc.oneof(
  fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { minLength: 3, maxLength: 14 }),
  fc.array(fc.tuple(fc.double({ min: 0, max: 6, noNaN: true }), fc.double({ min: 0, max: 6, noNaN: true })), {
    minLength: 3,
    maxLength: 14,
  }),
);

test('the rings of any polygon have the area that is inside by the even-odd rule', () => {
  fc.assert(
    fc.property(anyOutline, (corners) => {
      const outline = corners.flat();
      const polygons = evenOddRings(outline);
      // Lines between the corners of whole numbers and of halves would lie on the outline.
      const across = 97;
      const step = 6 / across;
      let inside = 0;
      for (let row = 0; row < across; row += 1) {
        for (let column = 0; column < across; column += 1) {
          if (isInside(corners, (column + 0.5) * step, (row + 0.5) * step)) inside += 1;
        }
      }
      const perimeter = edgesOf(corners).reduce((sum, [a, b]) => sum + Math.hypot(b[0] - a[0], b[1] - a[1]), 0);
      // Cells whose center is farther from the outline than half of their diagonal are counted right.
      const error = (perimeter + step) * Math.SQRT2 * step;
      expect(Math.abs(areaOfAll(polygons!) - inside * step ** 2)).toBeLessThanOrEqual(error);
      expect(evenOddArea(outline)).toBeCloseTo(areaOfAll(polygons!), 9);
    }),
    { numRuns: 300 },
  );
});

test('no ring crosses or touches itself, and rings meet only at corners', () => {
  fc.assert(
    fc.property(anyOutline, (corners) => {
      const rings = evenOddRings(corners.flat())!.flat();
      for (const [n, ring] of rings.entries()) {
        expect(ring.length).toBeGreaterThanOrEqual(3);
        expect(new Set(ring.map(String)).size).toBe(ring.length);
        for (const other of rings.slice(n)) {
          for (const [i, e] of edgesOf(ring).entries()) {
            for (const f of edgesOf(other).slice(other === ring ? i + 1 : 0)) expect(meet(e, f)).not.toBe('within');
          }
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('where a polygon begins, and in which direction it was drawn, does not change its area', () => {
  fc.assert(
    fc.property(anyOutline, fc.nat(13), (corners, turn) => {
      const area = evenOddArea(corners.flat())!;
      const start = turn % corners.length;
      const turned = [...corners.slice(start), ...corners.slice(0, start)];
      expect(evenOddArea(turned.flat())).toBeCloseTo(area, 8);
      expect(evenOddArea(turned.toReversed().flat())).toBeCloseTo(area, 8);
    }),
  );
});

test('a bow tie, a star, a polygon that is gone around twice and one that touches itself', () => {
  // Two triangles with a base of 10 and a height of 5.
  expect(evenOddArea([0, 0, 10, 10, 10, 0, 0, 10])).toBe(50);
  expect(evenOddRings([0, 0, 10, 10, 10, 0, 0, 10])).toHaveLength(2);
  // Twice around is outside.
  expect(evenOddArea([0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 4, 0, 4, 4, 0, 4])).toBe(0);
  // A square of 8 with a square of 4 inside that hangs on it by a line, which is passed in both directions.
  const pinched = [0, 0, 8, 0, 8, 8, 0, 8, 0, 0, 2, 2, 2, 6, 6, 6, 6, 2, 2, 2];
  expect(evenOddArea(pinched)).toBe(64 - 16);
  expect(evenOddRings(pinched)).toMatchObject([[{ length: 4 }, { length: 4 }]]);
  // The pentagon in the middle of a star is gone around twice. Of a star with radius 1, area and pentagon are
  // 5 (tan 36° ± ...): the five triangles outside have 10 / ((1 + cot 36° cot 18°) · 2 tan 18°) … computed below by parts.
  const star = [0, 2, 4, 1, 3].flatMap((n) => [Math.sin((n * 2 * Math.PI) / 5), Math.cos((n * 2 * Math.PI) / 5)]);
  const inner = Math.cos((2 * Math.PI) / 5) / Math.cos(Math.PI / 5);
  // Each of the five points of the star: its base is a side of the inner pentagon, of circumradius `inner`.
  const base = 2 * inner * Math.sin(Math.PI / 5);
  const height = 1 - inner * Math.cos(Math.PI / 5);
  expect(evenOddArea(star)).toBeCloseTo((5 * base * height) / 2, 9);
});

test('a simple polygon is returned as it is', () => {
  const corners = [
    [0.1, 0.2],
    [4.3, 0],
    [4, 5.7],
  ];
  expect(evenOddRings([...corners, [4, 5.7]].flat())).toEqual([[corners]]);
});

test('an outline of 100,000 corners has an area, and one of 20,000 edges that all cross each other has none', () => {
  const round = Array.from({ length: 100_000 }, (_, n) => {
    const angle = (n * 2 * Math.PI) / 100_000;
    const radius = 50_000 + 2_000 * Math.sin(angle * 500);
    return [60_000 + radius * Math.cos(angle), 60_000 + radius * Math.sin(angle)];
  });
  // The mean of radius² is 50,000² + 2,000² / 2. Chords are shorter than arcs by less than a millionth.
  const area = Math.PI * (50_000 ** 2 + 2_000 ** 2 / 2);
  expect(Math.abs(evenOddArea(round.flat())! / area - 1)).toBeLessThan(1e-5);

  const crossing = Array.from({ length: 20_000 }, (_, n) => [n % 2 === 0 ? 0 : 1_000, (n * 7_919) % 10_007]);
  expect(evenOddArea(crossing.flat())).toBeUndefined();
});

test('an outline that leaves thousands of parts, because it goes back on its own edges, has no area', () => {
  const count = 3_000;
  // Three sides of each square, and a bridge to the next one; the way back has the fourth sides.
  const there = Array.from({ length: count }, (_, n) => [2 * n, 0, 2 * n, 1, 2 * n + 1, 1, 2 * n + 1, 0]);
  const back = Array.from({ length: count }, (_, n) => [2 * (count - n) - 1, 0, 2 * (count - n) - 2, 0]);
  expect(evenOddArea([...there, ...back].flat())).toBeUndefined();
  // A hundred of them have one.
  const few = [...there.slice(0, 100), ...back.slice(-100)];
  expect(evenOddArea(few.flat())).toBe(100);
});
