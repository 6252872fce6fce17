import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AXIAL, createTable, pointOfSample, turn } from '../../../../../test/support/rampVolume.ts';
import {
  cross,
  dot,
  lengthOf,
  patientToPixel,
  pixelToPatient,
  subtract,
  type Vector3,
} from '../../../../shared/geometry.ts';
import { findVolumePosition, type PositionTable } from '../../../../shared/positionTable.ts';
import { toLetters } from '../patientAxes.ts';
import { coarsen, cutVolume, gridAt, middleOf } from '../../../../shared/cutVolume.ts';
import { PLANE_NAMES, type PlaneName } from '../../../../shared/planeNames.ts';
import { straightPlane } from './planeSpec.ts';

const inPatient = (table: PositionTable) => ({ table, space: 'patient' as const });

/** 5 columns of 0.5 mm, 4 rows of 0.75 mm, 6 slices of 2 mm. */
const TABLE = createTable({
  ...AXIAL,
  rows: 4,
  columns: 5,
  rowSpacingMm: 0.75,
  columnSpacingMm: 0.5,
  origin: [-10, 20, 30],
  offsetsMm: [0, 2, 4, 6, 8, 10],
});

/** All ways in which rows, columns and slices can run along the axes of the patient: 48, half of them mirrored. */
const ORIENTATIONS = ([0, 1, 2] as const).flatMap((row) =>
  ([0, 1, 2] as const)
    .filter((column) => column !== row)
    .flatMap((column) =>
      [1, -1].flatMap((rowSign) =>
        [1, -1].flatMap((columnSign) =>
          [1, -1].map((order) => ({
            rowDirection: unit(row, rowSign),
            columnDirection: unit(column, columnSign),
            order,
          })),
        ),
      ),
    ),
);

function unit(axis: 0 | 1 | 2, sign: number): Vector3 {
  return [axis === 0 ? sign : 0, axis === 1 ? sign : 0, axis === 2 ? sign : 0];
}

/** The letters at the right and the lower edge. */
const LETTERS: Readonly<Record<PlaneName, readonly [string, string]>> = {
  axial: ['L', 'P'],
  coronal: ['L', 'F'],
  sagittal: ['P', 'F'],
};

/** The direction of rows of axial planes, if the samples are turned by an angle. */
const along = (degrees: number) => {
  const table = createTable({
    ...TABLE,
    ...turn(0, 0, (degrees * Math.PI) / 180),
    origin: [0, 0, 0],
    offsetsMm: [0, 2],
  });
  return cutVolume(inPatient(table), straightPlane('axial')).grid.rowDirection;
};

describe('the planes of a volume along the axes of the patient', () => {
  test('have the samples of the volume, each at its centre', () => {
    const { grid, offsetsMm } = cutVolume(inPatient(TABLE), straightPlane('coronal'));
    // Columns along x as stored, rows from the head downwards: the last slice at z = 40 first.
    expect(grid).toMatchObject({ rows: 6, columns: 5, rowSpacingMm: 2, columnSpacingMm: 0.5, position: [-10, 20, 40] });
    expect([...offsetsMm]).toEqual([20, 20.75, 21.5, 22.25]);
  });

  test.each(ORIENTATIONS)('show right on the left and head up, whatever way the samples run: %j', (given) => {
    const table = createTable({
      ...given,
      rows: 4,
      columns: 5,
      rowSpacingMm: 0.75,
      columnSpacingMm: 0.5,
      origin: [1, 2, 3],
      offsetsMm: [0, 2, 4],
    });
    for (const name of PLANE_NAMES) {
      const cut = cutVolume(inPatient(table), straightPlane(name));
      const { rowDirection, columnDirection } = cut.grid;
      expect([toLetters(rowDirection), toLetters(columnDirection)]).toEqual(LETTERS[name]);
      expect(cut.grid.rows * cut.grid.columns * cut.offsetsMm.length).toBe(4 * 5 * 3);
      // The corners of the first and the last plane are samples of the volume.
      for (const position of [0, cut.offsetsMm.length - 1]) {
        const plane = gridAt(cut, position);
        for (const row of [0, plane.rows - 1]) {
          for (const column of [0, plane.columns - 1]) {
            const at = findVolumePosition(table, pixelToPatient(plane, { row, column }));
            for (const index of [at?.place, at?.row, at?.column])
              expect(index).toBeCloseTo(Math.round(index ?? NaN), 9);
          }
        }
      }
    }
  });

  test('are the stored slices where these are irregular, in the direction in which planes are counted', () => {
    const table = createTable({ ...TABLE, origin: [0, 0, 0], offsetsMm: [0, 1, 4, 5] });
    expect([...cutVolume(inPatient(table), straightPlane('axial')).offsetsMm]).toEqual([0, 1, 4, 5]);
    const falling = createTable({ ...table, columnDirection: [0, -1, 0], origin: [0, 0, 0], offsetsMm: [0, 1, 4, 5] });
    expect([...cutVolume(inPatient(falling), straightPlane('axial')).offsetsMm]).toEqual([-5, -4, -1, 0]);
  });

  test('follow the samples up to 5 degrees from the patient, and the patient beyond', () => {
    expect(along(4.9)[0]).toBeCloseTo(Math.cos((4.9 * Math.PI) / 180), 12);
    expect(along(5.1)).toEqual([1, 0, 0]);
  });
});

const angle = fc.double({ min: -3, max: 3, noNaN: true });

test('a turned plane covers the whole volume, and one of its positions contains the point that it was turned around', () => {
  fc.assert(
    fc.property(angle, angle, angle, fc.nat(5), fc.nat(3), fc.nat(4), (a, b, c, place, row, column) => {
      const through = pointOfSample(TABLE, place, row, column);
      const cut = cutVolume(inPatient(TABLE), {
        ...straightPlane('axial'),
        turned: { orientation: turn(a, b, c), through },
      });
      const distances = [...cut.offsetsMm].map((offset) => Math.abs(dot(cut.normal, through) - offset));
      // Directions within 1e-8 of an axis of the volume are that axis.
      expect(Math.min(...distances)).toBeLessThan(0.01);
      // Samples of the volume are within half a sample of the grid.
      const corner = patientToPixel(cut.grid, pointOfSample(TABLE, 5, 3, 4));
      expect(corner.row).toBeGreaterThan(-0.5);
      expect(corner.row).toBeLessThan(cut.grid.rows);
      expect(corner.column).toBeGreaterThan(-0.5);
      expect(corner.column).toBeLessThan(cut.grid.columns);
    }),
  );
});

test('a coarse sample lies in the middle of the four that it stands for', () => {
  const { grid } = cutVolume(inPatient(TABLE), straightPlane('axial'));
  const coarse = coarsen(grid);
  expect(coarse).toMatchObject({ rows: 2, columns: 3, rowSpacingMm: 1.5, columnSpacingMm: 1 });
  const middle = pixelToPatient(grid, { row: 2.5, column: 2.5 });
  expect(lengthOf(subtract(pixelToPatient(coarse, { row: 1, column: 1 }), middle))).toBeLessThan(1e-12);
});

test('a plane never has more samples than the server sends', () => {
  const table = createTable({
    ...AXIAL,
    rows: 4000,
    columns: 4000,
    rowSpacingMm: 0.1,
    columnSpacingMm: 0.1,
    origin: [0, 0, 0],
    offsetsMm: [0, 300],
  });
  for (const name of PLANE_NAMES) {
    const { grid } = cutVolume(inPatient(table), straightPlane(name));
    expect(grid.rows * grid.columns).toBeLessThanOrEqual(4 * 2 ** 20);
    const extent = grid.columns * grid.columnSpacingMm;
    expect(Math.abs(extent - 400)).toBeLessThan(1);
  }
});

test('the middle of a volume is a sample of it', () => {
  expect(middleOf(TABLE)).toEqual(pointOfSample(TABLE, 2, 1, 2));
  expect(cross([1, 0, 0], [0, 1, 0])).toEqual([0, 0, 1]);
});
