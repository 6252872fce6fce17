import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';

/** One picture: `test/golden/<name>/case.ts` exports it as `golden`, next to `expected.png`. */
export type GoldenCase = {
  readonly elements: DataSetInput;
  /** The query of the display frame's URL, including the question mark. */
  readonly query?: string;
  /** Largest allowed difference of a gray level, because two tools round differently. Default 0. */
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

/** Samples in row order. */
export function fill(rows: number, columns: number, sampleAt: (row: number, column: number) => number): Uint16Array {
  return Uint16Array.from({ length: rows * columns }, (_, i) => sampleAt(Math.floor(i / columns), i % columns));
}

/** Packs a mask into bits, lowest bit first, as in Overlay Data. */
export function packMask(rows: number, columns: number, isSet: (row: number, column: number) => boolean): Uint8Array {
  const packed = new Uint8Array(Math.ceil((rows * columns) / 16) * 2);
  for (let i = 0; i < rows * columns; i++) {
    if (isSet(Math.floor(i / columns), i % columns)) packed[i >> 3]! |= 1 << (i & 7);
  }
  return packed;
}
