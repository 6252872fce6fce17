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

const coordinate = (most: number) => fc.double({ min: -3, max: most + 3, noNaN: true });
const corner = fc.tuple(coordinate(SIZE.columns), coordinate(SIZE.rows));

/** Ray casting, from the definition of the even-odd rule. */
function isInside(polygon: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let inside = false;
  for (const [n, [x1, y1]] of polygon.entries()) {
    const [x2, y2] = polygon[(n + 1) % polygon.length]!;
    if (y1 <= y !== y2 <= y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) inside = !inside;
  }
  return inside;
}

test('a polygon has the pixels whose centers are inside, also if it crosses itself or leaves the image', () => {
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
