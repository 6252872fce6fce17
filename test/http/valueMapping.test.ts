import { unlink, utimes } from 'node:fs/promises';
import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { type ValueMappingResponse, ValueMappingResponse as Schema } from '../../src/shared/contract/valueMapping.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { colorRow, ctRow } from '../support/imageElements.ts';
import { reference } from '../support/placedElements.ts';
import { serve, serveShared, type TestServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { placeOf } from '../../src/server/bytes/origins/origins.ts';

async function readMapping(server: TestServer, file = 0, frame = 0): Promise<ValueMappingResponse> {
  const response = await server.request(`/api/file/${file}/frame/${frame}/value-mapping`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(strictSchema(Schema), body)).toEqual([]);
  return body;
}

const UNITS = { CodeValue: 'um2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'square micrometers per second' };
const ADC = { CodeValue: '113041', CodingSchemeDesignator: 'DCM', CodeMeaning: 'Apparent Diffusion Coefficient' };
const QUANTITY = { CodeValue: '246205007', CodingSchemeDesignator: 'SCT', CodeMeaning: 'Quantity' };

function line(slope: number, intercept: number, more: DataSetInput = {}): DataSetInput {
  return {
    LUTLabel: 'ADC',
    RealWorldValueFirstValueMapped: 0,
    RealWorldValueLastValueMapped: 4095,
    RealWorldValueSlope: slope,
    RealWorldValueIntercept: intercept,
    ...more,
  };
}

test('the mapping of a plain CT is its rescale', async () => {
  const server = await serve(writeDicom(ctRow({ RescaleType: 'HU' })));

  expect(await readMapping(server)).toEqual({
    file_index: 0,
    frame_index: 0,
    stored_value_type: 'integer',
    modality: { rescale_slope: 1, rescale_intercept: -1024, rescale_type: 'HU', lut: null },
    real_world: [],
    voi_lut: null,
    pet: null,
    default_reading: { kind: 'modality', index: null, unit: 'HU' },
    caveats: [],
  });
});

test('an image that declares nothing has its stored values', async () => {
  const server = await serve(writeDicom(colorRow()));

  const { modality, real_world: realWorld } = await readMapping(server);

  expect(modality).toEqual({ rescale_slope: 1, rescale_intercept: 0, rescale_type: null, lut: null });
  expect(realWorld).toEqual([]);
});

function transformation(slope: string, intercept: string): DataSetInput[] {
  return [{ RescaleSlope: slope, RescaleIntercept: intercept, RescaleType: 'normalized' }];
}

/** Three frames: one with its own groups, one with different groups, one with none. */
function multiFrame(): DataSetInput {
  return ctRow({
    NumberOfFrames: 3,
    Columns: 1,
    RescaleType: 'US',
    SharedFunctionalGroupsSequence: [
      {
        PixelValueTransformationSequence: transformation('4', '0'),
        RealWorldValueMappingSequence: [line(3, 0)],
      },
    ],
    PerFrameFunctionalGroupsSequence: [
      {
        PixelValueTransformationSequence: transformation('2', '-7'),
        RealWorldValueMappingSequence: [line(1, 0), line(2, 0, { LUTLabel: 'other' })],
      },
      { PixelValueTransformationSequence: transformation('0.5', '9') },
      {},
    ],
  });
}

test('a frame has its own rescale and mappings, or those that all frames share', async () => {
  const server = await serve(writeDicom(multiFrame()));

  const frames = await Promise.all([0, 1, 2].map((frame) => readMapping(server, 0, frame)));

  expect(frames.map(({ frame_index: frame }) => frame)).toEqual([0, 1, 2]);
  expect(frames.map(({ modality: { rescale_slope: slope, rescale_intercept: shift } }) => [slope, shift])).toEqual([
    [2, -7],
    [0.5, 9],
    [4, 0],
  ]);
  const slopes = frames.map(({ real_world: realWorld }) =>
    realWorld.map(({ transform }) => transform.kind === 'linear' && transform.slope),
  );
  expect(slopes).toEqual([[1, 2], [3], [3]]);
});

test('a modality LUT and a VOI LUT are sent with all their values and signed inputs', async () => {
  const server = await serve(
    writeDicom(
      ctRow({
        RescaleSlope: undefined,
        RescaleIntercept: undefined,
        ModalityLUTSequence: [
          { LUTDescriptor: [3, -2, 16], ModalityLUTType: 'OD', LUTData: Uint16Array.of(5, 700, 65_535) },
        ],
        VOILUTSequence: [
          { LUTDescriptor: [2, -536, 8], LUTExplanation: 'SOFT', LUTData: Uint16Array.of(0, 255) },
          { LUTDescriptor: [2, 0, 8], LUTExplanation: 'HARD', LUTData: Uint16Array.of(255, 0) },
        ],
      }),
    ),
  );

  const { modality, voi_lut: voiLut } = await readMapping(server);

  expect(modality).toEqual({
    rescale_slope: 1,
    rescale_intercept: 0,
    rescale_type: 'OD',
    lut: { first_value_mapped: -2, values: [5, 700, 65_535] },
  });
  // The output of a modality LUT is unsigned, so -536 in the VR SS stands for 65,536 - 536.
  expect(voiLut).toEqual({ first_value_mapped: 65_000, values: [0, 255], explanation: 'SOFT' });
});

test('a real world mapping at the top level has units and quantity; several are in stored order', async () => {
  const mapping = line(1e-6, 0.5, {
    MeasurementUnitsCodeSequence: [UNITS],
    QuantityDefinitionSequence: [{ ConceptNameCodeSequence: [QUANTITY], ConceptCodeSequence: [ADC] }],
  });
  const bare = line(2, 0, {
    LUTLabel: undefined,
    MeasurementUnitsCodeSequence: [{ ...UNITS, CodeMeaning: undefined }],
  });
  const server = await serve(writeDicom(ctRow({ RealWorldValueMappingSequence: [mapping, bare] })));

  const { real_world: realWorld } = await readMapping(server);

  expect(realWorld).toEqual([
    {
      source: 'real_world_value_mapping',
      source_file_index: null,
      label: 'ADC',
      first_value_mapped: 0,
      last_value_mapped: 4095,
      transform: { kind: 'linear', slope: 1e-6, intercept: 0.5 },
      unit_label: 'square micrometers per second',
      units: { value: 'um2/s', scheme: 'UCUM', meaning: 'square micrometers per second' },
      quantity: { value: '113041', scheme: 'DCM', meaning: 'Apparent Diffusion Coefficient' },
      in_stack: null,
    },
    expect.objectContaining({
      label: null,
      transform: { kind: 'linear', slope: 2, intercept: 0 },
      unit_label: 'um2/s',
      quantity: null,
    }),
  ]);
});

test('a table of all 65,536 values of a sample is sent completely', async () => {
  const values = Float64Array.from({ length: 65_536 }, (_, i) => i / 8);
  const table = {
    RealWorldValueFirstValueMapped: -32_768,
    RealWorldValueLastValueMapped: 32_767,
    RealWorldValueLUTData: values,
  };
  // A value this long needs the length field of the implicit syntax.
  const transferSyntaxUid = '1.2.840.10008.1.2';
  const server = await serve(writeDicom(ctRow({ RealWorldValueMappingSequence: [table] }), { transferSyntaxUid }));

  const [mapping] = (await readMapping(server)).real_world;

  expect(mapping).toMatchObject({ first_value_mapped: -32_768, last_value_mapped: 32_767 });
  expect(mapping?.transform).toEqual({ kind: 'lut', values: [...values] });
});

test('samples with fractions have a range with fractions', async () => {
  const map: DataSetInput = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.700',
    NumberOfFrames: 1,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 1,
    Columns: 2,
    BitsAllocated: 32,
    SharedFunctionalGroupsSequence: [
      {
        RealWorldValueMappingSequence: [
          {
            DoubleFloatRealWorldValueFirstValueMapped: -0.5,
            DoubleFloatRealWorldValueLastValueMapped: 2.75,
            RealWorldValueSlope: 1,
            RealWorldValueIntercept: 0,
          },
        ],
      },
    ],
    FloatPixelData: Float32Array.of(0.25, 3),
  };
  const server = await serve(writeDicom(map));

  expect(await readMapping(server)).toMatchObject({
    stored_value_type: 'float32',
    real_world: [{ first_value_mapped: -0.5, last_value_mapped: 2.75 }],
  });
});

test.each([
  ['GY', 'PHYSICAL', 'Gy'],
  ['GY', 'EFFECTIVE', 'Gy (effective)'],
  ['RELATIVE', 'PHYSICAL', 'relative'],
])(
  'values of a dose in %s of the type %s are scaled by its grid scaling, in "%s"',
  async (doseUnits, doseType, label) => {
    const dose = ctRow({
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
      RescaleSlope: undefined,
      RescaleIntercept: undefined,
      DoseGridScaling: '0.00025',
      DoseUnits: doseUnits,
      DoseType: doseType,
    });
    const server = await serve(writeDicom(dose));

    expect((await readMapping(server)).real_world).toEqual([
      {
        source: 'dose_grid_scaling',
        source_file_index: null,
        label: null,
        first_value_mapped: null,
        last_value_mapped: null,
        transform: { kind: 'linear', slope: 0.00025, intercept: 0 },
        unit_label: label,
        units: null,
        quantity: null,
        in_stack: 'same',
      },
    ]);
  },
);

test.each<[string, DataSetInput]>([
  ['that ends before it begins', line(1, 0, { RealWorldValueLastValueMapped: -5 })],
  ['without a range', line(1, 0, { RealWorldValueLastValueMapped: undefined })],
  ['with a table that is too short', { ...line(1, 0), RealWorldValueLUTData: Float64Array.of(1, 2) }],
  ['with the slope 0', line(0, 5)],
])('a mapping %s cannot be applied and is left out', async (_, mapping) => {
  const server = await serve(writeDicom(ctRow({ RealWorldValueMappingSequence: [mapping] })));

  expect((await readMapping(server)).real_world).toEqual([]);
});

/** A mapping for the image 2.25.1, or for some of its frames. */
function mappingObject(frameNumbers?: readonly number[]): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.67',
    SOPInstanceUID: '2.25.800',
    Modality: 'RWV',
    ReferencedImageRealWorldValueMappingSequence: [
      {
        ReferencedImageSequence: [{ ...reference('2.25.1'), ReferencedFrameNumber: frameNumbers }],
        RealWorldValueMappingSequence: [line(0.5, 0, { MeasurementUnitsCodeSequence: [UNITS] })],
      },
      {
        ReferencedImageSequence: [reference('2.25.99')],
        RealWorldValueMappingSequence: [line(9, 0)],
      },
    ],
  };
}

describe('a Real World Value Mapping object', () => {
  test('applies to the images that it references, of any kind', async () => {
    const server = await serve(writeDicom(mappingObject()), writeDicom(ctRow()), writeDicom(colorRow()));

    expect((await readMapping(server, 1)).real_world).toMatchObject([
      {
        source: 'rwvm_instance',
        source_file_index: 0,
        label: 'ADC',
        transform: { kind: 'linear', slope: 0.5, intercept: 0 },
      },
    ]);
    expect((await readMapping(server, 2)).real_world).toEqual([]);
  });

  test('applies only to the frames that it references', async () => {
    const image = ctRow({ NumberOfFrames: 3, Columns: 1 });
    const server = await serve(writeDicom(mappingObject([2, 3])), writeDicom(image));

    const counts = await Promise.all([0, 1, 2].map((frame) => readMapping(server, 1, frame)));

    expect(counts.map(({ real_world: realWorld }) => realWorld.length)).toEqual([0, 1, 1]);
  });

  test("that was deleted does not affect the image's own values", async () => {
    const server = await serve(writeDicom(mappingObject()), writeDicom(ctRow()));
    await unlink(placeOf(server.catalog.get(0).source));

    const mapping = await readMapping(server, 1);

    expect(mapping.modality.rescale_intercept).toBe(-1024);
    expect(mapping.real_world).toEqual([]);
  });
});

test('a file that changed after its values were read is gone', async () => {
  const server = await serve(writeDicom(ctRow()));
  await readMapping(server);
  await utimes(placeOf(server.catalog.get(0).source), new Date(0), new Date(0));

  const response = await server.request('/api/file/0/frame/0/value-mapping');

  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'file_gone' });
});

test.each([
  ['/api/file/x/frame/0/value-mapping', 400, 'invalid_path'],
  ['/api/file/0/frame/x/value-mapping', 400, 'invalid_path'],
  ['/api/file/9/frame/9/value-mapping', 404, 'not_found'],
  ['/api/file/0/frame/1/value-mapping', 404, 'frame_out_of_range'],
  ['/api/file/1/frame/9/value-mapping', 404, 'no_pixel_data'],
])('%s is refused as %i %s', async (url, status, code) => {
  const server = await serveShared(writeDicom(ctRow()), writeDicom(ctRow({ PixelData: undefined })));

  const response = await server.request(url);

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code });
});

test('a frame that cannot be decoded still has its value mapping', async () => {
  const mpeg2 = '1.2.840.10008.1.2.4.100';
  const image = ctRow({ PixelData: { fragments: [Uint8Array.of(0, 0, 1, 0xb3)] } });
  const server = await serve(writeDicom(image, { transferSyntaxUid: mpeg2 }));

  expect((await readMapping(server)).modality.rescale_intercept).toBe(-1024);
});
