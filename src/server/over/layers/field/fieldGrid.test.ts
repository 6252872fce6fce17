import { describe, expect, test } from 'vitest';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import { createMeeting, createPictureColumns, putPicture } from '../volumeExtent.ts';
import { chooseFieldGrid } from './fieldGrid.ts';

/** 6 rows and 5 columns of 4 x 3 mm, 7 slices 2 mm apart, from (10, 20, 30). */
const TABLE: PositionTable = {
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rows: 6,
  columns: 5,
  rowSpacingMm: 4,
  columnSpacingMm: 3,
  positionsMm: Float64Array.from({ length: 7 }, (_, place) => 30 + 2 * place),
  points: Float64Array.from({ length: 21 }, (_, i) => [10, 20, 30 + 2 * Math.floor(i / 3)][i % 3]!),
  isHole: new Uint8Array(6),
  spacingMm: 2,
};

const TARGET: PlaneGrid = {
  position: [0, 0, 33],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rowSpacingMm: 0.5,
  columnSpacingMm: 0.5,
  rows: 200,
  columns: 200,
};

describe('the grid of a volume over a picture', () => {
  test('is that of the volume where the picture runs along its axes', () => {
    const { grid, toTarget } = chooseFieldGrid(TABLE, TARGET)!;
    expect(grid).toMatchObject({ rows: 6, columns: 5, rowSpacingMm: 4, columnSpacingMm: 3, position: [10, 20, 33] });
    expect(toTarget).toEqual([6, 0, 0, 8, 20, 40]);
  });

  test('also in the opposite direction, and across the slices', () => {
    const flipped = chooseFieldGrid(TABLE, { ...TARGET, rowDirection: [-1, 0, 0], position: [50, 0, 33] })!;
    expect(flipped.grid).toMatchObject({ columns: 5, position: [22, 20, 33] });
    const coronal = chooseFieldGrid(TABLE, { ...TARGET, columnDirection: [0, 0, -1], position: [0, 25, 60] })!;
    expect(coronal.grid).toMatchObject({ rows: 7, columns: 5, rowSpacingMm: 2, position: [10, 25, 42] });
  });

  test('is cut to the picture, with a sample beyond each border', () => {
    // From 12.75 to 18.25 mm: between the samples at 10, 13, 16, 19.
    const { grid } = chooseFieldGrid(TABLE, { ...TARGET, position: [13, 0, 33], columns: 11 })!;
    expect(grid).toMatchObject({ columns: 4, position: [expect.closeTo(10, 9), 20, 33] });
  });

  test('is twice as fine as the volume in an oblique plane, but not finer than the picture', () => {
    const [cosine, sine] = [Math.cos(0.5), Math.sin(0.5)];
    const oblique = { rowDirection: [cosine, sine, 0], columnDirection: [-sine, cosine, 0] } as const;
    const { grid } = chooseFieldGrid(TABLE, { ...TARGET, ...oblique })!;
    // 3 mm / cos 0.5 is the way from column to column: half of it.
    expect(grid.columnSpacingMm).toBeCloseTo(1.5 / cosine, 9);
    const coarse = chooseFieldGrid(TABLE, { ...TARGET, ...oblique, columnSpacingMm: 5, rowSpacingMm: 5 })!;
    expect([coarse.grid.rowSpacingMm, coarse.grid.columnSpacingMm]).toEqual([5, 5]);
  });

  test('is nothing where the two do not meet: beside the volume, and more than half a slice above it', () => {
    const targets = ([24, 23, 0] as const).map((x, at): PlaneGrid => ({
      ...TARGET,
      position: [x, 0, [33, 33, 42.9][at]!],
    }));
    const pictures = createPictureColumns(targets.length);
    for (const [at, target] of targets.entries()) putPicture(pictures, at, target);
    const meets = createMeeting(TABLE);
    expect(targets.map((_, at) => meets(pictures, at))).toEqual([false, true, true]);
    expect(chooseFieldGrid(TABLE, { ...TARGET, position: [0, 0, 43.1] })).toBeUndefined();
    expect(chooseFieldGrid(TABLE, { ...TARGET, position: [0, 0, 43.1] }, 4)).toBeDefined();
  });
});
