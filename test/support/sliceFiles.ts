import { type WriteOptions, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';

export const SLICE_UID = '1.2.826.0.1.3680043.10.67';

export const SLICE_ROWS = 20;
export const SLICE_COLUMNS = 30;
/** The window that every slice declares. */
export const SLICE_WINDOW = { center: 50, width: 300 };

export type Slice = {
  /** Starts at 0. Determines the position, the values and the UID. */
  readonly number: number;
  /** Slices of one series form one stack. */
  readonly series?: number;
  readonly spacingMm?: number;
};

/** A CT slice in which pixel (x, y) has 10 * number + x + 2 * y Hounsfield units. */
export function writeSlice(
  { number, series = 1, spacingMm = 2 }: Slice,
  more: DataSetInput = {},
  options: WriteOptions = {},
): Uint8Array {
  const samples = Int16Array.from({ length: SLICE_ROWS * SLICE_COLUMNS }, (_, i) => {
    return 1024 + valueAt(number, i % SLICE_COLUMNS, Math.floor(i / SLICE_COLUMNS));
  });
  return writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
      SOPInstanceUID: `${SLICE_UID}.${series}.${number + 1}`,
      StudyInstanceUID: `${SLICE_UID}.100`,
      SeriesInstanceUID: `${SLICE_UID}.101.${series}`,
      FrameOfReferenceUID: `${SLICE_UID}.102`,
      SeriesNumber: String(series),
      SeriesDescription: `Series ${series}`,
      InstanceNumber: String(number + 1),
      Modality: 'CT',
      PatientID: 'P1',
      PatientName: 'Doe^Jane',
      ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
      ImagePositionPatient: ['0', '0', String(number * spacingMm)],
      PixelSpacing: ['1', '1'],
      SliceThickness: '2',
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      Rows: SLICE_ROWS,
      Columns: SLICE_COLUMNS,
      BitsAllocated: 16,
      BitsStored: 16,
      HighBit: 15,
      PixelRepresentation: 1,
      RescaleSlope: '1',
      RescaleIntercept: '-1024',
      WindowCenter: String(SLICE_WINDOW.center),
      WindowWidth: String(SLICE_WINDOW.width),
      PixelData: samples,
      ...more,
    },
    options,
  );
}

/** In Hounsfield units. */
export function valueAt(number: number, x: number, y: number): number {
  return 10 * number + x + 2 * y;
}

/** The gray level of a value with a window. PS3.3 C.11.2.1.2.1, rounded to nearest. */
export function levelOf(value: number, { center, width } = SLICE_WINDOW): number {
  const part = (value - (center - 0.5)) / (width - 1) + 0.5;
  return Math.floor(Math.min(Math.max(part, 0), 1) * 255 + 0.5);
}
