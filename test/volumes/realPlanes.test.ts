import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import {
  OUTSIDE,
  type RandomPlane,
  randomPlanes,
  readAnswers,
  type RecordedAnswers,
  type RecordedShape,
} from './randomPlanes.ts';

type RealVolume = RecordedAnswers & {
  /** A file of the volume, in the corpus. */
  readonly path: string;
};

const path = process.env['NEGATO_REAL_PLANES'] ?? new URL('realPlanes.json', import.meta.url);
const RECORDED: RecordedShape & { readonly volumes: readonly RealVolume[] } = JSON.parse(readFileSync(path, 'utf8'));

/** Answers as 32-bit floats are exact to this part of a stored sample, with the values of these volumes. */
const FLOAT_ERROR = 1e-3;

describe('the planes of real files are those that SimpleITK makes:', needs(CORPUS), () => {
  let server: SharedServer;
  let files: FilesResponse['files'];

  beforeAll(async () => {
    // One server for all: a folder may hold several volumes.
    const folders = RECORDED.volumes.map((volume) => `${corpus}/${volume.path.split('/').slice(0, -1).join('/')}`);
    server = await serveShared(...new Set(folders));
    files = (await (await server.request('/api/files')).json()).files;
  }, 180_000);

  test.each(RECORDED.volumes)(
    '$path',
    async (recorded) => {
      const { index } = files.find((file) => file.path.endsWith(recorded.path))!;
      const { volume }: VolumeResponse = await (await server.request(`/api/file/${index}/volume`)).json();
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = volume!.orientation;
      const table = {
        points: Float64Array.from(volume!.first_points),
        rowDirection: [a, b, c],
        columnDirection: [d, e, f],
        rows: volume!.rows,
        columns: volume!.columns,
        rowSpacingMm: volume!.pixel_spacing_mm[0],
        columnSpacingMm: volume!.pixel_spacing_mm[1],
      } as const;
      const { slope, intercept } = volume!.sample.rescale!;
      const expected = readAnswers(recorded);
      const ties = new Set(recorded.ties);
      const different: string[] = [];
      let inside = 0;
      let at = 0;
      const ask = async ({ grid, interpolation }: RandomPlane) => {
        const query = new URLSearchParams({
          position: grid.position.join(),
          orientation: [...grid.rowDirection, ...grid.columnDirection].join(),
          spacing: `${grid.rowSpacingMm},${grid.columnSpacingMm}`,
          rows: String(grid.rows),
          columns: String(grid.columns),
          interpolation,
        });
        const response = await server.request(`/api/file/${index}/plane/raw?${query.toString()}`);
        if (!response.ok) throw new Error(await response.text());
        return { interpolation, headers: response.headers, bytes: await response.arrayBuffer() };
      };
      const planes = await Promise.all([...randomPlanes(table, recorded.seed, RECORDED)].map(ask));
      for (const { interpolation, headers, bytes } of planes) {
        const [low, high] = ['low', 'high'].map((end) => Number(headers.get(`x-frame-padding-${end}`) ?? NaN));
        const isFloat = headers.get('x-frame-sample-kind') === 'float';
        const isSigned = headers.get('x-frame-pixel-representation') === '1';
        const samples = new (isFloat ? Float32Array : isSigned ? Int16Array : Uint16Array)(bytes);
        for (const sample of samples) {
          const isOutside = Number.isNaN(sample) || (sample >= low! && sample <= high!);
          const stored = isOutside ? OUTSIDE : isFloat ? (sample - intercept) / slope : sample;
          const wanted = expected[at]!;
          const isSame = isFloat ? Math.abs(stored - wanted) <= 0.5 + FLOAT_ERROR : stored === wanted;
          if (!isSame && !ties.has(at)) different.push(`${interpolation}, sample ${at}: ${stored}, not ${wanted}`);
          inside += Number(!isOutside);
          at += 1;
        }
      }
      expect(different).toEqual([]);
      expect(at).toBe(expected.length);
      expect(inside).toBeGreaterThan(500);
      expect(ties.size).toBeLessThan(1 + at / 1000);
    },
    120_000,
  );
});
