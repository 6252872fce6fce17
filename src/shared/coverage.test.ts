import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverMask, coverOutline } from './coverage.ts';
import type { MarkKind } from './contract/marks.ts';

const SIZE = { rows: 12, columns: 16 };

function draw(kind: MarkKind, points: readonly number[]): string[] {
  const rows = Array.from({ length: SIZE.rows }, () => Array.from({ length: SIZE.columns }, () => '.'));
  coverOutline(kind, points, SIZE, (row, first, end) => {
    for (let column = first; column < end; column += 1) {
      expect(rows[row]![column]).toBe('.');
      rows[row]![column] = '#';
    }
  });
  return rows.map((row) => row.join(''));
}

/** In eighths, so that all products are exact and centers lie on the outline often enough. */
const coordinate = (most: number) => fc.integer({ min: -24, max: 8 * (most + 3) }).map((eighths) => eighths / 8);
const corner = fc.tuple(coordinate(SIZE.columns), coordinate(SIZE.rows));

/** On the outline, or with an odd number of edges to the right. */
function isInside(polygon: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let inside = false;
  for (const [n, [x1, y1]] of polygon.entries()) {
    const [x2, y2] = polygon[(n + 1) % polygon.length]!;
    const side = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
    if (side === 0 && isBetween(x, x1, x2) && isBetween(y, y1, y2)) return true;
    if (y1 <= y !== y2 <= y && (y1 < y2 ? side > 0 : side < 0)) inside = !inside;
  }
  return inside;
}

function isBetween(value: number, a: number, b: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b);
}

test('a polygon has the pixels whose centers are inside or on its outline, also if it crosses itself or leaves the image', () => {
  fc.assert(
    fc.property(fc.array(corner, { minLength: 3, maxLength: 9 }), (polygon) => {
      const drawn = draw('polygon', polygon.flat());
      for (const [row, pixels] of drawn.entries()) {
        for (const [column, pixel] of Array.from(pixels).entries()) {
          expect(pixel === '#').toBe(isInside(polygon, column + 0.5, row + 0.5));
        }
      }
    }),
  );
});

test('a center on the edge of a polygon is inside, as it is for other shapes, so that two that share an edge leave none out', () => {
  // The edge passes through the centers of pixels.
  const left = draw('polygon', [0, 0, 6.5, 0, 6.5, 8, 0, 8]);
  const right = draw('polygon', [6.5, 0, 10, 0, 10, 8, 6.5, 8]);
  expect(left[0]).toBe('#######.........');
  expect(right[0]).toBe('......####......');
  expect(left[8]).toBe('................');
});

test('a polygon as thin as a line has the pixels whose centers are on it', () => {
  // The line from 0, 0 to 19, 15 passes through x = 19 / 15 × y: at y = 7.5 through the center at 9.5, and through no
  // other in the image: 2.5 / 15 × 19 = 3.17 and so on. Its doubled corner is an edge without a length.
  const drawn = draw('polygon', [0, 0, 0, 0, 19, 15]);
  expect(drawn[7]).toBe('.........#......');
  expect(drawn.join('').replaceAll('.', '')).toBe('#');
});

test('a center that rounding moves to either side of an edge is in one of the two polygons that share it', () => {
  // The edge passes through the center at 0.5, 1.5, as near as doubles can say, and one polygon has it in the other direction.
  const [a, b] = [
    [1.2036709048519105, 0.9176728174938734],
    [-2.4762753742166748, 3.9630349799594358],
  ] as const;
  const covered = [draw('polygon', [...a, ...b, -9, 3, -9, 1]), draw('polygon', [...b, ...a, 9, 1, 9, 3])].map(
    (rows) => rows[1]![0],
  );
  expect(covered).toContain('#');
});

test('a box and an ellipse have the pixels whose centers are inside', () => {
  expect(draw('box', [5, 4, 1.6, 1])).toEqual(draw('polygon', [2, 1, 5, 1, 5, 4, 2, 4]));
  // Half axes of 3 and 2 around 3, 2: at y = 0.5, |x - 3| ≤ 3 √(1 - 0.5625) = 1.98; at y = 1.5, 2.90.
  expect(draw('ellipse', [0, 0, 6, 4]).slice(0, 4)).toEqual([
    '.####...........',
    '######..........',
    '######..........',
    '.####...........',
  ]);
});

test('runs of a mask are cut at the ends of its rows', () => {
  const rows: [number, number, number][] = [];
  // Of 3 columns: one outside, five inside, two outside, one inside.
  coverMask([4, 2, 3, 3], [1, 5, 2, 1], (row, first, end) => rows.push([row, first, end]));
  expect(rows).toEqual([
    [2, 5, 7],
    [3, 4, 7],
    [4, 6, 7],
  ]);
});
