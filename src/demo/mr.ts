import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import type { PatientModel } from './anatomy/patientModel.ts';
import { type Plane, stackAround } from './anatomy/plane.ts';
import { T2_SIGNAL } from './anatomy/tissue.ts';
import { mrSignal } from './mrSignal.ts';
import { createCloudTile, createGrainTile } from './noise.ts';
import { grayPixels, wordPixels } from './pixelElements.ts';
import { DEMO_SERIES, commonElements, frameOfReference } from './studyElements.ts';

const MR_IMAGE_STORAGE = '1.2.840.10008.5.1.4.1.1.4';

const MR_SLICES = 24;
const SIZE = 256;
const SPACING_MM = 1.5;
const THICKNESS_MM = 5;
const SPACING_BETWEEN_MM = 6;

/** Coronal, rotated 9 degrees about the body axis and tilted 14 degrees along the spine. */
function mrPlanes(): Plane[] {
  const turn = (9 * Math.PI) / 180;
  const lean = (14 * Math.PI) / 180;
  return stackAround([0, -4, 4], {
    along: [Math.cos(turn), Math.sin(turn), 0],
    down: [-Math.sin(turn) * Math.sin(lean), Math.cos(turn) * Math.sin(lean), -Math.cos(lean)],
    spacingMm: SPACING_MM,
    rows: SIZE,
    columns: SIZE,
    count: MR_SLICES,
    spacingBetweenMm: SPACING_BETWEEN_MM,
  });
}

export function* createMrImages(model: PatientModel): Generator<DataSetInput> {
  const grain = createGrainTile(SIZE, 11);
  const clouds = createCloudTile(SIZE, { seed: 12, cells: 32, octaves: 2 });
  for (const [index, plane] of mrPlanes().entries()) {
    const labels = model.labels(plane);
    const signal = mrSignal({ plane, labels, signalOfLabel: T2_SIGNAL, grain, clouds, noiseDeviation: 9, seed: index });
    yield mrImage({ plane, index, stored: new Uint16Array(signal) });
  }
}

function mrImage({ plane, index, stored }: { plane: Plane; index: number; stored: Uint16Array }): DataSetInput {
  return {
    ...commonElements(DEMO_SERIES.mr, MR_IMAGE_STORAGE, index + 1),
    ...frameOfReference(),
    ...grayPixels({ rows: SIZE, columns: SIZE, bitsAllocated: 16, bitsStored: 12, signed: false }),
    ImageType: ['ORIGINAL', 'PRIMARY', 'M', 'SE'],
    AcquisitionDate: '20250114',
    AcquisitionTime: DEMO_SERIES.mr.time,
    BodyPartExamined: 'ABDOMEN',
    ScanningSequence: 'SE',
    SequenceVariant: 'SK',
    ScanOptions: '',
    MRAcquisitionType: '2D',
    SequenceName: 'T2 single shot',
    SliceThickness: THICKNESS_MM,
    RepetitionTime: 1400,
    EchoTime: 92,
    NumberOfAverages: 1,
    ImagingFrequency: 63.87,
    ImagedNucleus: '1H',
    EchoNumbers: 1,
    MagneticFieldStrength: 1.5,
    SpacingBetweenSlices: SPACING_BETWEEN_MM,
    EchoTrainLength: 128,
    PixelBandwidth: 390,
    ReceiveCoilName: 'BODY',
    FlipAngle: 150,
    PatientPosition: 'HFS',
    AcquisitionNumber: 1,
    ImagePositionPatient: plane.origin.map(micrometres),
    ImageOrientationPatient: [...plane.along, ...plane.down],
    PixelSpacing: [SPACING_MM, SPACING_MM],
    WindowCenter: 420,
    WindowWidth: 860,
    PixelData: wordPixels(stored),
  };
}

/** In mm, rounded to micrometres, because further digits have no meaning. */
function micrometres(value: number): number {
  return Math.round(value * 1000) / 1000;
}
