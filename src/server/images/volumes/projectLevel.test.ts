import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTable, skewed, turn } from '../../../../test/support/rampVolume.ts';
import { normalOf, pixelToPatient, type Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { planeOfPlace } from '../../../shared/positionTable.ts';
import { samplePlane } from './samplePlane.ts';
import type { VolumeSamples } from './weighSamples.ts';

const angle = fc.double({ min: -Math.PI, max: Math.PI, noNaN: true });
const gap = fc.double({ min: 0.5, max: 4, noNaN: true });
const shift = fc.double({ min: -3, max: 3, noNaN: true });

const ROWS = 6;
const COLUMNS = 7;

/** Tables of any orientation, with irregular spacing and a changing tilt; each second one has a hole. */
const anyTable = fc
  .record({
    angles: fc.tuple(angle, angle, angle),
    skew: fc.constantFrom(0, 5e-4),
    gaps: fc.array(fc.tuple(gap, shift, shift), { minLength: 2, maxLength: 5 }),
    spacing: fc.tuple(gap, gap),
    hasHole: fc.boolean(),
  })
  .map(({ angles: [a, b, c], skew, gaps, spacing, hasHole }) => {
    const offsetsMm = [0];
    for (const [gapMm] of gaps) offsetsMm.push(offsetsMm.at(-1)! + gapMm);
    return createTable({
      ...skewed(turn(a, b, c), skew),
      rows: ROWS,
      columns: COLUMNS,
      rowSpacingMm: spacing[0],
      columnSpacingMm: spacing[1],
      origin: [40, -20, 10],
      offsetsMm,
      shiftsMm: [[0, 0], ...gaps.map(([, along, down]) => [along, down] as const)],
      holes: hasHole ? [1] : [],
    });
  });

test.each([
  ['any side', fc.constant(0)],
  // A smaller tilt counts as none.
  ['above or below on any side', fc.double({ min: 0.05, max: 3, noNaN: true })],
])('the view of a volume from %s is the largest sample of its sheets, with padding and rescales', (_name, anyTilt) => {
  let inside = 0;
  fc.assert(
    fc.property(
      anyTable,
      fc.tuple(angle, anyTilt),
      fc.record({ seed: fc.nat(1000), hasPadding: fc.boolean(), hasRescales: fc.boolean() }),
      fc.tuple(fc.constantFrom('max' as const, 'min' as const), fc.constantFrom('linear' as const, 'nearest' as const)),
      fc.constantFrom(undefined, 1.7),
      (table, [turned, tilt], { seed, hasPadding, hasRescales }, [projection, interpolation], sheetMm) => {
        const places = table.positionsMm.length;
        const each = (value: (place: number) => number) => Float64Array.from({ length: places }, (_, i) => value(i));
        const volume: VolumeSamples = {
          table,
          samples: Int16Array.from({ length: places * ROWS * COLUMNS }, (_, at) => ((at + seed) * 7919) % 1009),
          paddings: hasPadding ? { lows: each(() => 0), highs: each(() => 300) } : undefined,
          rescales: hasRescales
            ? { slopes: each((place) => 0.5 + 0.1 * place), intercepts: each((place) => place) }
            : undefined,
        };
        const grid = uprightGrid(table, turned, tilt);
        const sampling = { interpolation, slabMm: 40, sheetMm, projection } as const;
        const { values, slab } = samplePlane(volume, grid, sampling);
        const half = (slab.count - 1) / 2;
        const expected = new Float64Array(values.length).fill(NaN);
        for (let sheet = -half; sheet <= half; sheet++) {
          const plane = { ...grid, position: move(grid.position, normalOf(grid), sheet * slab.stepMm) };
          const { values: own } = samplePlane(volume, plane, { ...sampling, slabMm: 0 });
          // Samples that are copied keep their padding, which takes no part in a slab.
          const keepsPadding = interpolation === 'nearest' && hasPadding && !hasRescales;
          for (const [at, value] of own.entries()) {
            const known = expected[at]!;
            if (keepsPadding && value <= 300) continue;
            if (projection === 'max' ? !(value <= known) : !(value >= known)) {
              if (!Number.isNaN(value)) expected[at] = value;
            }
          }
        }
        for (const [at, value] of values.entries()) {
          const isEqual =
            Number.isNaN(value) === Number.isNaN(expected[at]) && !(Math.abs(value - expected[at]!) > 1e-6);
          expect(isEqual).toBe(true);
          inside += Number(!Number.isNaN(value));
        }
      },
    ),
    { numRuns: 300, endOnFailure: true },
  );
  expect(inside).toBeGreaterThan(5_000);
});

/** Columns along the normal of the slices or tilted from it, rows turned within them. */
function uprightGrid(table: VolumeSamples['table'], turned: number, tilt: number): PlaneGrid {
  const first = planeOfPlace(table, 0);
  const up = normalOf(table);
  const middle = pixelToPatient(first, { row: ROWS / 2, column: COLUMNS / 2 });
  const side = cross(up, table.rowDirection);
  const mix = (axis: 0 | 1 | 2) => table.rowDirection[axis] * Math.cos(turned) + side[axis] * Math.sin(turned);
  const rowDirection: Vector3 = [mix(0), mix(1), mix(2)];
  const spacing = { rowSpacingMm: 0.83, columnSpacingMm: 1.31 };
  const aside = cross(up, rowDirection);
  const columnDirection = move([0, 0, 0], up, Math.cos(tilt));
  const tilted = move(columnDirection, aside, Math.sin(tilt));
  const position = move(move(middle, rowDirection, -8 * 1.31), up, -2);
  return { position, rowDirection, columnDirection: tilted, ...spacing, rows: 12, columns: 17 };
}

function move(point: Vector3, direction: Vector3, by: number): Vector3 {
  return [point[0] + direction[0] * by, point[1] + direction[1] * by, point[2] + direction[2] * by];
}

function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
