import { describe, expect, test } from 'vitest';
import { growMask, shrinkMask } from './ballMask.ts';
import type { GridSpacing, VoxelGrid } from './voxelGrid.ts';

/** Wider than what is worked on at once, with slices that are not evenly spaced. */
const GRID: VoxelGrid = { columns: 150, rows: 11, slices: 4 };
const SPACING: GridSpacing = { column: 0.5, row: 1.5, positions: [0, 1, 4, 4.5] };
const RADIUS = 2;

function scatter(): Uint8Array {
  const bits = new Uint8Array(GRID.columns * GRID.rows * GRID.slices);
  // A sequence without a pattern that the grid could hide: Knuth's multiplicative hash.
  for (let at = 0; at < bits.length; at += 1) bits[at] = Number((at * 2654435761) % 4294967296 < 4294967296 * 0.004);
  bits.fill(1, 1500, 1620);
  return bits;
}

/** Every sample against every other one. */
function searchNear(bits: Uint8Array, value: number): Uint8Array {
  const { columns, rows } = GRID;
  const placeOf = (at: number) => [
    (at % columns) * SPACING.column,
    (Math.floor(at / columns) % rows) * SPACING.row,
    SPACING.positions[Math.floor(at / columns / rows)]!,
  ];
  const sources = [...bits.keys()].filter((at) => bits[at] === value).map(placeOf);
  return bits.map((_, at) => {
    const [x = 0, y = 0, z = 0] = placeOf(at);
    const isNear = ([a = 0, b = 0, c = 0]: number[]) => (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 <= RADIUS ** 2;
    return Number(sources.some(isNear));
  });
}

describe('by millimetres, as a search over all samples finds it', () => {
  const bits = scatter();
  test('a mask grows', () => {
    expect(growMask(bits, GRID, { spacing: SPACING, radius: RADIUS })).toEqual(searchNear(bits, 1));
  });

  test('a mask shrinks', () => {
    const grown = searchNear(bits, 1);
    const near = searchNear(grown, 0);
    const expected = grown.map((bit, at) => Number(bit === 1 && near[at] === 0));
    expect(shrinkMask(grown, GRID, { spacing: SPACING, radius: RADIUS })).toEqual(expected);
  });
});

test('a radius of 0 changes nothing, and a mask that covers everything does not shrink', () => {
  const bits = scatter();
  expect(growMask(bits, GRID, { spacing: SPACING, radius: 0 })).toEqual(bits);
  expect(shrinkMask(bits, GRID, { spacing: SPACING, radius: 0 })).toEqual(bits);
  const full = bits.map(() => 1);
  expect(shrinkMask(full, GRID, { spacing: SPACING, radius: 50 })).toEqual(full);
});
