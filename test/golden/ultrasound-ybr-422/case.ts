import { GRAY_IMAGE, type GoldenCase } from '../../support/goldenCase.ts';

const ROWS = 24;
const COLUMNS = 48;

/** Two luminance values, then the chrominance of both pixels. PS3.3 C.7.6.3.1.2. */
function pixelData(): Uint8Array {
  const bytes: number[] = [];
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column += 2) {
      const luminance = (at: number) => 16 + at * 4 + row;
      bytes.push(luminance(column), luminance(column + 1), (column * 5 + 20) & 0xff, (row * 10 + 40) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
}

export const golden: GoldenCase = {
  origin: 'PS3.3 C.7.6.3.1.2 in numpy: R = Y + 1.402 Cr and so on, rounded; DCMTK is off by up to 2',
  elements: {
    ...GRAY_IMAGE,
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.6.1',
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'YBR_FULL_422',
    PlanarConfiguration: 0,
    Rows: ROWS,
    Columns: COLUMNS,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelData: pixelData(),
  },
};
