import { expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { readNifti } from '../../src/server/images/attachments/nifti.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { straight, VOLUME_COLUMNS, VOLUME_ROWS, writeSeries } from '../support/volumeFiles.ts';

// Sample (row, column) of slice k is 100 k + 10 row + column, and slices are 2 mm apart.
const CORONAL = 'position=0,2,0&orientation=1,0,0,0,0,1&spacing=2,1&rows=4&columns=5';
const BETWEEN = 'position=0,0,3&orientation=1,0,0,0,1,0&spacing=1,1&rows=4&columns=5';
const PLACES = 4;

const UNIT = [{ CodeValue: 'mm2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'mm2/s' }];

/** A series whose slice k has a mapping of its own to an apparent diffusion coefficient. */
function serveMapped(mappingOf: (k: number) => DataSetInput, more: (k: number) => DataSetInput = () => ({})) {
  const slices = straight(PLACES).map((slice, k) => ({
    ...slice,
    more: {
      RealWorldValueMappingSequence: [
        {
          LUTLabel: 'ADC',
          MeasurementUnitsCodeSequence: UNIT,
          RealWorldValueFirstValueMapped: { vr: 'US', value: [0] },
          RealWorldValueLastValueMapped: { vr: 'US', value: [399] },
          ...mappingOf(k),
        },
      ],
      ...more(k),
    },
  }));
  return serveShared(...writeSeries(1, slices));
}

const ofOwn = (k: number): DataSetInput => ({ RealWorldValueSlope: k + 1, RealWorldValueIntercept: 0.5 });
/** Entry i is i², so that the mean of two entries is not the entry of the mean. */
const ofTable = (): DataSetInput => ({ RealWorldValueLUTData: Array.from({ length: 400 }, (_, i) => i * i) });

const CASES = [
  ['by image', ofOwn, (k: number, stored: number) => (k + 1) * stored + 0.5],
  ['by table', ofTable, (_: number, stored: number) => stored * stored],
] as const;

async function fetchPlane(server: SharedServer, query: string) {
  const response = await server.request(`/api/file/0/plane/raw?${query}`);
  if (!response.ok) throw new Error(await response.text());
  const { headers } = response;
  return { headers, samples: [...new Float32Array(await response.arrayBuffer())] };
}

const storedAt = (k: number, row: number, column: number) => 100 * k + 10 * row + column;
const COLUMNS = Array.from({ length: VOLUME_COLUMNS }, (_, column) => column);
const ROWS = Array.from({ length: VOLUME_ROWS }, (_, row) => row);
const SLICES = Array.from({ length: PLACES }, (_, k) => k);

test.each(CASES)('planes are in the unit of the images where they are mapped %s', async (_, mappingOf, valueOf) => {
  const server = await serveMapped(mappingOf);
  const { volume } = await (await server.request('/api/file/0/volume')).json();
  expect(volume.sample).toMatchObject({ is_real_world: true, unit: 'mm²/s', kind: 'float' });

  const coronal = await fetchPlane(server, CORONAL);
  expect(coronal.headers.get('x-frame-sample-kind')).toBe('float');
  expect(coronal.samples).toEqual(SLICES.flatMap((k) => COLUMNS.map((column) => valueOf(k, storedAt(k, 2, column)))));
  // Half way between slices 1 and 2: values are interpolated, and not what is stored.
  const between = await fetchPlane(server, BETWEEN);
  const mean = (row: number, column: number) =>
    (valueOf(1, storedAt(1, row, column)) + valueOf(2, storedAt(2, row, column))) / 2;
  expect(between.samples).toEqual(ROWS.flatMap((row) => COLUMNS.map((column) => mean(row, column))));

  const at = await (await server.request('/api/file/0/volume/value?at=3,2,3')).json();
  expect(at).toMatchObject({ stored: null, modality: mean(2, 3) });
});

test.each(CASES)('a layer and a NIfTI file of them are in it too: mapped %s', async (_, mappingOf, valueOf) => {
  const server = await serveMapped(mappingOf);
  const { units } = await (await server.request('/api/layer/0')).json();
  expect(units).toEqual({ label: 'mm²/s', kind: 'real_world' });

  const bytes = new Uint8Array(await (await server.request('/api/file/0/volume/nifti?format=nii')).arrayBuffer());
  expect(readNifti({ source: bufferSource(bytes), name: 'a.nii' })).toMatchObject({
    element: 'float32',
    scale: undefined,
    warnings: [],
  });
  // Rows run from the last to the first.
  expect([...new Float32Array(bytes.slice(352).buffer)]).toEqual(
    SLICES.flatMap((k) =>
      ROWS.toReversed().flatMap((row) => COLUMNS.map((column) => valueOf(k, storedAt(k, row, column)))),
    ),
  );
  const sidecar = await (await server.request('/api/file/0/volume/nifti/sidecar')).json();
  expect(sidecar).toMatchObject({ Units: 'mm²/s' });
  expect(sidecar).not.toHaveProperty('QuantityUnits');
  expect(sidecar).not.toHaveProperty('ConversionWarnings');
});

test('the window of the images is that of the planes, in their unit', async () => {
  const { headers } = await fetchPlane(await serveMapped(ofOwn), CORONAL);
  // -160 to 240 HU are 864 to 1264 stored, which slice 2 in the middle maps to 2592.5 to 3792.5.
  expect([headers.get('x-frame-default-wc'), headers.get('x-frame-default-ww')]).toEqual(['3192.5', '1200']);
});

test('a stored value that is not mapped is no value on planes', async () => {
  const server = await serveMapped((k) => ({
    ...ofOwn(k),
    RealWorldValueLastValueMapped: { vr: 'US', value: [k === 3 ? 321 : 399] },
  }));
  const { samples } = await fetchPlane(server, CORONAL);
  expect(samples.slice(15)).toEqual([4 * 320 + 0.5, 4 * 321 + 0.5, NaN, NaN, NaN]);
});

test.each([
  ['an image has no such mapping', (k: number) => (k === 2 ? { RealWorldValueMappingSequence: undefined } : {})],
  [
    'an image has one to another unit',
    (k: number) =>
      k === 2
        ? { RealWorldValueMappingSequence: [{ LUTLabel: 'T1', RealWorldValueSlope: 9, RealWorldValueIntercept: 0 }] }
        : {},
  ],
])('planes stay in modality values if %s', async (_, more) => {
  const server = await serveMapped(ofOwn, more);
  const { volume } = await (await server.request('/api/file/0/volume')).json();
  expect(volume.sample).toMatchObject({ is_real_world: false, unit: 'HU' });
  const at = await (await server.request('/api/file/0/volume/value?at=3,2,2')).json();
  expect(at).toMatchObject({ stored: 123, modality: 123 - 1024 });
});
