import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTable, pointOfSample } from '../../../test/support/rampVolume.ts';
import { buildOrientation, type PlaneOrientation, type Vector3 } from '../../shared/geometry.ts';
import { findNeededPlaces, type PlaneGrid } from '../../shared/planeGrid.ts';
import { INDEX_TOLERANCE, type PositionTable } from '../../shared/positionTable.ts';
import { samplePlane } from './samplePlane.ts';
import type { VolumeBox } from './volume.ts';
import { cropVolume, findNeededBox } from './volumeBox.ts';
import type { KnownVolume } from './volumeMemory.ts';

const SIZE = 12;
/** All samples are smaller. */
const LARGEST = 1009;

test('a plane of a box of a volume is the plane of the whole volume', () => {
  let sampled = 0;
  let cropped = 0;
  fc.assert(
    fc.property(anyTable(), anyPlane(), fc.constantFrom(0, 3.7), (table, { start, ...shape }, slabMm) => {
      const plane = { ...shape, position: pointOfSample(table, ...start) };
      const samples = Float64Array.from({ length: SIZE ** 3 }, (_, at) => (at * 7919) % LARGEST);
      const range = findNeededPlaces(table, plane, { slabMm });
      if (range === undefined) return;
      const box = findNeededBox(table, plane, { slabMm }, range);
      const sampling = { interpolation: 'linear', slabMm, projection: 'mean' } as const;
      const whole = samplePlane({ table, samples }, plane, sampling).values;
      const part = cropVolume(volumeOf(table), 0, box).table;
      const ofBox = samplePlane({ table: part, samples: cut(samples, box) }, plane, sampling).values;
      // The points of the box are sums, which are rounded: an index this close to a sample is taken for it in one of
      // the two and not in the other. One step along each of three axes changes a value by the whole range at most.
      const isEqual = (value: number, at: number) =>
        Number.isNaN(value) ? Number.isNaN(ofBox[at]) : Math.abs(ofBox[at]! - value) < 3 * LARGEST * INDEX_TOLERANCE;
      expect(whole.every(isEqual)).toBe(true);
      sampled += whole.filter((value) => !Number.isNaN(value)).length;
      cropped += Number(part.rows < SIZE || part.columns < SIZE || part.positionsMm.length < SIZE);
    }),
    { numRuns: 400, endOnFailure: true },
  );
  expect(sampled).toBeGreaterThan(2_000);
  expect(cropped).toBeGreaterThan(100);
});

function cut(samples: Float64Array, { places, rows, columns }: VolumeBox): Float64Array {
  const found: number[] = [];
  for (let place = places.first; place <= places.last; place += 1) {
    for (let row = rows.first; row <= rows.last; row += 1) {
      for (let column = columns.first; column <= columns.last; column += 1) {
        found.push(samples[(place * SIZE + row) * SIZE + column]!);
      }
    }
  }
  return Float64Array.from(found);
}

/** Not `fc.double`, which prefers numbers such as 1e-300 that no scanner writes. */
function anyNumber(min: number, max: number) {
  return fc.integer({ min: 0, max: 2 ** 30 }).map((step) => min + ((max - min) * step) / 2 ** 30);
}

function anyOrientation(): fc.Arbitrary<PlaneOrientation> {
  const vector = fc.tuple(anyNumber(-1, 1), anyNumber(-1, 1), anyNumber(-1, 1));
  return fc
    .tuple(vector, vector)
    .map(([a, b]) => orthogonal(a, b))
    .filter((found) => found !== undefined);
}

function orthogonal(a: Vector3, b: Vector3): PlaneOrientation | undefined {
  const length = Math.hypot(...a);
  if (length < 0.1) return undefined;
  const along: Vector3 = [a[0] / length, a[1] / length, a[2] / length];
  const shared = along[0] * b[0] + along[1] * b[1] + along[2] * b[2];
  const rest: Vector3 = [b[0] - shared * along[0], b[1] - shared * along[1], b[2] - shared * along[2]];
  const restLength = Math.hypot(...rest);
  if (restLength < 0.1) return undefined;
  return buildOrientation([...along, ...rest.map((each) => each / restLength)]);
}

/** Slices at irregular distances, and each with a shift of its own, as with a gantry whose tilt changes. */
function anyTable(): fc.Arbitrary<PositionTable> {
  const shape = fc.record({
    orientation: anyOrientation(),
    rowSpacingMm: anyNumber(0.4, 2),
    columnSpacingMm: anyNumber(0.4, 2),
    gapsMm: fc.array(anyNumber(0.5, 3), { minLength: SIZE, maxLength: SIZE }),
    shiftsMm: fc.array(fc.tuple(anyNumber(-1, 1), anyNumber(-1, 1)), { minLength: SIZE, maxLength: SIZE }),
    origin: fc.tuple(anyNumber(-200, 200), anyNumber(-200, 200), anyNumber(-200, 200)),
  });
  return shape.map(({ orientation, gapsMm, ...rest }) => {
    const offsetsMm = gapsMm.map((_, place) => gapsMm.slice(0, place).reduce((sum, gap) => sum + gap, 0));
    return createTable({ ...orientation, ...rest, offsetsMm, rows: SIZE, columns: SIZE });
  });
}

/** A small plane whose first sample is somewhere in the volume or beside it: at a place, a row and a column. */
function anyPlane(): fc.Arbitrary<Omit<PlaneGrid, 'position'> & { start: readonly [number, number, number] }> {
  const shape = fc.record({
    orientation: anyOrientation(),
    rowSpacingMm: anyNumber(0.3, 2),
    columnSpacingMm: anyNumber(0.3, 2),
    start: fc.tuple(fc.integer({ min: 0, max: SIZE - 1 }), anyNumber(-3, SIZE + 2), anyNumber(-3, SIZE + 2)),
  });
  return shape.map(({ orientation, ...rest }) => ({ ...orientation, ...rest, rows: 4, columns: 5 }));
}

function volumeOf(table: PositionTable): KnownVolume {
  const frames = new Uint32Array(SIZE);
  return {
    key: '',
    table,
    space: 'patient',
    frameOfReferenceUid: undefined,
    tiltDegrees: 0,
    times: [{ label: '', kind: 'unknown', value: undefined, unit: undefined }],
    fileIndices: frames,
    frameIndices: frames,
    warnings: [],
    sample: {
      storage: 'float64',
      isModality: false,
      bitsStored: 64,
      photometricInterpretation: 'MONOCHROME2',
      rescale: { slope: 1, intercept: 0 },
      rescales: undefined,
      unit: '',
      padding: undefined,
      paddings: undefined,
      voi: { windows: [], shape: undefined, tables: [] },
    },
  };
}
