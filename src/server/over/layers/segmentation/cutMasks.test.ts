import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cross, dot, normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import { decodeMasks } from '../../../../shared/maskLayers.ts';
import { findSlab, type PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import { createSampleLocator } from '../../../images/volumes/samplePlane.ts';
import { MaskCropper } from './croppedMasks.ts';
import { type CutLimits, cutMasks } from './cutMasks.ts';
import { createMaskRange } from './maskRange.ts';

const SIZE = 64;
const PLACES = 16;
const CONTEXT = { isCancelled: () => false, throwIfCancelled: () => {}, transfer: <View>(view: View) => view };
const AXIAL = { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] } as const;

/** Slices of 1 mm that are 2 mm apart, each shifted against the one before. */
function tableOf(shiftMm = 0): PositionTable {
  const points = Float64Array.from(
    { length: 3 * PLACES },
    (_, i) => [shiftMm, -shiftMm, 2][i % 3]! * Math.floor(i / 3),
  );
  return {
    ...AXIAL,
    rows: SIZE,
    columns: SIZE,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    positionsMm: Float64Array.from({ length: PLACES }, (_, place) => 2 * place),
    points,
    isHole: new Uint8Array(PLACES - 1),
    spacingMm: 2,
  };
}

/** Segments that all have the samples from 8 to 11 in both directions of slice 5. */
function masksOf(segments: number) {
  const cropper = new MaskCropper('bits');
  const bits = new Uint8Array((SIZE * SIZE) / 8);
  for (let row = 8; row < 12; row += 1) bits[row * (SIZE / 8) + 1] = 0b1111;
  for (let frame = 0; frame < segments; frame += 1) {
    cropper.addBits(frame, { rows: SIZE, columns: SIZE, bits, damage: undefined });
  }
  const frames = Uint32Array.from({ length: segments }, (_, frame) => frame);
  return {
    tables: [{ table: tableOf(), frames, places: new Uint32Array(segments).fill(5) }],
    cropped: cropper.build(),
    segments: Int32Array.from(frames, (frame) => frame + 1),
  };
}

function cut(segments: number, limits: CutLimits) {
  const grid = {
    ...AXIAL,
    position: [0, 0, 10],
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    rows: SIZE,
    columns: SIZE,
  } as const;
  const task = { ...masksOf(segments), grid, steps: undefined, slabMm: 1_000, meaning: { kind: 'mask' } as const };
  return cutMasks({ ...task, maximum: undefined, mostLayerBytes: 1e6 }, CONTEXT, limits);
}

test('a slab is looked at only where masks are', () => {
  // 5 samples before and behind the mask at most, in both directions, and 3 sheets: 6 x 6 x 3. The slab has 70,000.
  const { layers } = decodeMasks(cut(1, { samples: 108, reads: 108 }).bytes.slice().buffer);
  expect(layers.map(({ top, left, rows, columns, segment }) => [top, left, rows, columns, segment])).toEqual([
    [8, 8, 4, 4, 1],
  ]);
});

test('a slab of too many samples is refused before any is looked at, and one of too many segments while they are', () => {
  expect(() => cut(1, { samples: 15, reads: 0 })).toThrow(
    /samples of this slab can lie in masks, and 15 are looked at/,
  );
  expect(() => cut(9, { samples: 108, reads: 100 })).toThrow(/more than 100 of their samples would be read/);
});

const angle = fc.double({ min: -3.1, max: 3.1, noNaN: true });
const planes = fc.record({
  angles: fc.tuple(angle, angle),
  position: fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -20, max: 40, noNaN: true }))),
  spacing: fc.double({ min: 0.3, max: 3, noNaN: true }),
  slabMm: fc.constantFrom(0, 5, 40),
  shiftMm: fc.constantFrom(0, 0.7, -3),
});

test('no sample of a mask lies outside of the range in which it is looked for', () => {
  fc.assert(
    fc.property(planes, ({ angles: [a, b], position, spacing, slabMm, shiftMm }) => {
      const rowDirection: Vector3 = [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b)];
      const columnDirection = cross(rowDirection, [-Math.sin(a), Math.cos(a), 0]);
      const [x = 0, y = 0, z = 0] = position;
      const at = { rowDirection, columnDirection, position: [x, y, z] as const };
      const grid: PlaneGrid = { ...at, rowSpacingMm: spacing, columnSpacingMm: spacing, rows: 20, columns: 40 };
      expect(dot(normalOf(grid), rowDirection)).toBeCloseTo(0, 9);
      const table = tableOf(shiftMm);
      const slab = findSlab(table, grid, { slabMm });
      const box = { place: 5, top: 8, left: 8, rows: 4, columns: 4 };
      const rangeOf = createMaskRange(table, grid, slab.stepMm, [box]);
      const { locateRow } = createSampleLocator(table, grid, slabMm);
      const line = new Float64Array(grid.columns);
      for (let sheet = -slab.first; sheet <= slab.last; sheet += 1) {
        for (let row = 0; row < grid.rows; row += 1) {
          locateRow(row, sheet, line);
          const { first, end } = rangeOf(row, sheet);
          const beside = [...line.keys()].filter((column) => column < first || column >= end);
          expect(beside.filter((column) => isInBox(line[column]!))).toEqual([]);
        }
      }
    }),
    { numRuns: 100 },
  );
});

function isInBox(at: number): boolean {
  const [place, inSlice] = [Math.floor(at / SIZE ** 2), at % SIZE ** 2];
  const [row, column] = [Math.floor(inSlice / SIZE), inSlice % SIZE];
  return place === 5 && row >= 8 && row < 12 && column >= 8 && column < 12;
}

test('the range of masks is narrow', () => {
  const grid = {
    ...AXIAL,
    position: [0, 0, 10],
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    rows: SIZE,
    columns: SIZE,
  } as const;
  const rangeOf = createMaskRange(tableOf(), grid, 2, [{ place: 5, top: 8, left: 8, rows: 4, columns: 4 }]);
  expect(rangeOf(9, 0)).toEqual({ first: 7, end: 12 });
  const lengths = [20, 9].map((row, i) => rangeOf(row, [0, 3][i]!)).map(({ first, end }) => end - first);
  expect(lengths).toEqual([0, 0]);
});
