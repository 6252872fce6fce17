import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AXIAL, createTable, fillVolume, pointOfSample, skewed, turn } from '../../../../test/support/rampVolume.ts';
import { dot, normalOf, pixelToPatient, type Vector3 } from '../../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling } from '../../../shared/planeGrid.ts';
import { findVolumePosition, planeOfPlace, type PositionTable } from '../../../shared/positionTable.ts';
import { samplePlane } from './samplePlane.ts';

const LINEAR: PlaneSampling = { interpolation: 'linear', slabMm: 0, projection: 'max' };
const NEAREST: PlaneSampling = { ...LINEAR, interpolation: 'nearest' };

const angle = fc.double({ min: -Math.PI, max: Math.PI, noNaN: true });
const angles = fc.tuple(angle, angle, angle);
const gap = fc.double({ min: 0.5, max: 4, noNaN: true });
const shift = fc.double({ min: -3, max: 3, noNaN: true });
/** Cosine between the directions of rows and columns, which is 0 but for the rounding of the writer. */
const skew = fc.oneof(fc.constant(0), fc.double({ min: -1e-3, max: 1e-3, noNaN: true }));

/** Tables of any orientation, with irregular spacing and a tilt that changes from slice to slice. */
const anyTable = fc
  .record({
    angles,
    skew,
    gaps: fc.array(fc.tuple(gap, shift, shift), { minLength: 2, maxLength: 6 }),
    spacing: fc.tuple(gap, gap),
    origin: fc.tuple(shift, shift, shift),
    rows: fc.integer({ min: 4, max: 8 }),
    columns: fc.integer({ min: 4, max: 8 }),
  })
  .map(({ angles: [a, b, c], skew: cosine, gaps, spacing, origin, rows, columns }) => {
    const offsetsMm = [0];
    for (const [gapMm] of gaps) offsetsMm.push(offsetsMm.at(-1)! + gapMm);
    return createTable({
      ...skewed(turn(a, b, c), cosine),
      rows,
      columns,
      rowSpacingMm: spacing[0],
      columnSpacingMm: spacing[1],
      origin: [origin[0] * 30, origin[1] * 30, origin[2] * 30],
      offsetsMm,
      shiftsMm: [[0, 0], ...gaps.map(([, along, down]) => [along, down] as const)],
    });
  });

/** A regular table without a tilt. */
const regularTable = fc
  .record({ angles, skew, count: fc.integer({ min: 2, max: 6 }), gap, spacing: fc.tuple(gap, gap) })
  .map(({ angles: [a, b, c], skew: cosine, count, gap: gapMm, spacing }) =>
    createTable({
      ...skewed(turn(a, b, c), cosine),
      rows: 5,
      columns: 7,
      rowSpacingMm: spacing[0],
      columnSpacingMm: spacing[1],
      origin: [-20, 35, 110],
      offsetsMm: Array.from({ length: count }, (_, place) => place * gapMm),
    }),
  );

/** A plane through the middle of the volume. */
function planeThrough(table: PositionTable, [a, b, c]: readonly [number, number, number]): PlaneGrid {
  const place = (table.positionsMm.length - 1) >> 1;
  const middle = pointOfSample(table, place, (table.rows - 1) / 2, (table.columns - 1) / 2);
  const orientation = turn(a, b, c);
  const grid = { ...orientation, rowSpacingMm: 0.7, columnSpacingMm: 0.4, rows: 9, columns: 11 };
  const back = pixelToPatient({ ...grid, position: [0, 0, 0] }, { row: 4, column: 5 });
  return { ...grid, position: [middle[0] - back[0], middle[1] - back[1], middle[2] - back[2]] };
}

function ramp([x, y, z]: Vector3): number {
  return 3 * x - 2 * y + 0.5 * z + 40;
}

function bend([x, y, z]: Vector3): Vector3 {
  return [x + 0.3 * Math.sin(y), y - 0.2 * Math.cos(z), z + 0.25 * Math.sin(x)];
}

/** Bends a row of points, and says nothing about the first of them. */
function bendRow(points: Float64Array): void {
  for (let at = 0; at < points.length; at += 3) points.set(bend([points[at]!, points[at + 1]!, points[at + 2]!]), at);
  points.fill(NaN, 0, 3);
}

describe('a plane of a volume', () => {
  test('gives a linear ramp back at every point inside, whatever the orientations, spacings and tilts', () => {
    fc.assert(
      fc.property(anyTable, angles, (table, turned) => {
        const grid = planeThrough(table, turned);
        const { values } = samplePlane({ table, samples: fillVolume(table, ramp) }, grid, LINEAR);
        const samples = Array.from(values, (value, i) => {
          const point = pixelToPatient(grid, { row: Math.floor(i / grid.columns), column: i % grid.columns });
          return { value, point, position: findVolumePosition(table, point) };
        });
        expect(samples.filter(({ value, position }) => Number.isNaN(value) !== (position === undefined))).toEqual([]);
        const inside = samples.filter(({ point, position }) => position && isBetweenSamples(table, point));
        expect(inside.length).toBeGreaterThan(0);
        // Indices are whole within a millionth of a step, which is at most 4 mm, and the ramp rises by 3.6 for each.
        expect(Math.max(...inside.map(({ value, point }) => Math.abs(value - ramp(point))))).toBeLessThan(5e-5);
      }),
    );
  });

  test('that is bent has the ramp of the points that it was bent to, and nothing where they lie nowhere', () => {
    fc.assert(
      fc.property(anyTable, angles, (table, turned) => {
        const grid = planeThrough(table, turned);
        const volume = { table, samples: fillVolume(table, ramp) };
        const { values } = samplePlane(volume, grid, LINEAR, undefined, bendRow);
        const samples = Array.from(values, (value, i) => {
          const column = i % grid.columns;
          const point = bend(pixelToPatient(grid, { row: Math.floor(i / grid.columns), column }));
          return { value, point, position: column === 0 ? undefined : findVolumePosition(table, point) };
        });
        expect(samples.filter(({ value, position }) => Number.isNaN(value) !== (position === undefined))).toEqual([]);
        const inside = samples.filter(({ point, position }) => position && isBetweenSamples(table, point));
        for (const { value, point } of inside) expect(Math.abs(value - ramp(point))).toBeLessThan(5e-5);
      }),
    );
  });

  test('that is bent by nothing has the samples of the straight one, linear and nearest', () => {
    fc.assert(
      fc.property(anyTable, angles, fc.constantFrom(LINEAR, NEAREST), (table, turned, sampling) => {
        const grid = planeThrough(table, turned);
        const volume = { table, samples: fillVolume(table, ramp) };
        const straight = samplePlane(volume, grid, sampling).values;
        const bent = samplePlane(volume, grid, sampling, undefined, () => {}).values;
        expect(Array.from(bent, Number.isNaN)).toEqual(Array.from(straight, Number.isNaN));
        const differences = Array.from(straight, (value, at) =>
          Number.isNaN(value) ? 0 : Math.abs(bent[at]! - value),
        );
        expect(Math.max(...differences)).toBeLessThan(1e-4);
      }),
    );
  });

  test('on the grid is the stored samples, bit for bit, along all axes, in both directions of each', () => {
    const axes = ['place', 'row', 'column'] as const;
    const orders = axes.flatMap((along) => axes.filter((down) => down !== along).map((down) => [along, down] as const));
    fc.assert(
      fc.property(
        regularTable,
        fc.constantFrom(...orders),
        fc.boolean(),
        fc.boolean(),
        fc.infiniteStream(fc.integer({ min: -32768, max: 32767 })),
        (table, [along, down], flipsAlong, flipsDown, noise) => {
          const places = table.positionsMm.length;
          const counts = { place: places, row: table.rows, column: table.columns };
          const samples = Int16Array.from({ length: places * table.rows * table.columns }, () => noise.next().value);
          const steps = {
            place: {
              direction: normalOf(table),
              stepMm: table.positionsMm[1]! - table.positionsMm[0]!,
            },
            row: { direction: table.columnDirection, stepMm: table.rowSpacingMm },
            column: { direction: table.rowDirection, stepMm: table.columnSpacingMm },
          };
          const across = axes.find((axis) => axis !== along && axis !== down)!;
          const fixed = Math.floor(counts[across] / 2);
          const indexOf = (row: number, column: number) => ({
            [along]: flipsAlong ? counts[along] - 1 - column : column,
            [down]: flipsDown ? counts[down] - 1 - row : row,
            [across]: fixed,
          });
          const first = indexOf(0, 0);
          const grid: PlaneGrid = {
            position: pointOfSample(table, first['place']!, first['row']!, first['column']!),
            rowDirection: sign(flipsAlong, steps[along].direction),
            columnDirection: sign(flipsDown, steps[down].direction),
            columnSpacingMm: steps[along].stepMm,
            rowSpacingMm: steps[down].stepMm,
            rows: counts[down],
            columns: counts[along],
          };
          const { values, sampling } = samplePlane({ table, samples }, grid, LINEAR);
          const expected = Array.from(values, (_, i) => {
            const at = indexOf(Math.floor(i / grid.columns), i % grid.columns);
            return samples[(at['place']! * table.rows + at['row']!) * table.columns + at['column']!]!;
          });
          expect(sampling).toBe('stored');
          expect([...values]).toEqual(expected);
        },
      ),
    );
  });

  test('of whole numbers has the samples of the same numbers as floats, also far beside the volume and its tilt', () => {
    const tilted = fc.tuple(angles, fc.integer({ min: 2, max: 6 }), gap, shift, shift);
    fc.assert(
      fc.property(tilted, angles, ([[a, b, c], count, gapMm, along, down], turned) => {
        const places = Array.from({ length: count }, (_, place) => place);
        const table = createTable({
          ...turn(a, b, c),
          rows: 5,
          columns: 7,
          rowSpacingMm: 0.5,
          columnSpacingMm: 0.6,
          origin: [-20, 35, 110],
          offsetsMm: places.map((place) => place * gapMm),
          shiftsMm: places.map((place) => [place * along, place * down]),
        });
        const floats = fillVolume(table, () => 0).map((_, at) => Math.imul(at, 2_654_435_761) >>> 22);
        const samples = Int16Array.from(floats);
        const near = planeThrough(table, turned);
        // 40 rows and 60 columns around the plane through the volume.
        const grid = { ...near, rows: 49, columns: 71, position: pixelToPatient(near, { row: -20, column: -30 }) };
        const { values } = samplePlane({ table, samples }, grid, LINEAR);
        const careful = samplePlane({ table, samples: floats }, grid, LINEAR).values;
        expect(values.findIndex((value, at) => Number.isNaN(value) !== Number.isNaN(careful[at]))).toBe(-1);
        expect(values.some((value) => !Number.isNaN(value))).toBe(true);
        // Indices are whole within a millionth of a step, over which numbers below 1024 change by less than 0.01.
        const differences = Array.from(values, (value, at) => (value === value ? Math.abs(value - careful[at]!) : 0));
        expect(Math.max(...differences)).toBeLessThan(0.01);
        // Where each slice is said, nothing is known of the slices beside it.
        const { values: unaware } = samplePlane({ table, samples, slots: Int32Array.from(places) }, grid, LINEAR);
        expect(Buffer.from(unaware.buffer).equals(Buffer.from(values.buffer))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('of the nearest samples has the sample that each point lies in', () => {
    fc.assert(
      fc.property(anyTable, angles, (table, turned) => {
        const samples = fillVolume(table, () => 0).map((_, at) => at);
        const grid = planeThrough(table, turned);
        const { values } = samplePlane({ table, samples }, grid, NEAREST);
        for (const [i, value] of values.entries()) {
          const point = pixelToPatient(grid, { row: Math.floor(i / grid.columns), column: i % grid.columns });
          const position = findVolumePosition(table, point);
          if (position === undefined) continue;
          const { place, row, column } = position;
          if ([place, row, column].some((index) => Math.abs((index % 1) - 0.5) < 1e-5)) continue;
          const sample = (Math.round(place) * table.rows + Math.round(row)) * table.columns + Math.round(column);
          expect(value).toBe(sample);
        }
      }),
    );
  });

  test('takes no part of it from beyond the samples: each reaches half a step, and there its value holds', () => {
    const table = createTable({ ...AXIAL, rows: 2, columns: 2, ...UNIT, offsetsMm: [0, 1] });
    const samples = Int16Array.of(10, 20, 30, 40, 50, 60, 70, 80);
    // From -0.75 to 1.75 mm in steps of 0.25 along the first row of the first slice.
    const line: PlaneGrid = {
      ...AXIAL,
      position: [-0.75, 0, 0],
      rowSpacingMm: 1,
      columnSpacingMm: 0.25,
      rows: 1,
      columns: 11,
    };
    const { values } = samplePlane({ table, samples }, line, LINEAR);
    expect([...values]).toEqual([NaN, 10, 10, 10, 12.5, 15, 17.5, 20, 20, NaN, NaN]);
    const above = { ...line, position: [0, 0, -0.5] as const, columnSpacingMm: 1, columns: 2 };
    expect([...samplePlane({ table, samples }, above, LINEAR).values]).toEqual([10, 20]);
    const beyond = { ...above, position: [0, 0, 1.5] as const };
    expect([...samplePlane({ table, samples }, beyond, LINEAR).values]).toEqual([NaN, NaN]);
  });

  test('is empty in a hole, except for half a step beside the slices', () => {
    const table = createTable({ ...AXIAL, rows: 1, columns: 2, ...UNIT, offsetsMm: [0, 1, 2, 6, 7], holes: [2] });
    const samples = Int16Array.of(0, 0, 10, 10, 20, 20, 60, 60, 70, 70);
    const down = { rowDirection: [1, 0, 0], columnDirection: [0, 0, 1] } as const;
    const grid: PlaneGrid = {
      ...down,
      position: [0, 0, 1.5],
      rowSpacingMm: 0.5,
      columnSpacingMm: 1,
      rows: 11,
      columns: 1,
    };
    const { values } = samplePlane({ table, samples }, grid, LINEAR);
    expect([...values]).toEqual([15, 20, NaN, NaN, NaN, NaN, NaN, NaN, 60, 60, 65]);
  });

  test('beside a hole ends as at an end of the volume: as far and as tilted as on the other side of the slice', () => {
    // The slice at 4 mm reaches 2 mm, as to that at 0 mm; that at 10 mm 0.5 mm. Each millimetre moves the slices below the
    // hole by a quarter of a column, and those above it by none, whatever lies between them.
    const table = createTable({
      ...AXIAL,
      rows: 1,
      columns: 4,
      ...UNIT,
      offsetsMm: [0, 4, 10, 11, 12],
      shiftsMm: [
        [0, 0],
        [1, 0],
        [9, 0],
        [9, 0],
        [9, 0],
      ],
      holes: [1],
    });
    const samples = Int16Array.from({ length: 5 * 4 }, (_, i) => 100 * Math.floor(i / 4) + 10 * (i % 4));
    const valuesAt = (z: number, x: number) => {
      const grid: PlaneGrid = {
        ...AXIAL,
        position: [x, 0, z],
        rowSpacingMm: 1,
        columnSpacingMm: 1,
        rows: 1,
        columns: 3,
      };
      return [...samplePlane({ table, samples }, grid, LINEAR).values];
    };
    // At 5.5 mm the slice at 4 mm begins 1.5 / 4 mm beyond its first point, at 1.375.
    expect(valuesAt(5.5, 1.375)).toEqual([100, 110, 120]);
    expect(valuesAt(6.01, 1.375)).toEqual([NaN, NaN, NaN]);
    expect(valuesAt(9.49, 9)).toEqual([NaN, NaN, NaN]);
    expect(valuesAt(9.6, 9)).toEqual([200, 210, 220]);
  });

  test('at the position of a slice has its samples, whatever the distances, tilts and holes', () => {
    fc.assert(
      fc.property(anyTable, fc.array(fc.nat(5), { maxLength: 2 }), (regular, holes) => {
        const isHole = regular.isHole.map((_, at) => Number(holes.includes(at)));
        const table = { ...regular, isHole };
        const { rows, columns } = table;
        const samples = Float64Array.from(
          { length: table.positionsMm.length * rows * columns },
          (_, i) => (i * 7) % 31,
        );
        for (const place of table.positionsMm.keys()) {
          const { values } = samplePlane({ table, samples }, { ...planeOfPlace(table, place), rows, columns }, LINEAR);
          expect([...values]).toEqual([...samples.subarray(place * rows * columns, (place + 1) * rows * columns)]);
        }
      }),
    );
  });

  test('of regular slices is the same with another slice at another distance beyond them', () => {
    let inside = 0;
    fc.assert(
      fc.property(regularTable, angles, gap, fc.constantFrom(LINEAR, NEAREST), (table, turned, moreMm, sampling) => {
        const normal = normalOf(table);
        const last = table.positionsMm.length - 1;
        // At least a gap and a half away, so that the last slice does not reach half way to it.
        const beyondMm = 1.5 * table.spacingMm + moreMm;
        const end = planeOfPlace(table, last).position;
        const irregular: PositionTable = {
          ...table,
          positionsMm: Float64Array.of(...table.positionsMm, table.positionsMm[last]! + beyondMm),
          points: Float64Array.of(...table.points, ...end.map((part, axis) => part + beyondMm * normal[axis]!)),
          isHole: new Uint8Array(last + 1),
        };
        const samples = fillVolume(irregular, ([x, y, z]) => 100 * Math.sin(x) + 50 * Math.cos(y * z));
        const grid = planeThrough(table, turned);
        const one = samplePlane({ table, samples }, grid, sampling).values;
        const other = samplePlane({ table: irregular, samples }, grid, sampling).values;
        const compared = Array.from(one, (value, i) => ({ value, other: other[i]!, i })).filter(({ i }) => {
          const point = pixelToPatient(grid, { row: Math.floor(i / grid.columns), column: i % grid.columns });
          return dot(normal, point) <= table.positionsMm[last]! - 1e-3;
        });
        inside += compared.filter(({ value }) => !Number.isNaN(value)).length;
        expect(compared.filter((each) => Number.isNaN(each.value) !== Number.isNaN(each.other))).toEqual([]);
        expect(compared.filter((each) => Math.abs(each.value - each.other) > 1e-6)).toEqual([]);
      }),
    );
    expect(inside).toBeGreaterThan(1000);
  });

  test('does not mix padding into its neighbours, and is padding where that has more than half of the weight', () => {
    const table = createTable({ ...AXIAL, rows: 1, columns: 3, ...UNIT, offsetsMm: [0, 1] });
    const samples = Int16Array.of(100, -2000, 300, 100, 200, 300);
    const paddings = { lows: Float64Array.of(-2000, -2000), highs: Float64Array.of(-2000, -2000) };
    const grid: PlaneGrid = {
      ...AXIAL,
      position: [0.25, 0, 0],
      rowSpacingMm: 1,
      columnSpacingMm: 0.5,
      rows: 1,
      columns: 4,
    };
    // At 0.25 mm three quarters of the weight are 100; at 0.75 mm a quarter is left, and so on.
    expect([...samplePlane({ table, samples, paddings }, grid, LINEAR).values]).toEqual([100, NaN, NaN, 300]);
    const slab = { ...LINEAR, slabMm: 2.5, projection: 'min' } as const;
    const onGrid = { ...grid, position: [0, 0, 0] as const, columnSpacingMm: 1, columns: 3 };
    expect([...samplePlane({ table, samples, paddings }, onGrid, slab).values]).toEqual([100, 200, 300]);
  });

  test('applies the rescale of each slice before it mixes two', () => {
    const table = createTable({ ...AXIAL, rows: 1, columns: 1, ...UNIT, offsetsMm: [0, 1] });
    const rescales = { slopes: Float64Array.of(2, 0.5), intercepts: Float64Array.of(0, 10) };
    const grid: PlaneGrid = {
      ...AXIAL,
      position: [0, 0, 0.25],
      rowSpacingMm: 1,
      columnSpacingMm: 1,
      rows: 1,
      columns: 1,
    };
    // Three quarters of 100 x 2, and one of 100 x 0.5 + 10.
    expect([...samplePlane({ table, samples: Uint16Array.of(100, 100), rescales }, grid, LINEAR).values]).toEqual([
      165,
    ]);
  });
});

describe('a slab of a volume', () => {
  test('is the largest, smallest and mean sample of its sheets, which are planes', () => {
    fc.assert(
      fc.property(
        anyTable,
        angles,
        fc.double({ min: 0, max: 12, noNaN: true }),
        fc.infiniteStream(fc.integer({ min: -1000, max: 3000 })),
        (table, turned, slabMm, noise) => {
          const samples = Int16Array.from(fillVolume(table, () => noise.next().value));
          const grid = planeThrough(table, turned);
          const normal = normalOf(grid);
          const { slab } = samplePlane({ table, samples }, grid, { ...LINEAR, slabMm });
          const half = (slab.count - 1) / 2;
          const sheets = Array.from({ length: slab.count }, (_, at) => {
            const aside = (at - half) * slab.stepMm;
            const position: Vector3 = [
              grid.position[0] + normal[0] * aside,
              grid.position[1] + normal[1] * aside,
              grid.position[2] + normal[2] * aside,
            ];
            return samplePlane({ table, samples }, { ...grid, position }, LINEAR).values;
          });
          for (const projection of ['max', 'min', 'mean'] as const) {
            const { values } = samplePlane({ table, samples }, grid, { ...LINEAR, slabMm, projection });
            let wrong = 0;
            for (const [i, value] of values.entries()) {
              const inside = sheets.map((sheet) => sheet[i]!).filter((one) => !Number.isNaN(one));
              const mean = inside.reduce((sum, one) => sum + one, 0) / inside.length;
              const expected = { max: Math.max(...inside), min: Math.min(...inside), mean }[projection];
              const isRight = inside.length === 0 ? Number.isNaN(value) : Math.abs(value - expected) < 1e-6;
              if (!isRight) wrong += 1;
            }
            expect(wrong).toBe(0);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('has one sheet for every step of the axis that it is thick along, and an odd number of them', () => {
    const table = createTable({
      ...AXIAL,
      rows: 4,
      columns: 4,
      rowSpacingMm: 2,
      columnSpacingMm: 0.5,
      origin: [0, 0, 0],
      offsetsMm: [0, 3, 6],
    });
    const samples = new Int16Array(48);
    const countOf = (grid: Pick<PlaneGrid, 'rowDirection' | 'columnDirection'>, slabMm: number) =>
      samplePlane(
        { table, samples },
        { ...grid, position: [0, 0, 0], rowSpacingMm: 1, columnSpacingMm: 1, rows: 1, columns: 1 },
        { ...LINEAR, slabMm },
      ).slab;
    expect(countOf(AXIAL, 20)).toMatchObject({ stepMm: 3, count: 7 });
    expect(countOf({ rowDirection: [1, 0, 0], columnDirection: [0, 0, 1] }, 20)).toMatchObject({
      stepMm: 2,
      count: 11,
    });
    expect(countOf({ rowDirection: [0, 1, 0], columnDirection: [0, 0, 1] }, 20)).toMatchObject({
      stepMm: 0.5,
      count: 41,
    });
    expect(countOf(turn(0.3, 0.4, 0), 20)).toMatchObject({ stepMm: 0.5, count: 41 });
    // The sheets beside the volume are not sampled.
    expect(countOf(AXIAL, 1e9).first + countOf(AXIAL, 1e9).last).toBeLessThan(12);
  });
});

const UNIT = { rowSpacingMm: 1, columnSpacingMm: 1, origin: [0, 0, 0] } as const;

function sign(flips: boolean, [x, y, z]: Vector3): Vector3 {
  return flips ? [-x, -y, -z] : [x, y, z];
}

/** Whether a point has samples on all sides, so that no border value is used. */
function isBetweenSamples(table: PositionTable, point: Vector3): boolean {
  const z = dot(normalOf(table), point);
  const { positionsMm, rows, columns } = table;
  if (z < positionsMm[0]! || z > positionsMm.at(-1)!) return false;
  const position = findVolumePosition(table, point)!;
  return position.row > 0 && position.row < rows - 1 && position.column > 0 && position.column < columns - 1;
}
