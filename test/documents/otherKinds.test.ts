import { Errors } from 'typebox/value';
import { expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type DocumentResponse, DocumentResponse as Schema } from '../../src/shared/contract/documents.ts';
import { serveShared } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

const CLASS = '1.2.840.10008.5.1.4.';
const SCHEMA = strictSchema(Schema);

async function read(tail: string, elements: DataSetInput): Promise<DocumentResponse> {
  const server = await serveShared(
    writeDicom({ SOPClassUID: `${CLASS}${tail}`, SOPInstanceUID: '2.25.950', ...elements }),
  );
  const body = await (await server.request('/api/file/0/document')).json();
  expect(Errors(SCHEMA, body)).toEqual([]);
  return body;
}

/** The rows of a table as objects by the labels of its columns. */
function rowsOf({ tables }: DocumentResponse, title: string): object[] {
  const table = tables.find((one) => one.title === title);
  return (table?.rows ?? []).map((row) =>
    Object.fromEntries(row.map((cell, at) => [table?.columns[at]?.label, cell] as const)),
  );
}

const UNIT = { CodeValue: '{SUVbw}g/ml', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'SUV' };

test('a value mapping is a table and a curve from stored to real values', async () => {
  const document = await read('1.1.67', {
    ReferencedImageRealWorldValueMappingSequence: [
      {
        ReferencedImageSequence: [{ ReferencedSOPInstanceUID: '2.25.1' }],
        RealWorldValueMappingSequence: [
          {
            LUTLabel: 'SUV',
            DoubleFloatRealWorldValueFirstValueMapped: 10,
            DoubleFloatRealWorldValueLastValueMapped: 110,
            RealWorldValueSlope: 0.5,
            RealWorldValueIntercept: 1,
            MeasurementUnitsCodeSequence: [UNIT],
          },
        ],
      },
    ],
  });
  expect(rowsOf(document, 'Mappings')).toMatchObject([{ Label: 'SUV', Slope: 0.5, Intercept: 1, Images: 1 }]);
  // 10 x 0.5 + 1 and 110 x 0.5 + 1.
  expect(document.figures).toMatchObject([{ type: 'curve', x: { values: [10, 110] }, y: { values: [6, 56] } }]);
});

test('a palette is a strip of its colors', async () => {
  const table = { descriptor: [2, 0, 8], data: Uint8Array.of(0, 255) };
  const document = await read('39.1', {
    RedPaletteColorLookupTableDescriptor: table.descriptor,
    GreenPaletteColorLookupTableDescriptor: table.descriptor,
    BluePaletteColorLookupTableDescriptor: table.descriptor,
    RedPaletteColorLookupTableData: table.data,
    GreenPaletteColorLookupTableData: Uint8Array.of(0, 128),
    BluePaletteColorLookupTableData: table.data,
  });
  expect(document.figures).toEqual([
    { type: 'strip', title: '2 colors', colors: ['#000000', '#ff80ff'], from: 0, to: 1 },
  ]);
});

test('a hanging protocol says its selectors in words, and draws its screens', async () => {
  const document = await read('38.1', {
    HangingProtocolName: 'Neuro',
    ImageSetsSequence: [
      {
        ImageSetSelectorSequence: [
          {
            ImageSetSelectorUsageFlag: 'NO_MATCH',
            SelectorAttribute: 0x00080060,
            SelectorAttributeVR: 'CS',
            SelectorCSValue: 'MR',
          },
        ],
        TimeBasedImageSetsSequence: [
          { ImageSetNumber: 1, RelativeTime: [0, 0], RelativeTimeUnits: 'MINUTES', ImageSetLabel: 'Current' },
          { ImageSetNumber: 2, AbstractPriorValue: [1, 1], ImageSetLabel: 'Prior' },
        ],
      },
    ],
    NominalScreenDefinitionSequence: [
      { NumberOfVerticalPixels: 1000, NumberOfHorizontalPixels: 2000, DisplayEnvironmentSpatialPosition: [0, 1, 1, 0] },
    ],
    DisplaySetsSequence: [
      {
        DisplaySetNumber: 1,
        DisplaySetPresentationGroup: 1,
        ImageSetNumber: 1,
        // The upper left quarter: the origin is at the lower left.
        ImageBoxesSequence: [{ DisplayEnvironmentSpatialPosition: [0, 1, 0.5, 0.5], ImageBoxLayoutType: 'STACK' }],
      },
    ],
  });
  expect(rowsOf(document, 'Image sets')).toEqual([
    { Number: 1, Label: 'Current', Images: 'Modality is MR', From: 'the current study' },
    { Number: 2, Label: 'Prior', Images: 'Modality is MR', From: 'prior 1' },
  ]);
  expect(document.figures).toEqual([
    {
      type: 'boxes',
      title: 'Presentation group 1',
      aspect: 2,
      boxes: [
        { x: 0, y: 0, width: 1, height: 1, label: 'Screen 1', is_frame: true },
        { x: 0, y: 0, width: 0.5, height: 0.5, label: '1', is_frame: false },
      ],
    },
  ]);
});

test('a registration says angle and shift of its matrix', async () => {
  // A quarter turn around z, then 3, 4 and 0 mm.
  const matrix = [0, -1, 0, 3, 1, 0, 0, 4, 0, 0, 1, 0, 0, 0, 0, 1].map(String);
  const document = await read('1.1.66.1', {
    FrameOfReferenceUID: '2.25.2',
    RegistrationSequence: [
      {
        FrameOfReferenceUID: '2.25.3',
        MatrixRegistrationSequence: [
          {
            MatrixSequence: [
              { FrameOfReferenceTransformationMatrixType: 'RIGID', FrameOfReferenceTransformationMatrix: matrix },
            ],
          },
        ],
      },
    ],
  });
  expect(rowsOf(document, 'Alignment')).toEqual([
    {
      Type: 'rigid',
      Motion: 'turned by 90.0° and shifted by 5.0 mm',
      Angle: 90,
      'Shift x': 3,
      'Shift y': 4,
      'Shift z': 0,
      From: '2.25.3',
      To: '2.25.2',
    },
  ]);
});

test('a presentation state says what it changes', async () => {
  const document = await read('1.1.11.1', {
    ImageRotation: 90,
    ImageHorizontalFlip: 'Y',
    SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }],
    GraphicAnnotationSequence: [{ GraphicLayer: 'L', TextObjectSequence: [{ UnformattedTextValue: 'a' }] }],
  });
  expect(rowsOf(document, 'What it changes')).toEqual([
    { What: 'Window', How: 'center 40, width 400' },
    { What: 'Rotation', How: '90° clockwise' },
    { What: 'Mirrored', How: 'left to right' },
    { What: 'Texts', How: '1' },
  ]);
});

test('bulk annotations have the range of their measured values', async () => {
  const document = await read('1.1.91.1', {
    AnnotationGroupSequence: [
      {
        AnnotationGroupNumber: 1,
        AnnotationGroupLabel: 'nuclei',
        NumberOfAnnotations: 3,
        MeasurementsSequence: [
          {
            ConceptNameCodeSequence: [{ CodeValue: '42798000', CodingSchemeDesignator: 'SCT', CodeMeaning: 'Area' }],
            MeasurementValuesSequence: [{ FloatingPointValues: Float32Array.of(1, NaN, 4) }],
          },
        ],
      },
    ],
  });
  expect(rowsOf(document, 'Groups')).toMatchObject([{ Number: 1, Label: 'nuclei', Annotations: 3 }]);
  expect(rowsOf(document, 'Measurements')).toEqual([
    { Group: 'nuclei', Measurement: 'Area', Values: 3, Smallest: 1, Mean: 2.5, Largest: 4 },
  ]);
});

test('sequences in sequences are tables that say what their rows belong to', async () => {
  const document = await read('43.1', {
    HPGLDocumentSequence: [
      {
        HPGLDocumentID: 1,
        HPGLDocumentLabel: 'Front',
        HPGLPenSequence: [{ HPGLPenNumber: 1, HPGLPenLabel: 'outline' }],
      },
    ],
  });
  expect(rowsOf(document, 'HPGL Document › HPGL Pen')).toEqual([
    { Of: 'Front', 'HPGL Pen Number': 1, 'HPGL Pen Label': 'outline' },
  ]);
});

test('a surface has the size of the box around its points', async () => {
  const document = await read('1.1.66.5', {
    SurfaceSequence: [
      {
        SurfaceNumber: 1,
        SurfacePointsSequence: [
          { NumberOfSurfacePoints: 2, PointCoordinatesData: Float32Array.of(-1, 0, 2, 4, 10, 2) },
        ],
      },
    ],
  });
  expect(rowsOf(document, 'Surfaces')).toEqual([{ Number: 1, Points: 2, Size: '5 × 10 × 0' }]);
});

test('a structure set is a table of its structures', async () => {
  const document = await read('1.1.481.3', {
    StructureSetROISequence: [{ ROINumber: '7', ROIName: 'Liver', ROIGenerationAlgorithm: 'MANUAL' }],
    ROIContourSequence: [
      {
        ReferencedROINumber: '7',
        ROIDisplayColor: ['255', '0', '0'],
        ContourSequence: [{ NumberOfContourPoints: '3' }, { NumberOfContourPoints: '4' }],
      },
    ],
    RTROIObservationsSequence: [{ ObservationNumber: '1', ReferencedROINumber: '7', RTROIInterpretedType: 'ORGAN' }],
  });
  expect(rowsOf(document, 'Structures')).toEqual([
    { Number: 7, Name: 'Liver', Type: 'organ', Drawn: 'manual', Contours: 2, Points: 7, Color: '255, 0, 0' },
  ]);
  expect(document.tables[0]?.columns.filter(({ is_color }) => is_color).map(({ label }) => label)).toEqual(['Color']);
});

test('the colors of segments are red, green and blue, and a color that is none is left out', async () => {
  const document = await read('1.1.66.5', {
    SegmentSequence: [
      // White: L* is 100, a* and b* are 0, which is 128 x 65535 / 255.
      { SegmentNumber: 1, RecommendedDisplayCIELabValue: [65_535, 32_896, 32_896] },
      { SegmentNumber: 2, RecommendedDisplayCIELabValue: [0, 32_896, 32_896] },
      { SegmentNumber: 3, RecommendedDisplayCIELabValue: [0] },
    ],
  });
  const key = 'Recommended display color';
  expect(rowsOf(document, 'Segment Sequence')).toEqual([
    { 'Segment Number': 1, [key]: '255, 255, 255' },
    { 'Segment Number': 2, [key]: '0, 0, 0' },
    { 'Segment Number': 3, [key]: null },
  ]);
});

test('damaged numbers are left out, and the answer is well-formed', async () => {
  const nan = { DisplayEnvironmentSpatialPosition: [NaN, 1, Infinity, 0], NumberOfVerticalPixels: 0 };
  const hanging = await read('38.1', {
    NominalScreenDefinitionSequence: [nan],
    DisplaySetsSequence: [{ ImageBoxesSequence: [nan] }],
  });
  expect(hanging.figures).toMatchObject([{ type: 'boxes', boxes: [] }]);
  const mapping = {
    DoubleFloatRealWorldValueFirstValueMapped: 0,
    DoubleFloatRealWorldValueLastValueMapped: Infinity,
    RealWorldValueSlope: NaN,
    RealWorldValueIntercept: 0,
  };
  const mapped = await read('1.1.67', {
    ReferencedImageRealWorldValueMappingSequence: [{ RealWorldValueMappingSequence: [mapping] }],
  });
  expect(mapped.figures).toEqual([]);
});
