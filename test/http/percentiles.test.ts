import { expect, test } from 'vitest';
import type { PercentilesResponse } from '../../src/shared/contract/percentiles.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve } from '../support/serve.ts';

/** One row of 200 samples from 1 to 200. */
function writeRow(more: DataSetInput): Uint8Array {
  return writeDicom(
    ctElements({
      Rows: 1,
      Columns: 200,
      BitsAllocated: 16,
      BitsStored: 16,
      HighBit: 15,
      PixelRepresentation: 0,
      PixelData: Uint16Array.from({ length: 200 }, (_, i) => i + 1),
      ...more,
    }),
  );
}

async function ask(bytes: Uint8Array): Promise<PercentilesResponse> {
  const server = await serve(bytes);
  const response = await server.request('/api/file/0/frame/0/percentiles');
  expect(response.status).toBe(200);
  return response.json();
}

const PLAIN = { WindowCenter: undefined, WindowWidth: undefined, RescaleSlope: '0.5', RescaleIntercept: '-10' };

test('percentiles are nearest ranks of modality values', async () => {
  const { percentiles, ...told } = await ask(writeRow(PLAIN));
  expect(told).toEqual({
    file_index: 0,
    frame_index: 0,
    count: 200,
    has_own_voi: false,
    voi_lut_function: null,
    grain: 'rescaled',
  });
  // Percentile p has rank 2 p, so its sample is 2 p; the 0th is the first.
  expect(percentiles).toEqual(Array.from({ length: 101 }, (_, p) => Math.max(1, 2 * p) / 2 - 10));
});

test('padding does not count, and a declared window is reported', async () => {
  const told = await ask(
    writeRow({
      PixelPaddingValue: 200,
      WindowCenter: '40',
      WindowWidth: '400',
      VOILUTFunction: 'SIGMOID',
      RescaleSlope: '1',
      RescaleIntercept: '0',
    }),
  );
  expect(told).toMatchObject({ count: 199, has_own_voi: true, voi_lut_function: 'SIGMOID', grain: 'whole' });
  expect(told.percentiles[100]).toBe(199);
});

test('a color image has none', async () => {
  const color = writeRow({
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'RGB',
    PlanarConfiguration: 0,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelData: new Uint8Array(600),
  });
  expect(await ask(color)).toMatchObject({ count: 0, percentiles: [] });
});

test('a frame that does not exist is refused as in other requests', async () => {
  const server = await serve(writeRow(PLAIN));
  const response = await server.request('/api/file/0/frame/1/percentiles');
  expect([response.status, (await response.json()).code]).toEqual([404, 'frame_out_of_range']);
});
