import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { ValueMappingResponse } from '../../src/shared/contract/valueMapping.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type Recorded = { readonly path: string; readonly factor: number; readonly highest: number };

/** Written by makeSuv.py. */
const RECORDED: readonly Recorded[] = JSON.parse(readFileSync(new URL('suv.json', import.meta.url), 'utf8'));

test('uptake values of real PET images are those of pydicom', needs(CORPUS), async () => {
  const server = await serveShared(`${corpus}/${dirname(RECORDED[0]!.path)}`);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  expect(RECORDED.length).toBeGreaterThan(60);
  for (const { path, factor, highest } of RECORDED) {
    const { index = -1 } = files.find((file) => file.path.endsWith(path)) ?? {};
    const response = await server.request(`/api/file/${index}/frame/0/value-mapping`);
    const { pet, modality, default_reading: reading }: ValueMappingResponse = await response.json();
    const suv = pet?.suv ?? { missing: [] };
    expect({ path, unit: reading.unit, has: 'factor' in suv }).toEqual({ path, unit: 'SUVbw', has: true });
    const raw = await (await server.request(`/api/file/${index}/frame/0/raw`)).arrayBuffer();
    const stored = new Int16Array(raw).reduce((most, value) => Math.max(most, value), -Infinity);
    const told = 'factor' in suv ? suv.factor : NaN;
    const value = (stored * modality.rescale_slope + modality.rescale_intercept) * told;
    expect([told / factor, value / highest]).toEqual([expect.closeTo(1, 9), expect.closeTo(1, 9)]);
  }
});
