import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import { AXIAL, placedImage, reference, segmentationElements } from '../support/placedElements.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';

const CODE = { CodeValue: 'mm2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'square millimetres' };
const MAPPING = {
  LUTLabel: 'ADC',
  RealWorldValueFirstValueMapped: 0,
  RealWorldValueLastValueMapped: 255,
  RealWorldValueSlope: 1,
  RealWorldValueIntercept: 0,
  MeasurementUnitsCodeSequence: [CODE],
  QuantityDefinitionSequence: [{ ConceptNameCodeSequence: [CODE], ConceptCodeSequence: [CODE] }],
};
const GROUPS = {
  FrameVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '80', WindowCenterWidthExplanation: 'soft' }],
  PixelValueTransformationSequence: [{ RescaleSlope: '1', RescaleIntercept: '0', RescaleType: 'US' }],
  RealWorldValueMappingSequence: [MAPPING],
  PixelMeasuresSequence: [{ PixelSpacing: ['1', '1'], SliceThickness: '1', SpacingBetweenSlices: '1' }],
};

/**
 * One small object for each kind that the server reads differently. All can be shown, except the one without pixels.
 */
export const OBJECTS_OF_EVERY_KIND: { readonly [name: string]: DataSetInput } = {
  'a CT image': placedImage(
    { uid: '2.25.1001', rows: 4, columns: 4, plane: AXIAL },
    {
      ImageType: ['ORIGINAL', 'PRIMARY', 'AXIAL'],
      WindowCenter: ['40', '50'],
      WindowWidth: ['80', '400'],
      WindowCenterWidthExplanation: ['BRAIN', 'BODY'],
      RescaleSlope: '1',
      RescaleIntercept: '-1024',
      ModalityLUTSequence: [{ LUTDescriptor: [256, 0, 8], LUTData: new Uint8Array(256) }],
      VOILUTSequence: [{ LUTDescriptor: [256, 0, 8], LUTExplanation: 'even', LUTData: new Uint8Array(256) }],
      ShutterShape: ['RECTANGULAR', 'CIRCULAR', 'POLYGONAL'],
      CenterOfCircularShutter: ['2', '2'],
      RadiusOfCircularShutter: '2',
      VerticesOfThePolygonalShutter: ['1', '1', '1', '4', '4', '4'],
      ReferencedImageSequence: [{ ...reference('2.25.1002'), ReferencedFrameNumber: '1' }],
    },
  ),
  'an enhanced image': enhancedElements(
    [
      { position: [0, 0, 0], dimensions: [1, 1] },
      { position: [0, 0, 1], dimensions: [1, 2] },
    ],
    {
      SharedFunctionalGroupsSequence: [
        { ...GROUPS, PlaneOrientationSequence: [{ ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'] }] },
      ],
    },
  ),
  'a segmentation': segmentationElements(
    {
      rows: 2,
      columns: 4,
      type: 'BINARY',
      declared: ['2.25.1001'],
      frames: [1, 1].map((sample, at) => ({
        samples: Array.from({ length: 8 }, () => sample),
        plane: { ...AXIAL, position: [0, 0, at] },
        source: { uid: '2.25.1001', frameNumbers: [1], preserved: true },
      })),
    },
    { SOPInstanceUID: '2.25.1003' },
  ),
  'a parametric map': enhancedElements([{ position: [0, 0, 0] }, { position: [0, 0, 1] }], {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.1004',
    SeriesInstanceUID: '2.25.10041',
    SharedFunctionalGroupsSequence: [
      {
        ...GROUPS,
        RealWorldValueMappingSequence: [
          MAPPING,
          { ...MAPPING, RealWorldValueLUTData: Array.from({ length: 256 }, (_, i) => i) },
        ],
      },
    ],
  }),
  'a dose': placedImage(
    { uid: '2.25.1005', rows: 4, columns: 4, plane: AXIAL },
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
      Modality: 'RTDOSE',
      SeriesInstanceUID: '2.25.10051',
      NumberOfFrames: 3,
      GridFrameOffsetVector: ['0', '1', '2'],
      DoseGridScaling: '0.001',
      DoseUnits: 'GY',
      DoseType: 'PHYSICAL',
      DoseSummationType: 'PLAN',
      PixelData: new Uint8Array(48),
    },
  ),
  'a slide': slideElements({ ...placeLevel(1, 1, '0.001'), SOPInstanceUID: '2.25.1006', PyramidUID: '2.25.10061' }),
  'a key object selection': {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.59',
    SOPInstanceUID: '2.25.1007',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.10071',
    Modality: 'KO',
    ContentSequence: [
      {
        ValueType: 'IMAGE',
        ReferencedSOPSequence: [{ ...reference('2.25.1001'), ReferencedFrameNumber: '1', ReferencedSegmentNumber: 1 }],
      },
    ],
  },
};
