import { expect, test } from 'vitest';
import { coverRings } from './coverRings.ts';

const SIZE = { rows: 8, columns: 10, mostCrossings: 100 };

/** The painted pixels, row by row. */
function paint(rings: readonly number[][], limits = SIZE): string[] | undefined {
  const rows = Array.from({ length: limits.rows }, () => Array.from({ length: limits.columns }, () => '.'));
  const isDone = coverRings(rings, limits, (row, first, end) => rows[row]!.fill('#', first, end));
  return isDone ? rows.map((row) => row.join('')) : undefined;
}

test('a pixel is inside of a contour if its center is; a center on the left or upper edge is inside, on the others not', () => {
  // Along the centers of columns 2 and 6 and of rows 1 and 4.
  const square = [2, 1, 6, 1, 6, 4, 2, 4];
  expect(paint([square])).toEqual([
    '..........',
    '..####....',
    '..####....',
    '..####....',
    '..........',
    '..........',
    '..........',
    '..........',
  ]);
});

test('a contour inside of another one is a hole, whatever their directions', () => {
  const outer = [0.5, 0.5, 7.5, 0.5, 7.5, 6.5, 0.5, 6.5];
  const inner = [2.5, 2.5, 2.5, 4.5, 4.5, 4.5, 4.5, 2.5];
  const expected = [
    '..........',
    '.#######..',
    '.#######..',
    '.##..###..',
    '.##..###..',
    '.#######..',
    '.#######..',
    '..........',
  ];
  expect(paint([outer, inner])).toEqual(expected);
  expect(
    paint([inner.toReversed().flatMap((_, n, all) => (n % 2 === 0 ? [all[n + 1]!, all[n]!] : [])), outer]),
  ).toEqual(expected);
});

test('corners that miss the centers of pixels by the rounding of a file are on them', () => {
  const exact = [2, 1, 6, 1, 6, 4, 2, 4];
  const rounded = exact.map((value, n) => value + (n % 3 === 0 ? 3e-5 : -3e-5));
  expect(paint([rounded])).toEqual(paint([exact]));
});

test('two areas that share an edge have no pixel in common and leave none out', () => {
  // The diagonal from (0, 0) to (8, 8) goes through centers.
  const [above, below] = [paint([[0, 0, 8, 0, 8, 8]])!, paint([[0, 0, 8, 8, 0, 8]])!];
  for (const [row, line] of above.entries()) {
    for (let column = 0; column < 8; column += 1) {
      expect(`${line[column]}${below[row]![column]}`).toMatch(/^(#\.|\.#)$/);
    }
  }
});

test('what lies beyond the picture is cut off, and too many crossings are refused before any is made', () => {
  expect(paint([[-5, -5, 20, -5, 20, 20, -5, 20]])).toEqual(Array.from({ length: 8 }, () => '##########'));
  expect(paint([[2, 1, 6, 1, 6, 4, 2, 4]], { ...SIZE, mostCrossings: 5 })).toBeUndefined();
  expect(paint([[2, 1, 6, 1, 6, 4, 2, 4]], { ...SIZE, mostCrossings: 6 })).toBeDefined();
  expect(paint([[]])).toEqual(Array.from({ length: 8 }, () => '..........'));
});
