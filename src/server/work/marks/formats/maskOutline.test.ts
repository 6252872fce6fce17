import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MASK_TILES_ACROSS } from '../../../../shared/contract/marks.ts';
import { packMarkSlices } from '../markContent.ts';
import { fillRings, traceMask } from './maskOutline.ts';

/** A mask that reaches over the corner where four tiles meet. */
function pack(pixels: ReadonlySet<string>) {
  // Each pixel is a square ring; even-odd joins them.
  const squares = [...pixels].map((pixel) => {
    const [x = 0, y = 0] = pixel.split(' ').map(Number);
    return [
      [x, y],
      [x + 1, y],
      [x + 1, y + 1],
      [x, y + 1],
    ] as [number, number][];
  });
  const tiles = fillRings(squares, 1);
  return {
    tiles,
    slices: packMarkSlices(tiles.map(({ tile, mask }) => ({ file_index: 0, frame_index: tile, points: [], mask }))),
  };
}

const pixels = fc
  .array(fc.tuple(fc.integer({ min: 252, max: 260 }), fc.integer({ min: 252, max: 260 })), {
    minLength: 1,
    maxLength: 60,
  })
  .map((list) => new Set(list.map(([x, y]) => `${x} ${y}`)));

function areaOf(ring: readonly (readonly [number, number])[]): number {
  let sum = 0;
  for (let n = 1; n < ring.length; n += 1) sum += ring[n - 1]![0] * ring[n]![1] - ring[n]![0] * ring[n - 1]![1];
  return sum / 2;
}

test('the outlines of a mask enclose its pixels and are read back as the same mask', () => {
  fc.assert(
    fc.property(pixels, fc.constantFrom(1, 2, 16), (given, step) => {
      const { tiles, slices } = pack(given);
      const polygons = traceMask(slices, step);
      // Outer rings have a positive area and holes a negative one, so the sum is the area of the mask.
      const area = polygons.flat().reduce((sum, ring) => sum + areaOf(ring), 0);
      expect(area).toBe(given.size * step ** 2);
      for (const [outer, ...holes] of polygons) {
        expect(areaOf(outer!)).toBeGreaterThan(0);
        const xs = outer!.map(([x]) => x);
        for (const hole of holes) {
          expect(areaOf(hole)).toBeLessThan(0);
          expect(Math.min(...hole.map(([x]) => x))).toBeGreaterThan(Math.min(...xs));
        }
      }
      expect(fillRings(polygons.flat(), step)).toEqual(tiles);
    }),
  );
});

test('a ring has a corner only where it turns, and a hole belongs to the area around it', () => {
  // 3 x 3 without the middle; beside it a single pixel that touches it at a corner.
  const ring = ['0 0', '1 0', '2 0', '0 1', '2 1', '0 2', '1 2', '2 2', '3 3'];
  const polygons = traceMask(pack(new Set(ring)).slices, 1);
  expect(polygons.map((polygon) => polygon.map((one) => one.length))).toEqual([[5, 5], [5]]);
});

test('runs are packed row by row within the smallest rectangle of each tile', () => {
  const { tiles } = pack(new Set(['255 5', '256 5', '257 5', '257 7']));
  expect(tiles).toEqual([
    { tile: 0, mask: { left: 255, top: 5, width: 1, height: 1, runs: [0, 1] } },
    // 2 x 3: two pixels, two rows without, and one at the right.
    { tile: 1, mask: { left: 256, top: 5, width: 2, height: 3, runs: [0, 2, 3, 1] } },
  ]);
  expect(pack(new Set(['0 256'])).tiles[0]?.tile).toBe(MASK_TILES_ACROSS);
});

function box(width: number, height: number): [number, number][] {
  return [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
}

test('outlines that no mask can have are refused', () => {
  expect(() => fillRings([box(1e9, 1)], 1)).toThrow('outside of every slide');
  expect(() => fillRings([box(1, 8_000_000)], 1)).toThrow('too long');
  expect(() => fillRings([box(256 * 10_001, 1)], 1)).toThrow('at most 10000 tiles');
  expect(() =>
    fillRings(
      [
        [
          [0, 0],
          [NaN, 5],
          [5, 5],
        ],
      ],
      1,
    ),
  ).toThrow('outside of every slide');
});
