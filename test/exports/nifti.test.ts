import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';

type Recorded = {
  /** A file of the series, in the corpus. */
  readonly path: string;
  readonly shape: readonly number[];
  /** Three rows of four numbers. */
  readonly affine: readonly number[];
  readonly scale: readonly [number, number];
  /** Bytes of a sample. */
  readonly bytes: number;
  /** SHA-256 of the samples as they are in the file. */
  readonly sum: string;
};

const RECORDED: readonly Recorded[] = JSON.parse(readFileSync(new URL('nifti.json', import.meta.url), 'utf8'));

describe('volumes of real files are the NIfTI files that dcm2niix makes:', needs(CORPUS), () => {
  let server: SharedServer;
  let files: FilesResponse['files'];

  beforeAll(async () => {
    const folders = RECORDED.map(({ path }) => `${corpus}/${path.split('/').slice(0, -1).join('/')}`);
    server = await serveShared(...new Set(folders));
    files = (await (await server.request('/api/files')).json()).files;
  }, 180_000);

  test.each(RECORDED)('$path', async ({ path, shape, affine, scale, bytes, sum }) => {
    const { index } = files.find((file) => file.path.endsWith(path))!;
    const response = await server.request(`/api/file/${index}/volume/nifti?format=nii`);
    const file = new Uint8Array(await response.arrayBuffer());
    const view = new DataView(file.buffer);
    const floats = (at: number, count: number) =>
      Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
    const sizes = Array.from({ length: view.getInt16(40, true) }, (_, i) => view.getInt16(42 + 2 * i, true));

    expect(sizes).toEqual(shape);
    expect(view.getInt16(72, true)).toBe(8 * bytes);
    // As recorded, with six digits. Distances between slices are rounded differently.
    for (const [at, part] of floats(280, 12).entries()) expect(Math.abs(part - affine[at]!)).toBeLessThan(1e-3);
    for (const [at, part] of floats(112, 2).entries()) expect(part).toBeCloseTo(scale[at]!, 6);
    expect(createHash('sha256').update(file.subarray(352)).digest('hex')).toBe(sum);
  });
});
