import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AXIAL, createTable } from '../../test/support/rampVolume.ts';
import { dot, normalOf } from './geometry.ts';
import { endOfPlace, findVolumePosition, type PositionTable, reachOf } from './positionTable.ts';

function tableOf(offsetsMm: readonly number[], holes: readonly number[]): PositionTable {
  const size = { rows: 2, columns: 2, rowSpacingMm: 1, columnSpacingMm: 1 };
  return createTable({ ...AXIAL, ...size, origin: [0, 0, 0], offsetsMm, holes });
}

function reachesOf(table: PositionTable): number[][] {
  return Array.from(table.positionsMm, (_, place) => [reachOf(table, place, -1), reachOf(table, place, 1)]);
}

test('a slice reaches half way to its neighbours, and where it has none as far as to the other side', () => {
  // Distances of 2, 4 and 6 mm.
  expect(reachesOf(tableOf([0, 2, 6, 12], []))).toEqual([
    [1, 1],
    [1, 2],
    [2, 3],
    [3, 3],
  ]);
  // A hole of 20 mm between the second and the third.
  expect(reachesOf(tableOf([0, 2, 22, 28], [1]))).toEqual([
    [1, 1],
    [1, 1],
    [3, 3],
    [3, 3],
  ]);
});

test('a slice without neighbours reaches half of the usual distance, and none beyond the middle of a hole', () => {
  // The usual distance is 2 mm; the hole behind the first slice is 1.5 mm long, that behind the last but one 30 mm.
  expect(reachesOf(tableOf([0, 1.5, 3.5, 5.5, 35.5], [0, 3]))).toEqual([
    [1, 0.75],
    [0.75, 1],
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

test('a point has a place in the volume exactly where a slice reaches it', () => {
  const gap = fc.double({ min: 0.2, max: 9, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(gap, fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.double({ min: -0.2, max: 1.2, noNaN: true }),
      (gaps, part) => {
        const offsetsMm = [0];
        for (const [mm] of gaps) offsetsMm.push(offsetsMm.at(-1)! + mm);
        const table = tableOf(
          offsetsMm,
          gaps.flatMap(([, isHole], at) => (isHole ? [at] : [])),
        );
        const zMm = part * offsetsMm.at(-1)!;
        const distances = offsetsMm.map((at, place) => {
          const side = zMm < at ? -1 : 1;
          const endMm = dot(normalOf(table), endOfPlace(table, place, side).position);
          return (endMm - zMm) * side;
        });
        // At the very border, rounding decides.
        if (distances.some((mm) => Math.abs(mm) < 1e-4)) return;
        const isReached = distances.some((mm) => mm > 0);
        expect(findVolumePosition(table, [0, 0, zMm]) !== undefined).toBe(isReached);
      },
    ),
  );
});
