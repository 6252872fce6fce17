import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { HOUNSFIELD, LABEL, TISSUE_NAMES, type TissueName } from './anatomy/tissue.ts';
import type { PatientModel } from './anatomy/patientModel.ts';
import { type Plane, stackAround } from './anatomy/plane.ts';
import { createCloudTile, createGrainTile, type NoiseTile } from './noise.ts';
import { lookUpLabels } from './lookUpLabels.ts';
import { smooth } from './smooth.ts';
import { rlePixels } from './pixelElements.ts';
import type { Instance } from './references.ts';
import { type Membership, membershipOf } from './structures.ts';
import { DEMO_SERIES, commonElements, frameOfReference, instanceUid } from './studyElements.ts';

const CT_IMAGE_STORAGE = '1.2.840.10008.5.1.4.1.1.2';

const CT_SLICES = 60;
const CT_SIZE = 512;
export const CT_SPACING_MM = 0.78125;
export const CT_SLICE_MM = 3;

export const CT_RESCALE_INTERCEPT = -1024;
/** Stored value outside the reconstruction circle of the scanner. */
const PADDING = -2000;

/** One slice with its ground truth, for the objects that are derived from the series. */
export type CtSlice = Instance & {
  readonly index: number;
  readonly plane: Plane;
  readonly membership: Membership;
  /** As stored: Hounsfield units minus the rescale intercept, or padding. */
  readonly stored: Int16Array;
};

/** From the lowest slice to the highest. */
export function ctPlanes(): Plane[] {
  return stackAround([0, 0, 0], {
    along: [1, 0, 0],
    down: [0, 1, 0],
    spacingMm: CT_SPACING_MM,
    rows: CT_SIZE,
    columns: CT_SIZE,
    count: CT_SLICES,
    spacingBetweenMm: CT_SLICE_MM,
  });
}

/** Generates the slices one by one. */
export function createCtScanner(model: PatientModel): { scan(plane: Plane, index: number): CtSlice } {
  const grain = createGrainTile(CT_SIZE, 1);
  const clouds = createCloudTile(CT_SIZE, { seed: 2, cells: 32, octaves: 3 });
  const values = new Float32Array(CT_SIZE * CT_SIZE);
  return {
    scan(plane, index) {
      const labels = model.labels(plane);
      lookUpLabels(values, { labels, valueOfLabel: HOUNSFIELD, columns: CT_SIZE });
      paintTable(values);
      smooth(values, CT_SIZE);
      const stored = storedValues({ values, labels, grain, clouds, index });
      return {
        index,
        plane,
        sopClassUid: CT_IMAGE_STORAGE,
        sopInstanceUid: instanceUid(DEMO_SERIES.ct, index + 1),
        membership: membershipOf({ plane, labels }),
        stored,
      };
    },
  };
}

/** Standard deviation of the slow mottle in each tissue, in Hounsfield units; 5 for tissues that are not listed. */
const MOTTLE: Partial<Record<TissueName, number>> = {
  air: 0,
  lung: 42,
  marrow: 70,
  cortex: 90,
  fat: 9,
  muscle: 11,
  bowelContent: 30,
  gland: 22,
};
const MOTTLE_OF_LABEL = Float32Array.from(TISSUE_NAMES, (name) => MOTTLE[name] ?? 5);

type SliceInput = {
  readonly values: Float32Array;
  readonly labels: Uint8Array;
  readonly grain: NoiseTile;
  readonly clouds: NoiseTile;
  readonly index: number;
};

function storedValues(input: SliceInput): Int16Array {
  const stored = new Int16Array(CT_SIZE * CT_SIZE).fill(PADDING);
  for (let row = 0; row < CT_SIZE; row++) storeRow(stored, row, input);
  return stored;
}

/** Fills the part of a row inside the reconstruction circle. */
function storeRow(stored: Int16Array, row: number, { values, labels, grain, clouds, index }: SliceInput): void {
  const half = CT_SIZE / 2;
  const mask = CT_SIZE - 1;
  // Each slice uses another part of the grain tile. The mottle moves slowly, because tissue continues between slices.
  const grainRow = ((row + 181 * index) & mask) * CT_SIZE;
  const cloudRow = ((row + 3 * index) & mask) * CT_SIZE;
  const below = (row - half) * (row - half);
  const reach = Math.floor(Math.sqrt(half * half - below));
  for (let column = half - reach; column < half + reach; column++) {
    const i = row * CT_SIZE + column;
    const label = labels[i]!;
    let value = values[i]! - CT_RESCALE_INTERCEPT;
    if (label !== LABEL.air) {
      const deviation = 12 - 1.2e-4 * (below + (column - half) * (column - half));
      value += deviation * grain.values[grainRow + ((column + 97 * index) & mask)]!;
      value += MOTTLE_OF_LABEL[label]! * clouds.values[cloudRow + ((column + 2 * index) & mask)]!;
    }
    // Rounds. Math.round would take three times as long.
    stored[i] = value > 0 ? (value + 0.5) | 0 : 0;
  }
}

/** The patient lies on a shallow trough of carbon fibre over foam. */
function paintTable(values: Float32Array): void {
  for (let column = 36; column < CT_SIZE - 36; column++) {
    const x = (column - CT_SIZE / 2) * CT_SPACING_MM;
    const top = Math.round(CT_SIZE / 2 + (125 - 0.0007 * x * x) / CT_SPACING_MM);
    const bottom = Math.round(CT_SIZE / 2 + (160 - 0.0019 * x * x) / CT_SPACING_MM);
    for (let row = top; row <= Math.max(top, bottom); row++) {
      const shell = row < top + 2 || row > bottom - 2;
      const i = row * CT_SIZE + column;
      if (values[i]! <= -990) values[i] = shell ? -320 : -950;
    }
  }
}

export function ctImage({ plane, index, stored }: CtSlice): DataSetInput {
  return {
    ...commonElements(DEMO_SERIES.ct, CT_IMAGE_STORAGE, index + 1),
    ...frameOfReference(),
    ImageType: ['ORIGINAL', 'PRIMARY', 'AXIAL'],
    AcquisitionDate: '20250114',
    AcquisitionTime: DEMO_SERIES.ct.time,
    BodyPartExamined: 'CHEST',
    ScanOptions: 'HELICAL MODE',
    SliceThickness: CT_SLICE_MM,
    KVP: 120,
    DataCollectionDiameter: 500,
    ReconstructionDiameter: 400,
    GantryDetectorTilt: 0,
    TableHeight: 150,
    RotationDirection: 'CW',
    ExposureTime: 500,
    XRayTubeCurrent: 220,
    Exposure: 110,
    FilterType: 'BODY',
    ConvolutionKernel: 'SOFT',
    ContrastBolusAgent: 'Iodinated, none was given',
    PatientPosition: 'HFS',
    AcquisitionNumber: 1,
    ImagePositionPatient: [...plane.origin],
    ImageOrientationPatient: [...plane.along, ...plane.down],
    SliceLocation: plane.origin[2],
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: plane.rows,
    Columns: plane.columns,
    PixelSpacing: [plane.spacingMm, plane.spacingMm],
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    PixelPaddingValue: PADDING,
    WindowCenter: [50, -600, 400],
    WindowWidth: [400, 1500, 1800],
    WindowCenterWidthExplanation: ['SOFT TISSUE', 'LUNG', 'BONE'],
    RescaleIntercept: CT_RESCALE_INTERCEPT,
    RescaleSlope: 1,
    RescaleType: 'HU',
    PixelData: rlePixels([{ samples: stored, samplesPerPixel: 1, columns: plane.columns }]),
  };
}
