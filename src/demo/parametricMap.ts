import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import * as Tag from '../server/standard/dicom/tag.ts';
import { codeSequence } from '../server/standard/dicom/codeSequence.ts';
import { DIFFUSION, DIFFUSION_SIZE, DIFFUSION_SLICE_MM, type DiffusionFrame } from './enhancedMr.ts';
import { dimensionElements, planePosition, sharedGeometry } from './functionalGroups.ts';
import { derivedFrom, referencedSeries } from './references.ts';
import { DEMO_SERIES, commonElements, frameOfReference, partUid } from './studyElements.ts';

const PARAMETRIC_MAP_STORAGE = '1.2.840.10008.5.1.4.1.1.30';

const IMAGE_TYPE = ['DERIVED', 'PRIMARY', 'DIFFUSION', 'ADC'];
/** Below this signal a pixel shows only noise, and so would its coefficient. */
const LEAST_SIGNAL = 24;
const HIGHEST = 4000;

/** The diffusion coefficient of each pixel, in um2/s, from the signals at the two b values. */
export function parametricMap(diffusion: readonly DiffusionFrame[]): DataSetInput {
  const half = diffusion.length / 2;
  const pairs = diffusion
    .slice(0, half)
    .map((weak, index) => ({ weak, strong: diffusion[half + index]! }))
    .toSorted((a, b) => a.weak.position - b.weak.position);
  const values = new Float32Array(pairs.length * DIFFUSION_SIZE * DIFFUSION_SIZE);
  for (const [index, { weak, strong }] of pairs.entries()) {
    values.set(diffusionCoefficients(weak, strong), index * DIFFUSION_SIZE * DIFFUSION_SIZE);
  }
  return {
    ...commonElements(DEMO_SERIES.adc, PARAMETRIC_MAP_STORAGE, 1),
    ...frameOfReference(),
    ...referencedSeries(DEMO_SERIES.diffusion, [DIFFUSION]),
    ...dimensionElements(partUid(DEMO_SERIES.adc, 1), [
      { pointer: Tag.ImagePositionPatient, group: Tag.PlanePositionSequence, label: 'Position' },
    ]),
    ImageType: IMAGE_TYPE,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: DIFFUSION_SIZE,
    Columns: DIFFUSION_SIZE,
    BitsAllocated: 32,
    ContentLabel: 'ADC',
    ContentDescription: 'Apparent diffusion coefficient',
    ContentCreatorName: '',
    ContentQualification: 'RESEARCH',
    BurnedInAnnotation: 'NO',
    RecognizableVisualFeatures: 'NO',
    LossyImageCompression: '00',
    PresentationLUTShape: 'IDENTITY',
    BodyPartExamined: 'ABDOMEN',
    PatientPosition: 'HFS',
    AcquisitionContextSequence: [],
    NumberOfFrames: pairs.length,
    SharedFunctionalGroupsSequence: [sharedGroups(pairs[0]!.weak)],
    PerFrameFunctionalGroupsSequence: pairs.map(({ weak, strong }) => ({
      ...derivedFrom(
        ['110811', 'DCM', 'ADC'],
        [{ ...DIFFUSION, frameNumbers: [weak.frameNumber, strong.frameNumber] }],
      ),
      ...planePosition(weak.plane),
      FrameContentSequence: [{ DimensionIndexValues: [weak.position + 1] }],
    })),
    FloatPixelData: values,
  };
}

function diffusionCoefficients(weak: DiffusionFrame, strong: DiffusionFrame): Float32Array {
  const weighting = strong.bValue - weak.bValue;
  const coefficients = new Float32Array(weak.signal.length);
  for (let i = 0; i < coefficients.length; i++) {
    const signal = weak.signal[i]!;
    if (signal < LEAST_SIGNAL) continue;
    const coefficient = (Math.log(signal / Math.max(1, strong.signal[i]!)) / weighting) * 1e6;
    coefficients[i] = Math.min(HIGHEST, Math.max(0, coefficient));
  }
  return coefficients;
}

function sharedGroups({ plane }: DiffusionFrame): DataSetInput {
  return {
    ...sharedGeometry(plane, { thicknessMm: 5, spacingBetweenMm: DIFFUSION_SLICE_MM }),
    FrameAnatomySequence: [
      { FrameLaterality: 'U', AnatomicRegionSequence: codeSequence(['818983003', 'SCT', 'Abdomen']) },
    ],
    PixelValueTransformationSequence: [{ RescaleIntercept: 0, RescaleSlope: 1, RescaleType: 'US' }],
    FrameVOILUTSequence: [{ WindowCenter: 1400, WindowWidth: 2800 }],
    ParametricMapFrameTypeSequence: [{ FrameType: IMAGE_TYPE }],
    RealWorldValueMappingSequence: [
      {
        LUTExplanation: 'Apparent diffusion coefficient',
        LUTLabel: 'ADC',
        DoubleFloatRealWorldValueFirstValueMapped: 0,
        DoubleFloatRealWorldValueLastValueMapped: HIGHEST,
        RealWorldValueIntercept: 0,
        RealWorldValueSlope: 1,
        MeasurementUnitsCodeSequence: codeSequence(['um2/s', 'UCUM', 'um2/s']),
        QuantityDefinitionSequence: [
          {
            ValueType: 'CODE',
            ConceptNameCodeSequence: codeSequence(['246205007', 'SCT', 'Quantity']),
            ConceptCodeSequence: codeSequence(['113041', 'DCM', 'Apparent Diffusion Coefficient']),
          },
        ],
      },
    ],
  };
}
