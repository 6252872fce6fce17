import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { samplePlane } from '../../src/server/volumes/samplePlane.ts';
import { dot, normalOf, type Vector3 } from '../../src/shared/geometry.ts';
import type { PlaneGrid } from '../../src/shared/planeGrid.ts';
import type { PositionTable } from '../../src/shared/positionTable.ts';

type Recorded = {
  readonly rows: number;
  readonly columns: number;
  readonly volumes: readonly RecordedVolume[];
};

type RecordedVolume = {
  readonly seed: number;
  readonly rows: number;
  readonly columns: number;
  readonly places: number;
  /** Between rows, columns and slices along the normal. */
  readonly spacing: readonly [number, number, number];
  readonly origin: Vector3;
  readonly orientation: readonly number[];
  /** From the first sample of one slice to that of the next. */
  readonly step: Vector3;
  readonly planes: readonly RecordedPlane[];
};

type RecordedPlane = {
  readonly position: Vector3;
  readonly orientation: readonly number[];
  readonly spacing: readonly [number, number];
  /** Samples in base64: 16 bits, little endian. */
  readonly linear: string;
  readonly nearest: string;
};

const OUTSIDE = -32768;
const RECORDED: Recorded = JSON.parse(readFileSync(new URL('planes.json', import.meta.url), 'utf8'));

test.each(['linear', 'nearest'] as const)(
  'planes are those that SimpleITK makes, %s, tilted or not',
  (interpolation) => {
    let count = 0;
    let inside = 0;
    let ties = 0;
    const different: string[] = [];
    for (const volume of RECORDED.volumes) {
      const table = toTable(volume);
      const samples = makeNoise(volume.seed, volume.rows * volume.columns * volume.places);
      for (const [number, plane] of volume.planes.entries()) {
        const grid = toGrid(plane);
        const { values } = samplePlane({ table, samples }, grid, { interpolation, slabMm: 0, projection: 'max' });
        const expected = new Int16Array(Uint8Array.from(Buffer.from(plane[interpolation], 'base64')).buffer);
        for (const [i, value] of values.entries()) {
          count += 1;
          inside += Number(expected[i] !== OUTSIDE);
          // A half can be rounded either way, by the order of the additions.
          if (Math.abs(value - Math.floor(value) - 0.5) < 1e-9) ties += 1;
          else if ((Number.isNaN(value) ? OUTSIDE : Math.floor(value + 0.5)) !== expected[i]) {
            different.push(`volume ${volume.seed}, plane ${number}, sample ${i}: ${value}, not ${expected[i]}`);
          }
        }
      }
    }
    expect(different).toEqual([]);
    expect(inside).toBeGreaterThan(count / 3);
    expect(ties).toBeLessThan(count / 1000);
  },
);

function toTable(volume: RecordedVolume): PositionTable {
  const { orientation, spacing, origin, step, places, rows, columns } = volume;
  const directions = toDirections(orientation);
  const at = (place: number): number[] => origin.map((start, axis) => start + step[axis]! * place);
  const normal = normalOf(directions);
  return {
    ...directions,
    rows,
    columns,
    rowSpacingMm: spacing[0],
    columnSpacingMm: spacing[1],
    positionsMm: Float64Array.from({ length: places }, (_, place) => dot(normal, origin) + dot(normal, step) * place),
    points: Float64Array.from(Array.from({ length: places }, (_, place) => at(place)).flat()),
    isHole: new Uint8Array(places - 1),
    spacingMm: spacing[2],
  };
}

function toGrid({ position, orientation, spacing }: RecordedPlane): PlaneGrid {
  const [rowSpacingMm, columnSpacingMm] = spacing;
  const { rows, columns } = RECORDED;
  return { ...toDirections(orientation), position, rowSpacingMm, columnSpacingMm, rows, columns };
}

function toDirections([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]) {
  return { rowDirection: [a, b, c], columnDirection: [d, e, f] } as const;
}

/** The generator of makePlanes.py. */
function makeNoise(seed: number, count: number): Int16Array {
  let state = seed;
  return Int16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 20) - 1000;
  });
}
