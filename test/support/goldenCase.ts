import type { DataSetInput } from '../../src/server/dicom/dataSetInput.ts';

/** One picture: `test/golden/<name>/case.ts` exports it as `golden`, and `expected.png` lies beside it. */
export type GoldenCase = {
  readonly elements: DataSetInput;
  /** Of the display frame's address, with its question mark. */
  readonly query?: string;
  /** How far a gray level may be off: two tools round differently. Default 0. */
  readonly tolerance?: number;
  /** Where expected.png comes from. */
  readonly origin: string;
};

export const GRAY_IMAGE: DataSetInput = {
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.7.3',
  SOPInstanceUID: '2.25.4711',
  StudyInstanceUID: '2.25.4712',
  SeriesInstanceUID: '2.25.4713',
  Modality: 'OT',
  SamplesPerPixel: 1,
  PhotometricInterpretation: 'MONOCHROME2',
  BitsAllocated: 16,
  BitsStored: 12,
  HighBit: 11,
  PixelRepresentation: 0,
};

/** Samples row by row. */
export function fill(rows: number, columns: number, sampleAt: (row: number, column: number) => number): Uint16Array {
  return Uint16Array.from({ length: rows * columns }, (_, i) => sampleAt(Math.floor(i / columns), i % columns));
}

/** Bits of a mask, lowest first, as overlay data has them. */
export function packMask(rows: number, columns: number, isSet: (row: number, column: number) => boolean): Uint8Array {
  const packed = new Uint8Array(Math.ceil((rows * columns) / 16) * 2);
  for (let i = 0; i < rows * columns; i++) {
    if (isSet(Math.floor(i / columns), i % columns)) packed[i >> 3]! |= 1 << (i & 7);
  }
  return packed;
}
