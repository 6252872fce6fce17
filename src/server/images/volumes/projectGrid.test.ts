import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AXIAL, createTable, pointOfSample } from '../../../../test/support/rampVolume.ts';
import type { Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling } from '../../../shared/planeGrid.ts';
import { type GridPlane, projectGrid } from './projectGrid.ts';
import { samplePlane } from './samplePlane.ts';
import { createSlabKernel, type SlabKernel } from './slabKernel.ts';

const SIZES: Vector3 = [7, 19, 21];
const [PLACES, ROWS, COLUMNS] = SIZES;
const TYPES = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array] as const;

/** Axes of the volume along a row, down a column and through the slab of a plane. */
const ORDERS = [
  [2, 1, 0],
  [2, 0, 1],
  [1, 0, 2],
  [1, 2, 0],
  [0, 1, 2],
  [0, 2, 1],
] as const;

const step = (axis: number, length: number): Vector3 => [
  axis === 0 ? length : 0,
  axis === 1 ? length : 0,
  axis === 2 ? length : 0,
];

test('a slab of stored samples is the same with and without the kernel, and the same as one sheet after the other', () => {
  const kernel = createSlabKernel();
  expect(kernel).toBeDefined();
  fc.assert(
    fc.property(
      fc.record({
        Type: fc.constantFrom(...TYPES),
        order: fc.constantFrom(...ORDERS),
        signs: fc.tuple(fc.constantFrom(1, -1, 2), fc.constantFrom(1, -1, 2), fc.constantFrom(1, -1)),
        start: fc.tuple(
          fc.integer({ min: -2, max: PLACES }),
          fc.integer({ min: -2, max: ROWS }),
          fc.integer({ min: -2, max: COLUMNS }),
        ),
        half: fc.integer({ min: 0, max: 9 }),
        projection: fc.constantFrom('max' as const, 'min' as const, 'mean' as const),
        rows: fc.integer({ min: 1, max: 24 }),
        columns: fc.integer({ min: 1, max: 24 }),
      }),
      fc.infiniteStream(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      ({ Type, order, signs, start, half, projection, rows, columns }, noise) => {
        const samples = new Type(PLACES * ROWS * COLUMNS);
        for (let i = 0; i < samples.length; i++) samples[i] = noise.next().value;
        const plane: GridPlane = {
          grid: { rows, columns },
          steps: {
            start,
            perColumn: step(order[0], signs[0]),
            perRow: step(order[1], signs[1]),
            perSheet: step(order[2], signs[2]),
          },
          slab: { stepMm: 1, count: 2 * half + 1, first: half, last: half },
          projection,
        };
        const project = (given: SlabKernel | null | undefined) => {
          const values = new Float64Array(rows * columns);
          expect(projectGrid({ samples, sizes: SIZES }, plane, values, { onRow: () => {}, kernel: given })).toBe(true);
          return [...values];
        };
        const expected = projectSlowly(samples, plane);
        expect(project(kernel)).toEqual(expected);
        expect(project(null)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

function projectSlowly(samples: ArrayLike<number>, { grid, steps, slab, projection }: GridPlane): number[] {
  return Array.from({ length: grid.rows * grid.columns }, (_, i) => {
    const [row, column] = [Math.floor(i / grid.columns), i % grid.columns];
    const found: number[] = [];
    for (let sheet = -slab.first; sheet <= slab.last; sheet += 1) {
      const at = steps.start.map(
        (first, axis) =>
          first + row * steps.perRow[axis]! + column * steps.perColumn[axis]! + sheet * steps.perSheet[axis]!,
      );
      if (at.some((index, axis) => index < 0 || index >= SIZES[axis]!)) continue;
      found.push(samples[(at[0]! * ROWS + at[1]!) * COLUMNS + at[2]!]!);
    }
    if (found.length === 0) return NaN;
    if (projection === 'mean') return found.reduce((sum, one) => sum + one, 0) / found.length;
    return projection === 'max' ? Math.max(...found) : Math.min(...found);
  });
}

test('a plane of shared memory comes the quick way, and is what the careful way gives', () => {
  const table = createTable({
    ...AXIAL,
    rows: ROWS,
    columns: COLUMNS,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    origin: [0, 0, 0],
    offsetsMm: Array.from({ length: PLACES }, (_, place) => place),
  });
  const samples = new Int16Array(new SharedArrayBuffer(2 * PLACES * ROWS * COLUMNS)).map((_, i) => (i * 7919) % 4001);
  const grid: PlaneGrid = {
    position: pointOfSample(table, 0, 9, 0),
    rowDirection: [1, 0, 0],
    columnDirection: [0, 0, 1],
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    rows: PLACES,
    columns: COLUMNS,
  };
  // Partial volumes, whose slices are listed, take the careful way.
  const slots = Int32Array.from({ length: PLACES }, (_, place) => place);
  for (const slabMm of [0, 8]) {
    for (const projection of ['max', 'min', 'mean'] as const) {
      const sampling: PlaneSampling = { interpolation: 'linear', slabMm, projection };
      expect(samplePlane({ table, samples }, grid, sampling)).toEqual(
        samplePlane({ table, samples, slots }, grid, sampling),
      );
    }
  }
});
