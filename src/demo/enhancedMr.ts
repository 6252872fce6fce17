import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import * as Tag from '../server/standard/dicom/tag.ts';
import type { PatientModel } from './anatomy/patientModel.ts';
import { type Plane, stackAround } from './anatomy/plane.ts';
import { DIFFUSION_COEFFICIENT, DIFFUSION_SIGNAL } from './anatomy/tissue.ts';
import { codeSequence } from '../server/standard/dicom/codeSequence.ts';
import { dimensionElements, planePosition, sharedGeometry } from './functionalGroups.ts';
import { mrSignal } from './mrSignal.ts';
import { createCloudTile, createGrainTile } from './noise.ts';
import { grayPixels, wordPixels } from './pixelElements.ts';
import { DEMO_SERIES, commonElements, frameOfReference, instanceUid, partUid, STUDY_DATE } from './studyElements.ts';

const DIFFUSION_SLICES = 20;
export const DIFFUSION_SIZE = 160;
export const DIFFUSION_SLICE_MM = 6;
const SPACING_MM = 2.5;
/** In s/mm2. */
const B_VALUES = [50, 800] as const;
const ACQUISITION_TIME = `${STUDY_DATE}${DEMO_SERIES.diffusion.time}`;

/** One acquired frame. `position` counts slices from 0 at the bottom; `frameNumber` is its place in the object. */
export type DiffusionFrame = {
  readonly frameNumber: number;
  readonly position: number;
  readonly bValue: number;
  readonly plane: Plane;
  readonly labels: Uint8Array;
  readonly signal: Uint16Array;
};

export const DIFFUSION = {
  sopClassUid: '1.2.840.10008.5.1.4.1.1.4.1',
  sopInstanceUid: instanceUid(DEMO_SERIES.diffusion, 1),
};

function diffusionPlanes(): Plane[] {
  return stackAround([0, 0, -12], {
    along: [1, 0, 0],
    down: [0, 1, 0],
    spacingMm: SPACING_MM,
    rows: DIFFUSION_SIZE,
    columns: DIFFUSION_SIZE,
    count: DIFFUSION_SLICES,
    spacingBetweenMm: DIFFUSION_SLICE_MM,
  });
}

/** In acquisition order, in which every second slice comes first, so that storage order differs from spatial order. */
export function scanDiffusion(model: PatientModel): DiffusionFrame[] {
  const grain = createGrainTile(256, 21);
  const clouds = createCloudTile(256, { seed: 22, cells: 32, octaves: 2 });
  const planes = diffusionPlanes();
  const positions = [...planes.keys()].toSorted((a, b) => (a % 2) - (b % 2) || a - b);
  const labels = planes.map((plane) => model.labels(plane));
  return B_VALUES.flatMap((bValue, echo) => {
    const signalOfLabel = DIFFUSION_SIGNAL.map(
      (signal, label) => signal * Math.exp(-bValue * DIFFUSION_COEFFICIENT[label]! * 1e-6),
    );
    return positions.map((position, order) => {
      const frameNumber = echo * planes.length + order + 1;
      const plane = planes[position]!;
      const signal = mrSignal({
        plane,
        labels: labels[position]!,
        signalOfLabel,
        grain,
        clouds,
        noiseDeviation: 5,
        seed: frameNumber,
      });
      return { frameNumber, position, bValue, plane, labels: labels[position]!, signal: new Uint16Array(signal) };
    });
  });
}

export function enhancedMrImage(frames: readonly DiffusionFrame[]): DataSetInput {
  const pixels = new Uint16Array(frames.length * DIFFUSION_SIZE * DIFFUSION_SIZE);
  for (const [index, { signal }] of frames.entries()) pixels.set(signal, index * signal.length);
  return {
    ...commonElements(DEMO_SERIES.diffusion, DIFFUSION.sopClassUid, 1),
    ...frameOfReference(),
    ...grayPixels({ rows: DIFFUSION_SIZE, columns: DIFFUSION_SIZE, bitsAllocated: 16, bitsStored: 12, signed: false }),
    ...dimensionElements(partUid(DEMO_SERIES.diffusion, 1), [
      { pointer: Tag.StackID, group: Tag.FrameContentSequence, label: 'Stack' },
      { pointer: Tag.InStackPositionNumber, group: Tag.FrameContentSequence, label: 'Position' },
      { pointer: Tag.DiffusionBValue, group: Tag.MRDiffusionSequence, label: 'b value' },
    ]),
    ...acquisitionElements(),
    NumberOfFrames: frames.length,
    SharedFunctionalGroupsSequence: [sharedGroups(frames[0]!.plane)],
    PerFrameFunctionalGroupsSequence: frames.map(frameGroups),
    PixelData: wordPixels(pixels),
  };
}

function acquisitionElements(): DataSetInput {
  return {
    ImageType: ['ORIGINAL', 'PRIMARY', 'DIFFUSION', 'NONE'],
    AcquisitionNumber: 1,
    AcquisitionDateTime: ACQUISITION_TIME,
    AcquisitionDuration: 142,
    ContentQualification: 'PRODUCT',
    ResonantNucleus: '1H',
    KSpaceFiltering: 'NONE',
    MagneticFieldStrength: 1.5,
    ApplicableSafetyStandardAgency: 'IEC',
    ImageComments: 'Computed',
    BodyPartExamined: 'ABDOMEN',
    PatientPosition: 'HFS',
    PulseSequenceName: 'Diffusion EPI',
    MRAcquisitionType: '2D',
    EchoPulseSequence: 'SPIN',
    MultipleSpinEcho: 'NO',
    MultiPlanarExcitation: 'NO',
    PhaseContrast: 'NO',
    TimeOfFlightContrast: 'NO',
    SteadyStatePulseSequence: 'NONE',
    EchoPlanarPulseSequence: 'YES',
    SaturationRecovery: 'NO',
    SpectrallySelectedSuppression: 'FAT',
    OversamplingPhase: 'NONE',
    GeometryOfKSpaceTraversal: 'RECTILINEAR',
    SegmentedKSpaceTraversal: 'SINGLE',
    RectilinearPhaseEncodeReordering: 'LINEAR',
    NumberOfKSpaceTrajectories: 1,
    VolumetricProperties: 'VOLUME',
    PixelPresentation: 'MONOCHROME',
    ComplexImageComponent: 'MAGNITUDE',
    AcquisitionContrast: 'DIFFUSION',
    BurnedInAnnotation: 'NO',
    LossyImageCompression: '00',
    PresentationLUTShape: 'IDENTITY',
    AcquisitionContextSequence: [],
    VolumeBasedCalculationTechnique: 'NONE',
  };
}

function sharedGroups(plane: Plane): DataSetInput {
  return {
    ...sharedGeometry(plane, { thicknessMm: 5, spacingBetweenMm: DIFFUSION_SLICE_MM }),
    FrameAnatomySequence: [
      { FrameLaterality: 'U', AnatomicRegionSequence: codeSequence(['818983003', 'SCT', 'Abdomen']) },
    ],
    PixelValueTransformationSequence: [{ RescaleIntercept: 0, RescaleSlope: 1, RescaleType: 'US' }],
    MRImageFrameTypeSequence: [
      {
        FrameType: ['ORIGINAL', 'PRIMARY', 'DIFFUSION', 'NONE'],
        PixelPresentation: 'MONOCHROME',
        VolumetricProperties: 'VOLUME',
        VolumeBasedCalculationTechnique: 'NONE',
        ComplexImageComponent: 'MAGNITUDE',
        AcquisitionContrast: 'DIFFUSION',
      },
    ],
    MRTimingAndRelatedParametersSequence: [
      {
        RepetitionTime: 5200,
        FlipAngle: 90,
        EchoTrainLength: 1,
        RFEchoTrainLength: 1,
        GradientEchoTrainLength: 64,
        SpecificAbsorptionRateSequence: [
          { SpecificAbsorptionRateDefinition: 'IEC_WHOLE_BODY', SpecificAbsorptionRateValue: 0.4 },
        ],
        OperatingModeSequence: [{ OperatingModeType: 'RF', OperatingMode: 'IEC_NORMAL' }],
      },
    ],
    MRFOVGeometrySequence: [
      {
        InPlanePhaseEncodingDirection: 'COLUMN',
        MRAcquisitionFrequencyEncodingSteps: DIFFUSION_SIZE,
        MRAcquisitionPhaseEncodingStepsInPlane: DIFFUSION_SIZE,
        PercentSampling: 100,
        PercentPhaseFieldOfView: 100,
      },
    ],
    MREchoSequence: [{ EffectiveEchoTime: 68 }],
    MRModifierSequence: [
      {
        InversionRecovery: 'NO',
        FlowCompensation: 'NONE',
        T2Preparation: 'NO',
        SpectrallySelectedExcitation: 'NONE',
        SpatialPresaturation: 'NONE',
        PartialFourier: 'NO',
        ParallelAcquisition: 'NO',
      },
    ],
    MRImagingModifierSequence: [
      {
        MagnetizationTransfer: 'NONE',
        BloodSignalNulling: 'NO',
        Tagging: 'NONE',
        TransmitterFrequency: 63.87,
        PixelBandwidth: 1736,
      },
    ],
    MRReceiveCoilSequence: [
      {
        ReceiveCoilName: 'BODY',
        ReceiveCoilManufacturerName: '',
        ReceiveCoilType: 'BODY',
        QuadratureReceiveCoil: 'YES',
      },
    ],
    MRTransmitCoilSequence: [{ TransmitCoilName: 'BODY', TransmitCoilManufacturerName: '', TransmitCoilType: 'BODY' }],
    MRAveragesSequence: [{ NumberOfAverages: 2 }],
  };
}

function frameGroups({ position, bValue, plane }: DiffusionFrame): DataSetInput {
  const directed = bValue > B_VALUES[0];
  return {
    ...planePosition(plane),
    FrameContentSequence: [
      {
        FrameAcquisitionDateTime: ACQUISITION_TIME,
        FrameReferenceDateTime: ACQUISITION_TIME,
        FrameAcquisitionDuration: 70,
        StackID: '1',
        InStackPositionNumber: position + 1,
        DimensionIndexValues: [1, position + 1, directed ? 2 : 1],
      },
    ],
    FrameVOILUTSequence: [directed ? { WindowCenter: 130, WindowWidth: 260 } : { WindowCenter: 420, WindowWidth: 840 }],
    MRDiffusionSequence: [{ DiffusionDirectionality: 'ISOTROPIC', DiffusionBValue: bValue }],
  };
}
