import { describe, expect, test } from 'vitest';
import type { MarkStatisticsResponse } from '../../src/shared/contract/marks.ts';
import type { ValueMappingResponse } from '../../src/shared/contract/valueMapping.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { CT_SIZE, PET_SIZE, writeCt, writeDose, writePet, writePetMapping } from '../support/fieldFiles.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

/** A rectangle of 4 x 3 pixels from (2, 1). */
const CORNERS = [
  [2, 1],
  [6, 4],
] as const;

async function measure(server: TestServer, file: number, frame = 0): Promise<MarkStatisticsResponse> {
  const body = { kind: 'box', place: { type: 'frame', file_index: file, frame_index: frame }, points: CORNERS };
  const made = await server.request('/api/marks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { id } = await made.json();
  return (await server.request(`/api/mark/${id}/statistics`)).json();
}

async function readMapping(server: TestServer, file: number): Promise<ValueMappingResponse> {
  return (await server.request(`/api/file/${file}/frame/0/value-mapping`)).json();
}

const SLICES = [...Array(PET_SIZE.slices).keys()];

test('a volume of which one image lacks the mapping has one unit, that of its modality values, and says so', async () => {
  const RealWorldValueMappingSequence = [
    {
      RealWorldValueFirstValueMapped: 0,
      RealWorldValueLastValueMapped: 32_767,
      RealWorldValueIntercept: 0,
      RealWorldValueSlope: 0.01,
      LUTLabel: 'Iodine',
      MeasurementUnitsCodeSequence: [{ CodeValue: 'mg/ml', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'mg/ml' }],
    },
  ];
  const write = (lacking: number) =>
    Array.from({ length: 12 }, (_, number) =>
      writeSlice({ number }, number === lacking ? {} : { RealWorldValueMappingSequence }),
    );
  const [whole, partial] = [await serve(...write(-1)), await serve(...write(5))];

  for (const slice of [0, 5, 11]) {
    expect((await readMapping(whole, slice)).default_reading.unit).toBe('mg/ml');
    expect((await readMapping(partial, slice)).default_reading).toEqual({ kind: 'modality', index: null, unit: 'HU' });
  }
  expect((await readMapping(partial, 11)).caveats).toEqual([
    'the mapping “Iodine” to mg/ml is not in all images of the volume, which have one unit',
  ]);
  expect((await measure(partial, 0)).unit).toBe('HU');
  const sidecar = await (await partial.request('/api/file/0/volume/nifti/sidecar')).json();
  expect(sidecar).toMatchObject({ Units: 'HU', ConversionWarnings: [expect.stringContaining('“Iodine”')] });
  expect(sidecar).not.toHaveProperty('QuantityUnits');
});

describe('a PET whose slices have a rescale each', () => {
  test('is read in our SUV if a mapping of stored values ignores these rescales, and every answer says so', async () => {
    const server = await serve(
      ...writePet(),
      writePetMapping(() => 0.0001),
    );

    for (const slice of SLICES) {
      const { default_reading: chosen, caveats } = await readMapping(server, slice);
      expect(chosen).toEqual({ kind: 'suv', index: null, unit: 'SUVbw' });
      expect(caveats).toEqual([
        'the mapping “SUVlbm” to SUVlbm ignores that the rescale differs from slice to slice, so it contradicts the images',
      ]);
    }
    // 2,000 Bq/ml, stored as round(2000 / 1.5) = 1333 in slice 5: 1333 x 1.5 x 70,000 / 370e6.
    const { mean, unit, caveats } = await measure(server, 5);
    expect(unit).toBe('SUVbw');
    expect(mean).toBeCloseTo((1333 * 1.5 * 70_000) / 370e6, 9);
    expect(caveats).toHaveLength(1);
    const sidecar = await (await server.request('/api/file/0/volume/nifti/sidecar')).json();
    expect(sidecar).toMatchObject({
      Units: 'Bq/ml',
      QuantityUnits: 'SUVbw',
      QuantitySlope: expect.closeTo(70_000 / 370e6, 12),
      QuantityIntercept: 0,
      ConversionWarnings: [expect.stringContaining('“SUVlbm”')],
    });
  });

  test('is read by a mapping that follows the rescale of each slice', async () => {
    // The slopes of the slices are 1 + slice / 10.
    const server = await serve(
      ...writePet(),
      writePetMapping((slice) => 0.0001 * (1 + slice / 10)),
    );

    for (const slice of SLICES) {
      const { default_reading: chosen, caveats } = await readMapping(server, slice);
      expect(chosen).toEqual({ kind: 'real_world', index: 0, unit: 'SUVlbm' });
      expect(caveats).toEqual([]);
    }
    const { mean, unit } = await measure(server, 5);
    expect(unit).toBe('SUVlbm');
    expect(mean).toBeCloseTo(1333 * 0.00015, 9);
  });
});

test.each(['explicit', 'implicit'] as const)(
  'the factors of Philips are read from their block, with %s VRs',
  async (vrs) => {
    const [slice] = writePet(
      {
        Units: 'CNTS',
        '70530010': { vr: 'LO', value: 'OTHER' },
        '70530011': { vr: 'LO', value: 'Philips PET Private Group' },
        '70531000': { vr: 'DS', value: '9' },
        '70531100': { vr: 'DS', value: '0.00125' },
      },
      vrs === 'implicit' ? { transferSyntaxUid: '1.2.840.10008.1.2' } : {},
    );
    const { pet } = await readMapping(await serve(slice!), 0);
    expect(pet?.suv).toMatchObject({ factor: 0.00125 });
  },
);

describe('statistics of a mark', () => {
  test('on a dose are in Gy, by its Dose Grid Scaling', async () => {
    const stored = { DoseGridScaling: '0.002', PixelData: new Uint16Array(14 * 20 * 24).fill(1050) };
    const server = await serve(writeDose({ different: stored }));

    // 1050 x 0.002
    expect(await measure(server, 0, 3)).toMatchObject({ mean: 2.1, min: 2.1, max: 2.1, unit: 'Gy' });
  });

  test.each([
    [{ DoseUnits: 'RELATIVE' }, 'relative'],
    [{ DoseType: 'EFFECTIVE' }, 'Gy (effective)'],
    [{ DoseType: 'ERROR' }, 'Gy (error)'],
    [{ DoseGridScaling: '' }, ''],
  ])('on a dose with %j are in "%s", as its planes, its layer and its volume', async (different, unit) => {
    const server = await serve(...writeCt(), writeDose({ different }));
    const dose = CT_SIZE.slices;

    expect(await measure(server, dose, 3)).toMatchObject({ unit });
    expect(await readMapping(server, dose)).toMatchObject({ default_reading: { unit } });
    const readJson = async (path: string) => (await server.request(path)).json();
    expect(await readJson(`/api/file/${dose}/volume`)).toMatchObject({ volume: { sample: { unit } } });
    expect(await readJson(`/api/layer/${dose}`)).toMatchObject({ units: { label: unit } });
    const sidecar = await readJson(`/api/file/${dose}/volume/nifti/sidecar`);
    expect(sidecar.Units ?? '').toBe(unit);
  });

  test('are in the unit of the mapping of a parametric map, without the values that it does not map', async () => {
    const map = writeDicom({
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
      SOPInstanceUID: '2.25.700',
      Modality: 'MR',
      NumberOfFrames: 1,
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      Rows: 10,
      Columns: 10,
      BitsAllocated: 32,
      SharedFunctionalGroupsSequence: [
        {
          RealWorldValueMappingSequence: [
            {
              LUTLabel: 'ADC',
              DoubleFloatRealWorldValueFirstValueMapped: 0,
              DoubleFloatRealWorldValueLastValueMapped: 32.5,
              RealWorldValueSlope: 2,
              RealWorldValueIntercept: 1,
              MeasurementUnitsCodeSequence: [
                { CodeValue: 'um2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'square micrometers per second' },
              ],
            },
          ],
        },
      ],
      FloatPixelData: Float32Array.from({ length: 100 }, (_, i) => i),
    });
    const server = await serve(map);

    // Rows 1 to 3, columns 2 to 5: 12 to 15, 22 to 25 and 32 to 35, of which 33 to 35 are not mapped; 2 x 12 + 1.
    const found = await measure(server, 0);
    expect(found).toMatchObject({ count: 9, without_value: 3, min: 25, max: 65, unit: 'µm²/s' });
    expect(found.mean).toBeCloseTo(2 * ((12 + 13 + 14 + 15 + 22 + 23 + 24 + 25 + 32) / 9) + 1, 9);
  });

  test('on a PET are in SUV, and without a weight in Bq/ml', async () => {
    const weightless = writePet({ PatientWeight: undefined })[0]!;
    const server = await serve(writePet()[0]!, weightless);
    expect(await measure(server, 0)).toMatchObject({ unit: 'SUVbw', mean: expect.closeTo((2000 * 70_000) / 370e6, 9) });
    expect(await measure(server, 1)).toMatchObject({ unit: 'Bq/ml', mean: 2000 });
  });

  test('on an angiogram whose modality LUT restores the beam intensity are stored values, as the picture', async () => {
    const angiogram: DataSetInput = {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.12.1',
      SOPInstanceUID: '2.25.701',
      Modality: 'XA',
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      Rows: 10,
      Columns: 10,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      PixelIntensityRelationship: 'LOG',
      ModalityLUTSequence: [
        { LUTDescriptor: [256, 0, 16], ModalityLUTType: 'US', LUTData: new Uint16Array(256).fill(9) },
      ],
      PixelData: new Uint8Array(100).fill(40),
    };
    expect(await measure(await serve(writeDicom(angiogram)), 0)).toMatchObject({ mean: 40, unit: '' });
  });
});
