import { fill, GRAY_IMAGE, type GoldenCase } from '../../support/goldenCase.ts';

// PS3.3 C.7.9.2: discrete (0, count, values), linear (1, count, end value).
const red = Uint16Array.of(0, 2, 0, 0x2000, 1, 126, 0xffff, 1, 128, 0);
const green = Uint16Array.of(0, 1, 0, 1, 255, 0xffff);
const blue = Uint16Array.of(0, 1, 0xffff, 1, 100, 0x8000, 1, 155, 0);

/** Three segmented tables with 16-bit entries. */
export const golden: GoldenCase = {
  origin: 'PS3.3 C.7.9.2 by hand: entries are expanded as the standard says, and shown by their upper byte',
  elements: {
    ...GRAY_IMAGE,
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7.4',
    PhotometricInterpretation: 'PALETTE COLOR',
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    Rows: 16,
    Columns: 64,
    RedPaletteColorLookupTableDescriptor: { vr: 'US', value: [256, 0, 16] },
    GreenPaletteColorLookupTableDescriptor: { vr: 'US', value: [256, 0, 16] },
    BluePaletteColorLookupTableDescriptor: { vr: 'US', value: [256, 0, 16] },
    SegmentedRedPaletteColorLookupTableData: { vr: 'OW', value: red },
    SegmentedGreenPaletteColorLookupTableData: { vr: 'OW', value: green },
    SegmentedBluePaletteColorLookupTableData: { vr: 'OW', value: blue },
    PixelData: Uint8Array.from(fill(16, 64, (row, column) => column * 4 + (row % 4))),
  },
};
