import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTable, turn } from '../../../../../test/support/rampVolume.ts';
import { pixelToPatient } from '../../../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling } from '../../../../shared/planeGrid.ts';
import { planeOfPlace } from '../../../../shared/positionTable.ts';
import { samplePlane } from '../../../images/volumes/samplePlane.ts';
import { createLevelSampler } from './sampleLevel.ts';

const LINEAR: PlaneSampling = { interpolation: 'linear', slabMm: 0, projection: 'max' };

const angle = fc.double({ min: -Math.PI, max: Math.PI, noNaN: true });
const mm = fc.double({ min: 0.5, max: 4, noNaN: true });
const part = fc.double({ min: -1.5, max: 1.5, noNaN: true });

/** Of any orientation, with irregular slices and a tilt that changes. */
const anyTable = fc
  .record({
    angles: fc.tuple(angle, angle, angle),
    gaps: fc.array(fc.tuple(mm, part, part), { minLength: 1, maxLength: 5 }),
    spacing: fc.tuple(mm, mm),
    rows: fc.integer({ min: 1, max: 6 }),
    columns: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ angles: [a, b, c], gaps, spacing, rows, columns }) => {
    const offsetsMm = [0];
    for (const [gapMm] of gaps) offsetsMm.push(offsetsMm.at(-1)! + gapMm);
    return createTable({
      ...turn(a, b, c),
      rows,
      columns,
      rowSpacingMm: spacing[0],
      columnSpacingMm: spacing[1],
      origin: [12, -30, 80],
      offsetsMm,
      shiftsMm: [[0, 0], ...gaps.map(([, along, down]) => [along, down] as const)],
    });
  });

test('a plane along the slices of a dose has the samples that any plane has', () => {
  fc.assert(
    fc.property(anyTable, fc.nat(5), fc.tuple(part, part, part), fc.tuple(mm, mm), (table, near, [x, y, z], steps) => {
      const place = near % table.positionsMm.length;
      const plane = planeOfPlace(table, place);
      const [nx, ny, nz] = pixelToPatient(plane, { row: y - 1, column: x - 1 });
      // Along the normal, which is the way from one slice to the next without the tilt.
      const { rowDirection: r, columnDirection: c } = plane;
      const grid: PlaneGrid = {
        ...plane,
        position: [
          nx + z * (r[1] * c[2] - r[2] * c[1]),
          ny + z * (r[2] * c[0] - r[0] * c[2]),
          nz + z * (r[0] * c[1] - r[1] * c[0]),
        ],
        rowSpacingMm: steps[0] / 3,
        columnSpacingMm: steps[1] / 3,
        rows: 20,
        columns: 20,
      };
      const length = table.rows * table.columns * table.positionsMm.length;
      const samples = Uint16Array.from({ length }, (_, at) => Math.imul(at, 2_654_435_761) >>> 22);
      const values = createLevelSampler(table, samples, { slope: 1, intercept: 0 })(grid) ?? new Float64Array();
      const expected = samplePlane({ table, samples }, grid, LINEAR).values;
      expect(values.length).toBe(expected.length);
      expect(values.findIndex((value, at) => Number.isNaN(value) !== Number.isNaN(expected[at]))).toBe(-1);
      const differences = Array.from(values, (value, at) => (value === value ? Math.abs(value - expected[at]!) : 0));
      // Indices are whole within a millionth of a step, over which numbers below 1024 change by less than 0.01.
      expect(Math.max(...differences)).toBeLessThan(0.01);
    }),
    { numRuns: 60 },
  );
});

test('a plane that is turned against the slices, or smaller than one of them, is left to the general way', () => {
  const table = createTable({
    rowDirection: [1, 0, 0],
    columnDirection: [0, 1, 0],
    rows: 4,
    columns: 4,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    origin: [0, 0, 0],
    offsetsMm: [0, 1, 2],
  });
  const sample = createLevelSampler(table, new Uint16Array(48), { slope: 1, intercept: 0 });
  const grid: PlaneGrid = { ...planeOfPlace(table, 1), rows: 8, columns: 8 };
  expect(sample(grid)).toHaveLength(64);
  expect(sample({ ...grid, columnDirection: [0, Math.cos(0.01), Math.sin(0.01)] })).toBeUndefined();
  const turned = { rowDirection: [0, 1, 0], columnDirection: [-1, 0, 0] } as const;
  expect(sample({ ...grid, ...turned })).toBeUndefined();
  expect(sample({ ...grid, rows: 3, columns: 5 })).toBeUndefined();
});
