import { fill, GRAY_IMAGE, type GoldenCase } from '../../support/goldenCase.ts';

/** A modality LUT that inverts and bends the ramp, then a VOI LUT over a part of its range. */
export const golden: GoldenCase = {
  origin: 'DCMTK 3.6.7, dcm2pnm --write-png --nointerlace --use-voi-lut 1',
  // DCMTK divides the range of the table into 256 equal parts.
  tolerance: 1,
  elements: {
    ...GRAY_IMAGE,
    Rows: 40,
    Columns: 64,
    PixelData: fill(40, 64, (row, column) => column * 60 + row * 3),
    ModalityLUTSequence: [
      {
        LUTDescriptor: { vr: 'US', value: [1024, 200, 12] },
        ModalityLUTType: 'US',
        LUTData: { vr: 'OW', value: Uint16Array.from({ length: 1024 }, (_, i) => 4095 - Math.floor((i * i) / 256)) },
      },
    ],
    VOILUTSequence: [
      {
        LUTDescriptor: { vr: 'US', value: [2048, 1000, 8] },
        LUTData: { vr: 'OW', value: Uint16Array.from({ length: 2048 }, (_, i) => Math.floor(i / 8)) },
      },
    ],
  },
};
