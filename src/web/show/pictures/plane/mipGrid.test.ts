import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AXIAL, createTable, turn } from '../../../../../test/support/rampVolume.ts';
import { cross, patientToPixel, type Vector3 } from '../../../../shared/geometry.ts';
import { gridOfMip } from './mipGrid.ts';
import { describeView, formatMip, MIP_STEPS, parseMip, turnMip } from './mipSpec.ts';

/** 40 columns of 2 mm, 30 rows of 2 mm and 20 slices of 3 mm, with its middle at (0, 0, 0). */
const table = createTable({
  ...AXIAL,
  rows: 30,
  columns: 40,
  rowSpacingMm: 2,
  columnSpacingMm: 2,
  origin: [-39, -29, -28.5],
  offsetsMm: Array.from({ length: 20 }, (_, slice) => 3 * slice),
});
const volume = { table, space: 'patient' as const };
const FRONT = { azimuth: 0, elevation: 0, time: 0 };

describe('a view of a volume', () => {
  test.each([
    // Directions of a row, to the right of the picture, and of a column, down.
    ['the front', FRONT, 0, [1, 0, 0], [0, 0, -1]],
    ['the left, by a quarter of 24 steps', FRONT, 6, [0, 1, 0], [0, 0, -1]],
    ['the back', { ...FRONT, azimuth: 180 }, 0, [-1, 0, 0], [0, 0, -1]],
    ['the right', { ...FRONT, azimuth: 90 }, 12, [0, -1, 0], [0, 0, -1]],
    // The front of the patient is below, as if the user bent over from there.
    ['the head', { ...FRONT, elevation: 90 }, 0, [1, 0, 0], [0, -1, 0]],
    ['the feet', { ...FRONT, elevation: -90 }, 0, [1, 0, 0], [0, 1, 0]],
  ])('from %s has these directions', (_, spec, position, row, column) => {
    const { grid } = gridOfMip(volume, spec, position);
    for (const axis of [0, 1, 2] as const) {
      expect(grid.rowDirection[axis]).toBeCloseTo(row[axis]!, 12);
      expect(grid.columnDirection[axis]).toBeCloseTo(column[axis]!, 12);
    }
  });

  test('has the middle of the volume in its middle, contains all of it, and keeps its size while it turns', () => {
    const corners = [-40, 40].flatMap((x) => [-30, 30].flatMap((y) => [-30, 30].map((z): Vector3 => [x, y, z])));
    const { grid: front } = gridOfMip(volume, FRONT, 0);
    for (let position = 0; position < MIP_STEPS; position++) {
      const { grid, slabMm } = gridOfMip(volume, FRONT, position);
      expect([grid.rows, grid.columns]).toEqual([front.rows, front.columns]);
      const middle = patientToPixel(grid, [0, 0, 0]);
      expect(middle.row).toBeCloseTo((grid.rows - 1) / 2, 9);
      expect(middle.column).toBeCloseTo((grid.columns - 1) / 2, 9);
      for (const corner of corners) {
        const { row, column, distanceMm } = patientToPixel(grid, corner);
        expect(row).toBeGreaterThan(-1);
        expect(row).toBeLessThan(grid.rows);
        expect(column).toBeGreaterThan(-1);
        expect(column).toBeLessThan(grid.columns);
        expect(Math.abs(distanceMm)).toBeLessThanOrEqual(slabMm / 2 + 1e-9);
      }
    }
  });

  test('is bounded and upright for volumes of any orientation', () => {
    const angle = fc.double({ min: -3, max: 3, noNaN: true });
    const ofView = fc.record({
      azimuth: fc.integer({ min: 0, max: 359 }),
      elevation: fc.integer({ min: -90, max: 90 }),
      time: fc.constant(0),
    });
    fc.assert(
      fc.property(angle, angle, angle, ofView, (a, b, c, spec) => {
        const turned = createTable({ ...turn(a, b, c), ...sizes(2000), origin: [0, 0, 0] });
        const { grid, slabMm, sheetMm } = gridOfMip({ table: turned, space: 'patient' }, spec, 3);
        expect(grid.rows * grid.columns * (slabMm / sheetMm)).toBeLessThan(410 ** 3);
        const [row, column] = [grid.rowDirection, grid.columnDirection];
        expect(Math.hypot(...cross(row, column))).toBeCloseTo(1, 9);
      }),
      { numRuns: 100 },
    );
  });
});

function sizes(rows: number) {
  const offsetsMm = Array.from({ length: 50 }, (_, slice) => 5 * slice);
  return { rows, columns: rows, rowSpacingMm: 0.1, columnSpacingMm: 0.1, offsetsMm };
}

test.each([
  [FRONT, 0, 'from the front'],
  [FRONT, 2, '30° to the left'],
  [FRONT, 23, '15° to the right'],
  [{ ...FRONT, azimuth: 85, elevation: 10 }, 0, '85° to the left, 10° from above'],
  [{ ...FRONT, elevation: -20 }, 12, 'from the back, 20° from below'],
  [{ ...FRONT, elevation: 90 }, 5, 'from the head'],
])('the view %j at position %i is %s', (spec, position, text) => {
  expect(describeView(spec, position, true)).toBe(text);
});

test('views are written into links and read again, and turned past the front', () => {
  const spec = { azimuth: 350, elevation: -12, time: 3 };
  expect(formatMip(spec)).toBe('mip~a350~e-12~t3');
  expect(parseMip('mip~a350~e-12~t3')).toEqual(spec);
  expect(parseMip('mip~a-10~e400~zz')).toEqual({ azimuth: 350, elevation: 90, time: 0 });
  expect(parseMip('axial')).toBeUndefined();
  expect(turnMip(spec, { left: 25.4, up: 200 })).toEqual({ azimuth: 15, elevation: 90, time: 3 });
});
