import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeValueResponse } from '../../src/shared/contract/volumes.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type RecordedDose = {
  readonly path: string;
  readonly maximum: number;
  /** x, y and z in millimetres, and the dose. */
  readonly points: readonly (readonly [number, number, number, number])[];
};

const RECORDED: Readonly<Record<'corpus' | 'layers', readonly RecordedDose[]>> = JSON.parse(
  readFileSync(new URL('doses.json', import.meta.url), 'utf8'),
);

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('doses %s are those of SimpleITK:', (_, need, root, doses) => {
  test.each(doses)('$path', needs(need), async ({ path, maximum, points }) => {
    const server = await serveShared(`${root}/${path}`);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const index = files.find((file) => file.path.endsWith(path))?.index;
    const differences: number[] = [];
    for (const [x, y, z, dose] of points) {
      const response = await server.request(`/api/file/${index}/volume/value?at=${x},${y},${z}`);
      const { modality }: VolumeValueResponse = await response.json();
      differences.push(Math.abs((modality ?? NaN) - dose));
    }
    expect(differences.length).toBeGreaterThan(0);
    // A thousandth of the highest dose.
    expect(Math.max(...differences)).toBeLessThanOrEqual(maximum / 1000);
  });
});
