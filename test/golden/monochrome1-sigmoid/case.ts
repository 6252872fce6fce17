import { fill, GRAY_IMAGE, type GoldenCase } from '../../support/goldenCase.ts';

/** Low values are white, padding is black, and the curve of the window never quite reaches either level. */
export const golden: GoldenCase = {
  origin: 'PS3.3 C.11.2.1.3.1 in numpy: 255 / (1 + exp(-4 (x - center) / width)), rounded, from 255, padding 0',
  elements: {
    ...GRAY_IMAGE,
    PhotometricInterpretation: 'MONOCHROME1',
    Rows: 32,
    Columns: 64,
    WindowCenter: '1000',
    WindowWidth: '1500',
    VOILUTFunction: 'SIGMOID',
    RescaleSlope: '0.5',
    RescaleIntercept: '-10',
    PixelPaddingValue: { vr: 'US', value: [4000] },
    PixelPaddingRangeLimit: { vr: 'US', value: [4095] },
    PixelData: fill(32, 64, (row, column) => Math.min(4095, column * 65 + row)),
  },
};
