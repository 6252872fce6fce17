import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ValueMappingResponse } from '../../src/shared/contract/valueMapping.ts';
import { corpus } from '../support/corpus.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

function serveFiles(...paths: readonly string[]): Promise<TestServer> {
  return serve(...paths.map((path) => join(corpus ?? '', path)));
}

async function readMapping(server: TestServer, path: string, frame = 0): Promise<ValueMappingResponse> {
  const file = server.catalog.files.find((each) => relative(corpus ?? '', each.path) === path);
  const response = await server.request(`/api/file/${file?.index}/frame/${frame}/value-mapping`);
  expect(response.status).toBe(200);
  return response.json();
}

// pydicom reads all of these figures from the files.
describe('the corpus', needs(CORPUS), () => {
  test('an enhanced CT has the mapping that all its frames share', async () => {
    const path = 'transfer-syntax/fragments/CT0012.explicit_little_endian.dcm';
    const server = await serveFiles(path);

    for (const frame of [0, 1]) {
      expect(await readMapping(server, path, frame)).toMatchObject({
        frame_index: frame,
        stored_value_type: 'integer',
        modality: { rescale_slope: 1, rescale_intercept: -1024, rescale_type: 'US', lut: null },
        real_world: [
          {
            source: 'real_world_value_mapping',
            label: 'RCBF',
            first_value_mapped: 0,
            last_value_mapped: 4095,
            transform: { kind: 'linear', slope: 1, intercept: -1024 },
            unit_label: 'ml/100ml/s',
            units: { value: 'ml/100ml/s', scheme: 'UCUM', meaning: 'ml/100ml/s' },
          },
        ],
      });
    }
  });

  test('the last frame of an enhanced MR has its own rescale', async () => {
    const path = 'multiframe/enhanced-mr/IM-0001-3835-0001.dcm';
    const server = await serveFiles(path);

    expect((await readMapping(server, path, 31)).modality).toEqual({
      rescale_slope: 2.38510378510378,
      rescale_intercept: 0,
      rescale_type: 'US',
      lut: null,
    });
  });

  test('a parametric map stores fractions and maps them from 0 to 1', async () => {
    const path = 'parametric-map/parametric_map_float.dcm';
    const server = await serveFiles(path);

    expect(await readMapping(server, path)).toMatchObject({
      stored_value_type: 'float32',
      real_world: [
        {
          label: '1',
          first_value_mapped: 0,
          last_value_mapped: 1,
          transform: { kind: 'linear', slope: 1, intercept: 0 },
        },
      ],
    });
  });

  test('a dose has its grid scaling', async () => {
    const path = 'rt/plastimatch-tiny/dose_1.2.826.0.1.3680043.8.274.1.1.6549911257.77961.3133305374.424.dcm';
    const server = await serveFiles(path);

    expect((await readMapping(server, path, 9)).real_world).toMatchObject([
      { source: 'dose_grid_scaling', transform: { kind: 'linear', slope: 1.07734e-8, intercept: 0 }, unit_label: 'Gy' },
    ]);
  });

  test('a modality LUT and a VOI LUT have the values that they begin and end with', async () => {
    const paths = ['display/mlut_18.dcm', 'display/vlut_04.dcm'] as const;
    const server = await serveFiles(...paths);

    const { modality } = await readMapping(server, paths[0]);
    const { voi_lut: voiLut } = await readMapping(server, paths[1]);

    expect(modality).toMatchObject({ rescale_type: 'US', lut: { first_value_mapped: -2048 } });
    expect([modality.lut?.values.length, ...(modality.lut?.values.slice(0, 4) ?? [])]).toEqual([4096, 0, 16, 32, 48]);
    expect(modality.lut?.values.slice(-3)).toEqual([65_503, 65_519, 65_535]);
    expect([voiLut?.first_value_mapped, voiLut?.explanation]).toEqual([0, null]);
    expect([voiLut?.values.length, ...(voiLut?.values.slice(0, 4) ?? [])]).toEqual([256, 0, 257, 514, 771]);
  });

  test('a PET image has the slope of its own slice', async () => {
    const path = 'seg/pet-tumor/source/000100.dcm';
    const server = await serveFiles(path);

    expect((await readMapping(server, path)).modality).toEqual({
      rescale_slope: 2.0222414,
      rescale_intercept: 0,
      rescale_type: 'BQML',
      lut: null,
    });
  });
});
