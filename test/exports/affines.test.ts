import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type Recorded = {
  /** A file of the series. */
  readonly path: string;
  /** Columns, rows and slices. */
  readonly shape: readonly number[];
  /** Three rows of four numbers. */
  readonly affine: readonly number[];
};

const RECORDED: Readonly<Record<'corpus' | 'layers', readonly Recorded[]>> = JSON.parse(
  readFileSync(new URL('affines.json', import.meta.url), 'utf8'),
);

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('NIfTI files of series %s lie where the headers say, by numpy:', (_, need, root, series) => {
  test.each(series)('$path', { ...needs(need), timeout: 60_000 }, async ({ path, shape, affine }) => {
    const server = await serveShared(`${root}/${path.split('/').slice(0, -1).join('/')}`);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const index = files.find((file) => file.path.endsWith(path))?.index;
    const response = await server.request(`/api/file/${index}/volume/nifti?format=nii`);
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    const { value: start = new Uint8Array() } = await reader.read();
    await reader.cancel();
    const view = new DataView(start.buffer, start.byteOffset);
    expect([0, 1, 2].map((at) => view.getInt16(42 + 2 * at, true))).toEqual(shape);
    // 32-bit floats, of coordinates of up to a metre.
    for (const [at, part] of affine.entries()) {
      expect.soft(Math.abs(view.getFloat32(280 + 4 * at, true) - part), `number ${at}`).toBeLessThan(1e-4);
    }
  });
});
