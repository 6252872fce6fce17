import type { DataSetInput } from '../../server/standard/dicom/writeDicom.ts';
import { codeSequence } from '../../server/standard/dicom/codeSequence.ts';
import { drawText } from '../lettering.ts';
import { createCloudTile, createGrainTile } from '../noise.ts';
import { grayPixels, rlePixels } from '../pixelElements.ts';
import { DEMO_SERIES, commonElements } from '../studyElements.ts';
import { BREAST_COLUMNS, BREAST_ROWS, breastEdge, COARSE, createCalcifications, createCoarseBreast } from './breast.ts';

const MAMMOGRAPHY_FOR_PRESENTATION = '1.2.840.10008.5.1.4.1.1.1.2';

const SPACING_MM = 0.07;
/** Stored value of black: MONOCHROME1 shows the highest value as black. */
const BLACK = 4095;
const WHITE = 0;
/** Air around the breast, slightly brighter than black. */
const AIR = 4079;

export function mammogram(): DataSetInput {
  const samples = mammogramPixels();
  return {
    ...commonElements(DEMO_SERIES.mammography, MAMMOGRAPHY_FOR_PRESENTATION, 1),
    ...grayPixels({ rows: BREAST_ROWS, columns: BREAST_COLUMNS, bitsAllocated: 16, bitsStored: 12, signed: false }),
    ...acquisitionElements(),
    PhotometricInterpretation: 'MONOCHROME1',
    PresentationLUTShape: 'INVERSE',
    PixelIntensityRelationship: 'LOG',
    PixelIntensityRelationshipSign: 1,
    RescaleIntercept: 0,
    RescaleSlope: 1,
    RescaleType: 'US',
    WindowCenter: 2250,
    WindowWidth: 3300,
    PixelData: rlePixels([{ samples, samplesPerPixel: 1, columns: BREAST_COLUMNS }]),
  };
}

function mammogramPixels(): Uint16Array {
  const stored = new Uint16Array(BREAST_ROWS * BREAST_COLUMNS).fill(AIR);
  const coarse = createCoarseBreast();
  const grain = createGrainTile(512, 45).values;
  const fibres = createCloudTile(512, { seed: 46, cells: 32, octaves: 3 }).values;
  const line = new Float32Array(coarse.columns);
  for (let row = 0; row < BREAST_ROWS; row++) {
    const end = Math.min(BREAST_COLUMNS, Math.ceil(breastEdge(row)) + 24);
    if (end <= 24) continue;
    interpolateLine(line, coarse, row);
    const tile = (row & 511) * 512;
    for (let column = 0; column < end; column++) {
      const cell = column >> 3;
      const base = line[cell]! + ((column & 7) / COARSE) * (line[cell + 1]! - line[cell]!);
      const texture =
        base * 0.045 * fibres[tile + (column & 511)]! +
        (11 + 0.004 * base) * grain[tile + ((column + 7 * (row >> 9)) & 511)]!;
      const value = AIR - base - (base > 60 ? texture : 0);
      stored[row * BREAST_COLUMNS + column] = value < WHITE ? WHITE : value > AIR ? AIR : value;
    }
  }
  paintCalcifications(stored);
  paintMarker(stored);
  return stored;
}

function interpolateLine(
  line: Float32Array,
  { values, columns }: { values: Float32Array; columns: number },
  row: number,
): void {
  const top = Math.floor(row / COARSE) * columns;
  const t = (row % COARSE) / COARSE;
  for (let i = 0; i < columns; i++) line[i] = values[top + i]! + t * (values[top + columns + i]! - values[top + i]!);
}

function paintCalcifications(stored: Uint16Array): void {
  for (const { column, row, radius, brightness } of createCalcifications()) {
    const reach = Math.ceil(radius) + 1;
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        const inside = Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(x, y)));
        const i = (row + y) * BREAST_COLUMNS + column + x;
        stored[i] = Math.max(WHITE, stored[i]! - brightness * inside);
      }
    }
  }
}

/** The lead letters that name the view are on the detector beside the breast. */
function paintMarker(stored: Uint16Array): void {
  drawText('L MLO', { column: BREAST_COLUMNS - 720, row: 240, dot: 22 }, (column, row) => {
    stored[row * BREAST_COLUMNS + column] = BLACK - 3700;
  });
}

function acquisitionElements(): DataSetInput {
  return {
    ImageType: ['ORIGINAL', 'PRIMARY'],
    AcquisitionDate: '20250114',
    AcquisitionTime: DEMO_SERIES.mammography.time,
    PresentationIntentType: 'FOR PRESENTATION',
    PatientOrientation: ['A', 'FR'],
    Laterality: undefined,
    ImageLaterality: 'L',
    BodyPartExamined: 'BREAST',
    ViewPosition: 'MLO',
    PositionerType: 'MAMMOGRAPHIC',
    PositionerPrimaryAngle: -45,
    OrganExposed: 'BREAST',
    BreastImplantPresent: 'NO',
    PartialView: 'NO',
    KVP: 29,
    ExposureTime: 1150,
    XRayTubeCurrent: 90,
    Exposure: 104,
    ExposureInuAs: 103_500,
    AnodeTargetMaterial: 'TUNGSTEN',
    FilterMaterial: 'RHODIUM',
    FilterThicknessMinimum: 0.05,
    FilterThicknessMaximum: 0.05,
    FocalSpots: 0.3,
    Grid: 'RECIPROCATING',
    CompressionForce: 90,
    BodyPartThickness: 54,
    DistanceSourceToDetector: 660,
    DistanceSourceToPatient: 640,
    EstimatedRadiographicMagnificationFactor: 1.03125,
    DetectorType: 'DIRECT',
    DetectorConfiguration: 'AREA',
    DetectorID: 'DEMO',
    DetectorTemperature: 30,
    DetectorActiveShape: 'RECTANGLE',
    FieldOfViewShape: 'RECTANGLE',
    FieldOfViewDimensions: [Math.round(BREAST_ROWS * SPACING_MM), Math.round(BREAST_COLUMNS * SPACING_MM)],
    FieldOfViewOrigin: [0, 0],
    FieldOfViewRotation: 0,
    FieldOfViewHorizontalFlip: 'NO',
    ImagerPixelSpacing: [SPACING_MM, SPACING_MM],
    PixelSpacing: [SPACING_MM, SPACING_MM],
    PixelSpacingCalibrationType: undefined,
    DetectorElementSpacing: [SPACING_MM, SPACING_MM],
    BurnedInAnnotation: 'NO',
    LossyImageCompression: '00',
    AcquisitionContextSequence: [],
    AnatomicRegionSequence: codeSequence(['76752008', 'SCT', 'Breast']),
    ViewCodeSequence: [
      { ...codeSequence(['399368009', 'SCT', 'medio-lateral oblique'])[0], ViewModifierCodeSequence: [] },
    ],
  };
}
