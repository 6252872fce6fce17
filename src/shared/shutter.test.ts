import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyShutters, type Shutter } from './shutter.ts';

test('a rectangle shows its edges and its inside', () => {
  expect(shuttered(4, 5, { shape: 'rectangular', left: 2, right: 4, upper: 2, lower: 3 })).toEqual([
    '.....',
    '.###.',
    '.###.',
    '.....',
  ]);
});

test('a circle shows what is within its radius', () => {
  // Distance from row 3, column 3: the corners of the 3 x 3 square are 1.41 away, the points of the cross 2.
  expect(shuttered(5, 5, { shape: 'circular', center: [3, 3], radius: 2 })).toEqual([
    '..#..',
    '.###.',
    '#####',
    '.###.',
    '..#..',
  ]);
});

test('a polygon shows its vertices, its edges and its inside', () => {
  const triangle: Shutter = {
    shape: 'polygonal',
    vertices: [
      [1, 3],
      [3, 1],
      [3, 5],
    ],
  };
  expect(shuttered(4, 5, triangle)).toEqual(['..#..', '.###.', '#####', '.....']);
});

test('a polygon may be concave', () => {
  const cup: Shutter = {
    shape: 'polygonal',
    vertices: [
      [1, 1],
      [4, 1],
      [4, 6],
      [1, 6],
      [1, 5],
      [3, 5],
      [3, 2],
      [1, 2],
    ],
  };
  expect(shuttered(5, 7, cup)).toEqual(['##..##.', '##..##.', '######.', '######.', '.......']);
});

test('a bitmap hides where it is set', () => {
  const overlay = { rows: 2, columns: 3, origin: [2, 2], mask: Uint8Array.of(1, 0, 1, 0, 1, 0) } as const;
  expect(shuttered(4, 5, { shape: 'bitmap', overlay })).toEqual(['#####', '#.#.#', '##.##', '#####']);
});

test('of two shutters, only what both show is visible', () => {
  const left: Shutter = { shape: 'rectangular', left: 1, right: 2, upper: 1, lower: 3 };
  const top: Shutter = { shape: 'rectangular', left: 1, right: 3, upper: 1, lower: 1 };
  expect(shuttered(3, 3, left, top)).toEqual(['##.', '...', '...']);
});

test.each([
  [0, 0],
  [0x8000, 0x80],
  [0xffff, 0xff],
])('the presentation value %i covers with gray %i', (presentationValue, gray) => {
  const pixels = new Uint8Array(6).fill(7);
  const nothing: Shutter = { shape: 'circular', center: [50, 50], radius: 1 };
  applyShutters({ rows: 1, columns: 2, channels: 3, pixels }, { shutters: [nothing], presentationValue });
  expect([...pixels]).toEqual(Array(6).fill(gray));
});

test('a rectangle given as a polygon hides the same', () => {
  const edge = fc.integer({ min: -3, max: 14 });
  fc.assert(
    fc.property(edge, edge, edge, edge, (a, b, c, d) => {
      const [left, right] = [Math.min(a, b), Math.max(a, b)];
      const [upper, lower] = [Math.min(c, d), Math.max(c, d)];
      const vertices = [
        [upper, left],
        [upper, right],
        [lower, right],
        [lower, left],
      ] as const;
      expect(shuttered(12, 12, { shape: 'polygonal', vertices })).toEqual(
        shuttered(12, 12, { shape: 'rectangular', left, right, upper, lower }),
      );
    }),
  );
});

function shuttered(rows: number, columns: number, ...shutters: Shutter[]): string[] {
  const pixels = new Uint8Array(rows * columns).fill(255);
  applyShutters({ rows, columns, channels: 1, pixels }, { shutters, presentationValue: 0 });
  return Array.from({ length: rows }, (_, row) =>
    Array.from(pixels.subarray(row * columns, (row + 1) * columns), (gray) => (gray === 0 ? '.' : '#')).join(''),
  );
}
