import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { samplePlane } from '../../src/server/images/volumes/samplePlane.ts';
import { dot, normalOf, type Vector3 } from '../../src/shared/geometry.ts';
import type { PositionTable } from '../../src/shared/positionTable.ts';
import {
  createNoise,
  OUTSIDE,
  randomPlanes,
  readAnswers,
  type RecordedAnswers,
  type RecordedShape,
} from './randomPlanes.ts';

type WrittenVolume = RecordedAnswers & {
  /** Seed of the samples. */
  readonly samples: number;
  readonly rows: number;
  readonly columns: number;
  /** Between rows, then between columns. */
  readonly spacing: readonly [number, number];
  readonly orientation: readonly number[];
  /** First points of all slices. */
  readonly points: readonly number[];
  /** The usual distance between slices. */
  readonly usual: number;
  /** The places before gaps that are not bridged. */
  readonly holes: readonly number[];
  readonly padding: readonly [number, number] | null;
  /** Slopes of the slices, if they differ. */
  readonly slopes: readonly number[] | null;
};

const path = process.env['NEGATO_PLANES'] ?? new URL('planes.json', import.meta.url);
const RECORDED: RecordedShape & { readonly volumes: readonly WrittenVolume[] } = JSON.parse(readFileSync(path, 'utf8'));

test.each(RECORDED.volumes.map((volume, number) => ({ number, volume })))(
  'the planes of written volume $number are those that SimpleITK makes',
  ({ volume }) => {
    const table = toTable(volume);
    const expected = readAnswers(volume);
    const ties = new Set(volume.ties);
    const samples = makeSamples(volume);
    const places = table.positionsMm.length;
    const { padding, slopes } = volume;
    const more = {
      rescales:
        slopes === null ? undefined : { slopes: Float64Array.from(slopes), intercepts: new Float64Array(places) },
      paddings: padding === null ? undefined : { lows: same(places, padding[0]), highs: same(places, padding[1]) },
    };
    const different: string[] = [];
    let inside = 0;
    let at = 0;
    for (const { grid, interpolation } of randomPlanes(table, volume.seed, RECORDED)) {
      const sampling = { interpolation, slabMm: 0, projection: 'max' } as const;
      const { values } = samplePlane({ table, samples, ...more }, grid, sampling);
      for (const value of values) {
        // Nearest samples that are padding are copied.
        const isPadding = slopes === null && padding !== null && value >= padding[0] && value <= padding[1];
        const found = Number.isNaN(value) || isPadding ? OUTSIDE : Math.floor(value + 0.5);
        if (found !== expected[at] && !ties.has(at)) {
          different.push(`${interpolation}, sample ${at}: ${value}, not ${expected[at]}`);
        }
        inside += Number(found !== OUTSIDE);
        at += 1;
      }
    }
    expect(different).toEqual([]);
    expect(at).toBe(expected.length);
    expect(inside).toBeGreaterThan(500);
    expect(ties.size).toBeLessThan(1 + at / 1000);
  },
);

function toTable({ orientation, spacing, points, rows, columns, usual, holes }: WrittenVolume): PositionTable {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = orientation;
  const directions = { rowDirection: [a, b, c], columnDirection: [d, e, f] } as const;
  const normal = normalOf(directions);
  const places = points.length / 3;
  const pointOf = (place: number): Vector3 => [points[3 * place]!, points[3 * place + 1]!, points[3 * place + 2]!];
  return {
    ...directions,
    rows,
    columns,
    rowSpacingMm: spacing[0],
    columnSpacingMm: spacing[1],
    positionsMm: Float64Array.from({ length: places }, (_, place) => dot(normal, pointOf(place))),
    points: Float64Array.from(points),
    isHole: Uint8Array.from({ length: places - 1 }, (_, gap) => Number(holes.includes(gap))),
    spacingMm: usual,
  };
}

function makeSamples({ samples, points, rows, columns }: WrittenVolume): Int16Array {
  const noise = createNoise(samples);
  return Int16Array.from({ length: (points.length / 3) * rows * columns }, () => Math.floor(noise() * 4096) - 1000);
}

function same(length: number, value: number): Float64Array {
  return new Float64Array(length).fill(value);
}
