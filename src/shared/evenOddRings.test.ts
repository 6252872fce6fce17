import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { evenOddArea } from './evenOddArea.ts';
import { evenOddRings, type SimplePolygon, type SimpleRing } from './evenOddRings.ts';

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
      expect(evenOddArea([outline])).toBeCloseTo(areaOfAll(polygons!), 9);
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

test('a bow tie is two triangles, and a square that hangs on the inside of another one is a hole', () => {
  expect(evenOddRings([0, 0, 10, 10, 10, 0, 0, 10])).toHaveLength(2);
  // The line to the hole is passed in both directions.
  const pinched = [0, 0, 8, 0, 8, 8, 0, 8, 0, 0, 2, 2, 2, 6, 6, 6, 6, 2, 2, 2];
  expect(evenOddRings(pinched)).toMatchObject([[{ length: 4 }, { length: 4 }]]);
});

test('a simple polygon is returned as it is', () => {
  const corners = [
    [0.1, 0.2],
    [4.3, 0],
    [4, 5.7],
  ];
  expect(evenOddRings([...corners, [4, 5.7]].flat())).toEqual([[corners]]);
});

test('an outline that leaves thousands of parts, because it goes back on its own edges, has no rings', () => {
  const count = 3_000;
  // Three sides of each square, and a bridge to the next one; the way back has the fourth sides.
  const there = Array.from({ length: count }, (_, n) => [2 * n, 0, 2 * n, 1, 2 * n + 1, 1, 2 * n + 1, 0]);
  const back = Array.from({ length: count }, (_, n) => [2 * (count - n) - 1, 0, 2 * (count - n) - 2, 0]);
  expect(evenOddRings([...there, ...back].flat())).toBeUndefined();
  // A hundred of them have some.
  const few = [...there.slice(0, 100), ...back.slice(-100)];
  expect(areaOfAll(evenOddRings(few.flat())!)).toBe(100);
});
