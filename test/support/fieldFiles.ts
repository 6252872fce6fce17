import { type DataSetInput, writeDicom, type WriteOptions } from '../../src/server/standard/dicom/writeDicom.ts';
import type { Vector3 } from '../../src/shared/geometry.ts';
import { digits, FRAME_OF_REFERENCE } from './placedElements.ts';

const STUDY = '2.25.502';
/** The CT: 64 x 48 pixels of 1.5 mm, 12 slices 4 mm apart, all of 34 HU. */
export const CT_SIZE = { rows: 48, columns: 64, slices: 12 } as const;
export const CT_SPACING_MM = 1.5;
export const CT_STEP_MM = 4;
export const CT_ORIGIN: Vector3 = [-48, -36, -22];

export const DOSE_CENTRE: Vector3 = [5, -8, 2];

/** The dose of the phantom in Gray at a point of the patient. */
export function doseAt([x, y, z]: Vector3): number {
  const [cx, cy, cz] = DOSE_CENTRE;
  return 66 * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2) / 1800);
}

export function writeCt(): Uint8Array[] {
  const { rows, columns, slices } = CT_SIZE;
  return Array.from({ length: slices }, (_, slice) =>
    writeDicom({
      ...common('1.2.840.10008.5.1.4.1.1.2', `2.25.7${slice + 10}`, '2.25.71', 'CT', 'Body'),
      ImagePositionPatient: digits([CT_ORIGIN[0], CT_ORIGIN[1], CT_ORIGIN[2] + slice * CT_STEP_MM]),
      ImageOrientationPatient: digits([1, 0, 0, 0, 1, 0]),
      PixelSpacing: digits([CT_SPACING_MM, CT_SPACING_MM]),
      InstanceNumber: String(slice + 1),
      RescaleSlope: '1',
      RescaleIntercept: '-1000',
      WindowCenter: '40',
      WindowWidth: '400',
      ...pixels(rows, columns),
      PixelData: new Uint16Array(rows * columns).fill(1034),
    }),
  );
}

export const DOSE_SIZE = { rows: 20, columns: 24, planes: 14 } as const;
const DOSE_ORIGIN: Vector3 = [-30, -35, -18];
const DOSE_MM = 3;
const SCALING = 0.002;

type DoseForm = {
  readonly uid?: string;
  /** Of the Grid Frame Offset Vector: from the first plane, or positions themselves; or from the highest plane down. */
  readonly offsets?: 'relative' | 'absolute' | 'descending';
  readonly different?: DataSetInput;
  readonly factor?: number;
  /** Only the first ones. */
  readonly planes?: number;
  /** Where the planes are, instead of 3 mm apart. */
  readonly heights?: readonly number[];
  readonly transferSyntaxUid?: string;
};

/** The dose of the phantom on a grid of 3 mm, which does not reach the borders of the CT. */
export function writeDose({
  uid = '2.25.730',
  offsets = 'relative',
  different = {},
  factor = 1,
  planes = DOSE_SIZE.planes,
  heights = Array.from({ length: planes }, (_, plane) => DOSE_ORIGIN[2] + plane * DOSE_MM),
  transferSyntaxUid,
}: DoseForm = {}) {
  const { rows, columns } = DOSE_SIZE;
  const stored = offsets === 'descending' ? heights.toReversed() : heights;
  const first = stored[0]!;
  const samples = stored.flatMap((z) =>
    Array.from({ length: rows * columns }, (_, i) => {
      const point: Vector3 = [
        DOSE_ORIGIN[0] + (i % columns) * DOSE_MM,
        DOSE_ORIGIN[1] + Math.floor(i / columns) * DOSE_MM,
        z,
      ];
      return Math.round((factor * doseAt(point)) / SCALING);
    }),
  );
  const elements = {
    ...common('1.2.840.10008.5.1.4.1.1.481.2', uid, `${uid}.1`, 'RTDOSE', 'Dose'),
    ImagePositionPatient: digits([DOSE_ORIGIN[0], DOSE_ORIGIN[1], first]),
    ImageOrientationPatient: digits([1, 0, 0, 0, 1, 0]),
    PixelSpacing: digits([DOSE_MM, DOSE_MM]),
    SliceThickness: '',
    NumberOfFrames: String(heights.length),
    GridFrameOffsetVector: digits(stored.map((z) => (offsets === 'absolute' ? z : z - first))),
    DoseUnits: 'GY',
    DoseType: 'PHYSICAL',
    DoseSummationType: 'PLAN',
    DoseGridScaling: String(SCALING),
    ReferencedRTPlanSequence: [
      { ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.481.5', ReferencedSOPInstanceUID: '2.25.740' },
    ],
    ...pixels(rows, columns),
    PixelData: Uint16Array.from(samples),
    ...different,
  };
  return writeDicom(elements, transferSyntaxUid === undefined ? {} : { transferSyntaxUid });
}

/** A plan that prescribes 60 Gy to one target and 54 Gy to another, in 30 fractions. */
export function writePlan(): Uint8Array {
  return writeDicom({
    ...common('1.2.840.10008.5.1.4.1.1.481.5', '2.25.740', '2.25.741', 'RTPLAN', 'Plan'),
    RTPlanLabel: 'Boost',
    DoseReferenceSequence: [
      { DoseReferenceNumber: '1', DoseReferenceType: 'TARGET', TargetPrescriptionDose: '54' },
      {
        DoseReferenceNumber: '2',
        DoseReferenceType: 'TARGET',
        DoseReferenceDescription: 'PTV',
        TargetPrescriptionDose: '60',
      },
      { DoseReferenceNumber: '3', DoseReferenceType: 'ORGAN_AT_RISK', TargetPrescriptionDose: '99' },
    ],
    FractionGroupSequence: [{ FractionGroupNumber: '1', NumberOfFractionsPlanned: '30' }],
  });
}

export const PET_SIZE = { rows: 24, columns: 24, slices: 10 } as const;
const PET_MM = 4;

/**
 * A PET of 20,000 Bq/ml within 20 mm of the centre of the dose and 2,000 elsewhere, with a rescale of its own in each
 * slice. 370 MBq without decay in 70 kg: SUV = value * 70,000 / 370e6, thus 3.784 and 0.378.
 */
export function writePet(different: DataSetInput = {}, options: WriteOptions = {}): Uint8Array[] {
  const { rows, columns, slices } = PET_SIZE;
  return Array.from({ length: slices }, (_, slice) => {
    const z = -18 + slice * PET_MM;
    const slope = 1 + slice / 10;
    const values = Array.from({ length: rows * columns }, (_unused, i) => {
      const [x, y] = [-45 + (i % columns) * PET_MM, -45 + Math.floor(i / columns) * PET_MM];
      const [cx, cy, cz] = DOSE_CENTRE;
      const isHot = (x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2 <= 400;
      return Math.round((isHot ? 20_000 : 2_000) / slope);
    });
    return writeDicom(
      {
        ...common('1.2.840.10008.5.1.4.1.1.128', `2.25.7${slice + 60}`, '2.25.750', 'PT', 'FDG'),
        ImagePositionPatient: digits([-45, -45, z]),
        ImageOrientationPatient: digits([1, 0, 0, 0, 1, 0]),
        PixelSpacing: digits([PET_MM, PET_MM]),
        InstanceNumber: String(slice + 1),
        Units: 'BQML',
        DecayCorrection: 'ADMIN',
        CorrectedImage: ['ATTN', 'DECY'],
        PatientWeight: '70',
        SeriesDate: '20260101',
        SeriesTime: '120000',
        AcquisitionDate: '20260101',
        AcquisitionTime: '120000',
        RadiopharmaceuticalInformationSequence: [
          {
            RadionuclideTotalDose: '370000000',
            RadionuclideHalfLife: '6586.2',
            RadiopharmaceuticalStartTime: '110000',
          },
        ],
        RescaleSlope: String(slope),
        RescaleIntercept: '0',
        ...pixels(rows, columns),
        PixelData: Uint16Array.from(values),
        ...different,
      },
      options,
    );
  });
}

/** A Real World Value Mapping object of the PET: uptake by lean body mass of one stored unit, slice by slice. */
export function writePetMapping(slopeOf: (slice: number) => number): Uint8Array {
  return writeDicom({
    ...common('1.2.840.10008.5.1.4.1.1.67', '2.25.780', '2.25.781', 'RWV', 'Uptake'),
    ReferencedImageRealWorldValueMappingSequence: Array.from({ length: PET_SIZE.slices }, (_, slice) => ({
      ReferencedImageSequence: [
        { ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.128', ReferencedSOPInstanceUID: `2.25.7${slice + 60}` },
      ],
      RealWorldValueMappingSequence: [
        {
          LUTLabel: 'SUVlbm',
          RealWorldValueFirstValueMapped: 0,
          RealWorldValueLastValueMapped: 65_535,
          RealWorldValueSlope: slopeOf(slice),
          RealWorldValueIntercept: 0,
          MeasurementUnitsCodeSequence: [
            { CodeValue: '{SUVlbm}g/ml', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'SUV lean body mass' },
          ],
        },
      ],
    })),
  });
}

function common(sopClassUid: string, uid: string, series: string, modality: string, description: string): DataSetInput {
  return {
    SOPClassUID: sopClassUid,
    SOPInstanceUID: uid,
    StudyInstanceUID: STUDY,
    SeriesInstanceUID: series,
    SeriesDescription: description,
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
    Modality: modality,
  };
}

function pixels(rows: number, columns: number): DataSetInput {
  return {
    Rows: rows,
    Columns: columns,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 0,
  };
}
