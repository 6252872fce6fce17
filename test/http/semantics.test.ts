import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { SemanticContextResponse } from '../../src/shared/contract/semantics.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, placedImage, reference, segmentationElements } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { writeImage } from '../support/writeImage.ts';

async function readContext(server: TestServer, index: number) {
  const response = await server.request(`/api/file/${index}/semantic-context`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(strictSchema(SemanticContextResponse), body)).toEqual([]);
  expect(body).toMatchObject({
    source_file_index: index,
    default_mode: 'pixel_preview',
    pixel_preview_preserves_stored_values: true,
  });
  return body.context;
}

function code(value: string, scheme: string, meaning: string): DataSetInput[] {
  return [{ CodeValue: value, CodingSchemeDesignator: scheme, CodeMeaning: meaning }];
}

test('a segmentation lists its segments, and the source frame of each of its frames', async () => {
  const uid = '2.25.100';
  const segmentation = segmentationElements(
    {
      rows: 1,
      columns: 2,
      type: 'BINARY',
      frames: [
        { samples: [1, 0], segmentNumber: 2, plane: AXIAL, source: { uid } },
        { samples: [1, 1], segmentNumber: 3, plane: { ...AXIAL, position: [0, 0, 9] }, source: { uid: '2.25.9' } },
      ],
    },
    {
      SegmentSequence: [
        {
          SegmentNumber: 2,
          SegmentLabel: 'Liver',
          SegmentDescription: 'the whole organ',
          SegmentedPropertyCategoryCodeSequence: code('123037004', 'SCT', 'Anatomical Structure'),
          SegmentedPropertyTypeCodeSequence: code('10200004', 'SCT', 'Liver'),
          SegmentAlgorithmType: 'AUTOMATIC',
          SegmentAlgorithmName: 'net',
          // sRGB white.
          RecommendedDisplayCIELabValue: [65535, 32896, 32896],
        },
        { SegmentNumber: 3, SegmentLabel: 'Bone', RecommendedDisplayGrayscaleValue: 25700 },
      ],
    },
  );
  const source = placedImage({ uid, rows: 1, columns: 2, plane: AXIAL });
  const server = await serve(writeDicom(source), writeDicom(segmentation));

  const context = await readContext(server, 1);

  expect(context).toMatchObject({
    kind: 'segmentation',
    segmentation_type: 'BINARY',
    segmentation_fractional_type: null,
    maximum_fractional_value: null,
    segments: [
      {
        number: 2,
        label: 'Liver',
        description: 'the whole organ',
        property_category: { value: '123037004', scheme: 'SCT', meaning: 'Anatomical Structure' },
        property_type: { value: '10200004', scheme: 'SCT', meaning: 'Liver' },
        algorithm_type: 'AUTOMATIC',
        algorithm_name: 'net',
        recommended_display_cielab: [65535, 32896, 32896],
        recommended_display_grayscale: null,
        display_color: [255, 255, 255],
        display_color_source: 'recommended_cielab',
      },
      { number: 3, label: 'Bone', display_color: [100, 100, 100], display_color_source: 'recommended_grayscale' },
    ],
    frame_mappings: [
      {
        frame_index: 0,
        segment_number: 2,
        source_sop_instance_uid: uid,
        source_frame_numbers: [],
        source_file_indices: [0],
        source_frames: [{ file_index: 0, frame_index: 0, sop_instance_uid: uid }],
        mapping_method: 'explicit_derivation',
        mapping_status: 'resolved',
      },
      {
        frame_index: 1,
        segment_number: 3,
        source_sop_instance_uid: '2.25.9',
        source_file_indices: [],
        source_frames: [],
        mapping_method: null,
        mapping_status: 'missing',
      },
    ],
    overlay: { eligible: true, source_file_index: 0, mapped_source_count: 1 },
    warnings: [],
  });
  expect(
    context.references.map((each: { target: { sop_instance_uid: string } }) => each.target.sop_instance_uid),
  ).toEqual([uid, '2.25.9']);
});

function inShared(mapping: DataSetInput): DataSetInput {
  return { SharedFunctionalGroupsSequence: [{ RealWorldValueMappingSequence: [mapping] }] };
}

describe('a parametric map', () => {
  const shape: DataSetInput = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.700',
    NumberOfFrames: 1,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 1,
    Columns: 2,
    SourceImageSequence: [reference('2.25.100')],
  };
  const integers: DataSetInput = {
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 0,
    PixelData: Uint16Array.of(0, 1),
  };
  const line: DataSetInput = {
    LUTLabel: 'ADC',
    RealWorldValueFirstValueMapped: 0,
    RealWorldValueLastValueMapped: 4095,
    RealWorldValueSlope: 0.5,
    RealWorldValueIntercept: -10,
    MeasurementUnitsCodeSequence: code('um2/s', 'UCUM', 'um2/s'),
    QuantityDefinitionSequence: [
      {
        ValueType: 'CODE',
        ConceptNameCodeSequence: code('246205007', 'SCT', 'Quantity'),
        ConceptCodeSequence: code('113041', 'DCM', 'Apparent Diffusion Coefficient'),
      },
      {
        ValueType: 'CODE',
        ConceptNameCodeSequence: code('121401', 'DCM', 'Derivation'),
        ConceptCodeSequence: code('373098007', 'SCT', 'Mean'),
      },
    ],
  };

  test.each([
    ['float32', { BitsAllocated: 32, FloatPixelData: Float32Array.of(0, 1) }],
    ['float64', { BitsAllocated: 64, DoubleFloatPixelData: Float64Array.of(0, 1) }],
    ['integer', integers],
  ])('of %s samples reports their type, and that nothing declares their meaning', async (type, pixels) => {
    const server = await serve(writeDicom({ ...shape, ...pixels }));

    expect(await readContext(server, 0)).toMatchObject({
      kind: 'parametric_map',
      stored_value_type: type,
      displayed_value_kind: 'stored_value',
      mappings: [],
      mapping_status: 'unmapped',
      overlay: { eligible: false },
    });
  });

  test('has the mapping that it contains', async () => {
    const source = placedImage({ uid: '2.25.100', rows: 1, columns: 2, plane: AXIAL });
    const server = await serve(writeDicom({ ...shape, ...integers, ...inShared(line) }), writeDicom(source));

    const context = await readContext(server, 0);

    expect(context.mapping_status).toBe('mapping_available');
    expect(context.mappings).toEqual([
      {
        source: 'embedded',
        source_sop_instance_uid: null,
        label: 'ADC',
        first_value_mapped: 0,
        last_value_mapped: 4095,
        slope: 0.5,
        intercept: -10,
        lut_data: [],
        lut_data_truncated: false,
        units: { value: 'um2/s', scheme: 'UCUM', meaning: 'um2/s' },
        quantity: { value: '113041', scheme: 'DCM', meaning: 'Apparent Diffusion Coefficient' },
        derivation: { value: '373098007', scheme: 'SCT', meaning: 'Mean' },
      },
    ]);
    expect(context.source_references[0].matches[0].file_index).toBe(1);
    expect(context.overlay).toMatchObject({ eligible: false, source_file_index: 1, mapped_source_count: 1 });
  });

  test('has the mapping of another object, which references it', async () => {
    const mapping = writeDicom({
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.67',
      SOPInstanceUID: '2.25.701',
      ReferencedImageRealWorldValueMappingSequence: [
        {
          ReferencedImageSequence: [reference('2.25.999')],
          RealWorldValueMappingSequence: [{ ...line, LUTLabel: 'other' }],
        },
        { ReferencedImageSequence: [reference('2.25.700')], RealWorldValueMappingSequence: [line] },
      ],
    });
    const server = await serve(writeDicom({ ...shape, ...integers }), mapping);

    const { mappings, mapping_status } = await readContext(server, 0);

    expect(mapping_status).toBe('mapping_available');
    expect(mappings).toHaveLength(1);
    expect(mappings[0]).toMatchObject({ source: 'referenced', source_sop_instance_uid: '2.25.701', label: 'ADC' });
  });

  test.each<[string, DataSetInput, DataSetInput]>([
    ['has no slope', integers, { ...line, RealWorldValueSlope: undefined }],
    ['says not for which values', integers, { ...line, RealWorldValueLastValueMapped: undefined }],
    [
      'has a table that is too short',
      integers,
      { RealWorldValueFirstValueMapped: 0, RealWorldValueLastValueMapped: 9, RealWorldValueLUTData: [1, 2, 3] },
    ],
    [
      'has a table with a hole',
      integers,
      {
        RealWorldValueFirstValueMapped: 0,
        RealWorldValueLastValueMapped: 1,
        RealWorldValueLUTData: Float64Array.of(1, NaN),
      },
    ],
    [
      'has a table, for samples with fractions',
      { BitsAllocated: 32, FloatPixelData: Float32Array.of(0, 1) },
      {
        DoubleFloatRealWorldValueFirstValueMapped: 0,
        DoubleFloatRealWorldValueLastValueMapped: 2,
        RealWorldValueLUTData: [1, 2, 3],
      },
    ],
  ])('whose only mapping %s is not mapped', async (_, pixels, mapping) => {
    const server = await serve(writeDicom({ ...shape, ...pixels, ...inShared(mapping) }));

    const { mapping_status, warnings, mappings } = await readContext(server, 0);

    expect(mapping_status).toBe('incompatible_mapping');
    expect(warnings).toHaveLength(1);
    expect(mappings).toHaveLength(1);
  });

  test('with a long table has its first 4,096 values, and says that there are more', async () => {
    const table = Array.from({ length: 5000 }, (_, i) => i / 4);
    const mapping = {
      RealWorldValueFirstValueMapped: 0,
      RealWorldValueLastValueMapped: 4999,
      RealWorldValueLUTData: table,
    };
    const server = await serve(writeDicom({ ...shape, ...integers, ...inShared(mapping) }));

    const { mappings, mapping_status } = await readContext(server, 0);

    expect(mapping_status).toBe('mapping_available');
    expect(mappings[0].lut_data).toEqual(table.slice(0, 4096));
    expect(mappings[0].lut_data_truncated).toBe(true);
  });
});

describe('an RT Dose', () => {
  const dose: DataSetInput = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
    SOPInstanceUID: '2.25.800',
    Modality: 'RTDOSE',
    FrameOfReferenceUID: '2.25.500',
    ImagePositionPatient: ['-10', '20', '5.5'],
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    PixelSpacing: ['2', '3'],
    GridFrameOffsetVector: ['0', '2.5'],
    DoseUnits: 'GY',
    DoseType: 'PHYSICAL',
    DoseSummationType: 'PLAN',
    DoseGridScaling: '0.0001',
    ReferencedRTPlanSequence: [
      { ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.481.5', ReferencedSOPInstanceUID: '2.25.801' },
    ],
    NumberOfFrames: 2,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 1,
    Columns: 2,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 0,
    PixelData: Uint16Array.of(0, 1, 2, 3),
  };

  test('has its scaling, units and grid, and is marked as not for clinical use', async () => {
    const server = await serve(writeDicom(dose));

    const { references, clinical_use_warning, overlay, ...context } = await readContext(server, 0);

    expect(context).toEqual({
      kind: 'rt_dose',
      dose_grid_scaling: 0.0001,
      scaling_status: 'available',
      displayed_value_kind: 'stored_value',
      dose_units: 'GY',
      dose_type: 'PHYSICAL',
      dose_summation_type: 'PLAN',
      geometry: {
        frame_of_reference_uid: '2.25.500',
        image_position_patient: [-10, 20, 5.5],
        image_orientation_patient: [1, 0, 0, 0, 1, 0],
        pixel_spacing: [2, 3],
        grid_frame_offsets: [0, 2.5],
      },
    });
    expect(references).toMatchObject([
      { relationship: 'referenced_rt_plan', target: { sop_instance_uid: '2.25.801' } },
    ]);
    expect(overlay.eligible).toBe(true);
    expect(clinical_use_warning).toContain('must not be used');
  });

  test.each([
    ['missing', undefined],
    ['no number', { vr: 'DS', value: Buffer.from('abc ') }],
    ['zero', '0'],
    ['negative', '-1'],
  ])('whose scaling is %s has none', async (_, scaling) => {
    const server = await serve(writeDicom({ ...dose, DoseGridScaling: scaling }));

    expect(await readContext(server, 0)).toMatchObject({
      dose_grid_scaling: null,
      scaling_status: 'missing_or_malformed',
    });
  });
});

test('any other object has no context, with the reason', async () => {
  const server = await serve(writeImage());

  expect(await readContext(server, 0)).toEqual({
    kind: 'not_applicable',
    reason: 'the object is not a segmentation, parametric map or dose',
  });
});
