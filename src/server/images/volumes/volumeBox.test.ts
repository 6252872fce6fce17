import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AXIAL, createTable, pointOfSample, turn } from '../../../../test/support/rampVolume.ts';
import { buildOrientation, type PlaneOrientation, type Vector3 } from '../../../shared/geometry.ts';
import { findSlab, type PlaneGrid, type PlaneSampling } from '../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import { bytesOfSums, finishPlane, samplePart, samplePlane } from './samplePlane.ts';
import type { VolumeBox } from './volume.ts';
import { countSamples, createBoxFinder, straightBox, wholePart } from './volumeBox.ts';
import type { VolumeSamples } from './weighSamples.ts';

const SIZE = 24;
const SAMPLES = Int16Array.from({ length: SIZE ** 3 }, (_, at) => (at * 7919) % 1009);

test('a plane of a part of a volume, sampled as a whole or part by part, is the plane of the whole volume, bit for bit', () => {
  const seen = { inside: 0, smaller: 0, oblique: 0, severalParts: 0 };
  fc.assert(
    fc.property(
      anyVolume(),
      anyPlane(),
      anySampling(),
      fc.integer({ min: 100, max: 3000 }),
      (volume, plane, sampling, most) => {
        const { table } = volume;
        const { start, orientation, isAlongSlices, ...shape } = plane;
        const turned = isAlongSlices ? alongSlices(table, orientation) : orientation;
        const grid: PlaneGrid = { ...shape, ...turned, position: pointOfSample(table, ...start) };
        const expected = samplePlane(volume, grid, sampling);
        const slab = findSlab(table, grid, sampling);
        const finder = createBoxFinder(table, grid, slab);

        const box = finder.find(wholePart(grid, slab)) ?? NOTHING;
        expect(samplePlane({ ...volume, samples: cut(volume.samples, box), box }, grid, sampling)).toEqual(expected);

        const buffer = new SharedArrayBuffer(bytesOfSums(grid, sampling));
        const parts = [...finder.divide(wholePart(grid, slab), { fits: (placed) => countSamples(placed.box) <= most })];
        for (const [number, { part, box: ofPart }] of parts.entries()) {
          const there = { ...volume, samples: cut(volume.samples, ofPart), box: ofPart };
          samplePart(there, grid, sampling, { part, buffer, isFirst: number === 0 }, () => undefined);
        }
        const joined =
          parts.length > 0
            ? Float64Array.from(finishPlane(table, grid, sampling, buffer).values)
            : new Float64Array(grid.rows * grid.columns).fill(NaN);
        expect(joined).toEqual(expected.values);

        seen.inside += expected.values.filter((value) => !Number.isNaN(value)).length;
        seen.smaller += Number(countSamples(box) < SIZE ** 3);
        seen.oblique += Number([box, ...parts.map((one) => one.box)].some(({ tops }) => new Set(tops).size > 1));
        seen.severalParts += Number(parts.length > 1);
      },
    ),
    { numRuns: 500, endOnFailure: true },
  );
  expect(seen.inside).toBeGreaterThan(4_000);
  expect(seen.smaller).toBeGreaterThan(100);
  expect(seen.oblique).toBeGreaterThan(5);
  expect(seen.severalParts).toBeGreaterThan(100);
});

test('a plane that crosses the slices at an angle needs some rows of each, and not the rows between those', () => {
  const side = 128;
  const table = createCube(side);
  // Row k of the plane is at height k and row k of the volume, one step in each.
  const half = Math.SQRT1_2;
  const grid: PlaneGrid = {
    position: [0, 0, 0],
    rowDirection: [1, 0, 0],
    columnDirection: [0, half, half],
    rowSpacingMm: Math.SQRT2,
    columnSpacingMm: 1,
    rows: side,
    columns: side,
  };
  const slab = findSlab(table, grid, { slabMm: 0 });
  const box = createBoxFinder(table, grid, slab).find(wholePart(grid, slab));
  // Slice k counts from k - 1 to k + 1: three rows, perhaps one more by rounding at each end, and two spare ones beside.
  expect(box?.rows).toBeLessThanOrEqual(9);
  expect([box?.places, box?.columns, box?.tops[64]]).toEqual([
    { first: 0, last: side - 1 },
    side,
    expect.closeTo(61, -0.5),
  ]);
});

test('what needs much more than it shows is divided only if its pieces need less', () => {
  const side = 128;
  const table = createCube(side);
  const shape = { rowSpacingMm: 1, columnSpacingMm: 1, rows: side, columns: side };
  const countPieces = (grid: PlaneGrid, slabMm: number) => {
    const slab = findSlab(table, grid, { slabMm });
    const pieces = createBoxFinder(table, grid, slab).divide(wholePart(grid, slab), {
      fits: () => true,
      isSparse: ({ box }) => countSamples(box) > side * side,
    });
    return [...pieces].length;
  };
  // A slab along the slices needs all of the volume, and its halves together as much.
  const straight: PlaneGrid = { ...shape, rowDirection: [1, 0, 0], columnDirection: [0, 1, 0], position: [0, 0, 64] };
  expect(countPieces(straight, 2 * side)).toBe(1);
  // A plane that is turned around two axes passes through a quarter of the boxes around its quarters.
  const third = Math.sqrt(1 / 3);
  const turned: PlaneGrid = {
    ...shape,
    rowDirection: [Math.SQRT1_2, -Math.SQRT1_2, 0],
    columnDirection: [third * Math.SQRT1_2, third * Math.SQRT1_2, -2 * third * Math.SQRT1_2],
    position: [0, 128, 128],
  };
  expect(countPieces(turned, 0)).toBeGreaterThanOrEqual(4);
});

function createCube(count: number): PositionTable {
  return createTable({
    ...AXIAL,
    rows: count,
    columns: count,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    origin: [0, 0, 0],
    offsetsMm: Array.from({ length: count }, (_, place) => place),
  });
}

const NOTHING = straightBox({ first: 0, last: -1 }, { first: 0, last: -1 }, { first: 0, last: -1 });

function cut(samples: VolumeSamples['samples'], { places, rows, columns, tops, lefts }: VolumeBox): Int16Array {
  const found: number[] = [];
  for (let place = places.first; place <= places.last; place += 1) {
    const at = place - places.first;
    if (tops[at]! + rows > SIZE || lefts[at]! + columns > SIZE) throw new Error('beyond the volume');
    for (let row = tops[at]!; row < tops[at]! + rows; row += 1) {
      for (let column = lefts[at]!; column < lefts[at]! + columns; column += 1) {
        found.push(samples[(place * SIZE + row) * SIZE + column]!);
      }
    }
  }
  return Int16Array.from(found);
}

/** Not `fc.double`, which prefers numbers such as 1e-300 that no scanner writes. */
function anyNumber(min: number, max: number) {
  return fc.integer({ min: 0, max: 2 ** 30 }).map((step) => min + ((max - min) * step) / 2 ** 30);
}

function anyOrientation(): fc.Arbitrary<PlaneOrientation> {
  const angle = anyNumber(-Math.PI, Math.PI);
  const free = fc.tuple(angle, angle, angle).map(([a, b, c]) => turn(a, b, c));
  const straight = fc.constantFrom([1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 1], [0, 1, 0, 0, 0, -1], [0, -1, 0, 1, 0, 0]);
  return fc.oneof(
    free,
    straight.map((six) => buildOrientation(six)!),
  );
}

function combine(a: Vector3, x: number, b: Vector3, y: number): Vector3 {
  return [a[0] * x + b[0] * y, a[1] * x + b[1] * y, a[2] * x + b[2] * y];
}

/** Its rows lie in the slices, as those of the view of a patient from one side. */
function alongSlices({ rowDirection, columnDirection }: PositionTable, by: PlaneOrientation): PlaneOrientation {
  // Most of them along the rows of the slices, of which it then needs few.
  const isAlongRows = by.rowDirection[2] > -0.3;
  const along = isAlongRows ? 0 : Math.atan2(by.rowDirection[1], by.rowDirection[0]);
  const lift = by.columnDirection[2];
  const row = combine(rowDirection, Math.cos(along), columnDirection, Math.sin(along));
  const inSlice = combine(rowDirection, -Math.sin(along), columnDirection, Math.cos(along));
  const normal: Vector3 = [
    row[1] * inSlice[2] - row[2] * inSlice[1],
    row[2] * inSlice[0] - row[0] * inSlice[2],
    row[0] * inSlice[1] - row[1] * inSlice[0],
  ];
  return { rowDirection: row, columnDirection: combine(inSlice, Math.cos(lift), normal, Math.sin(lift)) };
}

/** Slices at irregular distances, with holes, and each with a shift of its own, as with a gantry whose tilt changes. */
function anyTable(): fc.Arbitrary<PositionTable> {
  const any = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: SIZE, maxLength: SIZE });
  const shape = fc.record({
    orientation: anyOrientation(),
    rowSpacingMm: fc.oneof(fc.constant(1), anyNumber(0.4, 2)),
    columnSpacingMm: fc.oneof(fc.constant(1), anyNumber(0.4, 2)),
    gapsMm: fc.oneof(fc.constant(Array.from({ length: SIZE }, () => 2)), any(anyNumber(0.5, 3))),
    shiftsMm: fc.oneof(
      fc.constant(undefined),
      anyNumber(-1.5, 1.5).map((tilt) => Array.from({ length: SIZE }, (_, place) => [0, place * tilt] as const)),
      any(fc.tuple(anyNumber(-1, 1), anyNumber(-1, 1))),
    ),
    holes: fc.oneof(fc.constant([]), fc.array(fc.integer({ min: 0, max: SIZE - 2 }), { maxLength: 2 })),
    origin: fc.tuple(anyNumber(-200, 200), anyNumber(-200, 200), anyNumber(-200, 200)),
  });
  return shape.map(({ orientation, gapsMm, shiftsMm, ...rest }) => {
    const offsetsMm = gapsMm.map((_, place) => gapsMm.slice(0, place).reduce((sum, gap) => sum + gap, 0));
    const shifts = shiftsMm === undefined ? {} : { shiftsMm };
    return createTable({ ...orientation, ...rest, ...shifts, offsetsMm, rows: SIZE, columns: SIZE });
  });
}

function perPlace(of: (place: number) => number): Float64Array {
  return Float64Array.from({ length: SIZE }, (_, place) => of(place));
}

function anyVolume(): fc.Arbitrary<VolumeSamples> {
  return fc
    .record({ table: anyTable(), hasRescales: fc.boolean(), paddedUpTo: fc.constantFrom(undefined, 150) })
    .map(({ table, hasRescales, paddedUpTo }) => ({
      table,
      samples: SAMPLES,
      rescales: hasRescales
        ? { slopes: perPlace((place) => 1 + place / 7), intercepts: perPlace((place) => place - 3.5) }
        : undefined,
      // Not the same in all slices.
      paddings:
        paddedUpTo === undefined
          ? undefined
          : { lows: perPlace(() => 0), highs: perPlace((place) => paddedUpTo - 10 * place) },
    }));
}

function anySampling(): fc.Arbitrary<PlaneSampling> {
  return fc.record({
    interpolation: fc.constantFrom('linear', 'nearest'),
    projection: fc.constantFrom('max', 'min', 'mean'),
    slabMm: fc.constantFrom(0, 3.7, 12),
  });
}

/** A plane whose first sample is somewhere in the volume or beside it: at a place, a row and a column. */
function anyPlane() {
  const index = fc.oneof(fc.integer({ min: 0, max: SIZE - 1 }), anyNumber(-3, SIZE + 2));
  return fc.record({
    orientation: anyOrientation(),
    isAlongSlices: fc.constantFrom(true, true, false),
    rowSpacingMm: fc.oneof(fc.constantFrom(1, 2), anyNumber(0.3, 2)),
    columnSpacingMm: fc.oneof(fc.constantFrom(1, 2), anyNumber(0.3, 2)),
    start: fc.tuple(fc.integer({ min: 0, max: SIZE - 1 }), index, index),
    rows: fc.integer({ min: 6, max: 40 }),
    columns: fc.integer({ min: 1, max: 30 }),
  });
}
