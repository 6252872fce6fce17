import { fill, GRAY_IMAGE, type GoldenCase, packMask } from '../../support/goldenCase.ts';

const inRing = (row: number, column: number) => Math.abs(Math.hypot(row - 20, column - 30) - 12) < 1;

/** A ring in bit 15 of the samples, and a smaller overlay with its own origin that extends beyond the picture. */
export const golden: GoldenCase = {
  origin: 'DCMTK 3.6.7, dcm2pnm --write-png --nointerlace --use-window 1',
  // DCMTK rounds down.
  tolerance: 1,
  elements: {
    ...GRAY_IMAGE,
    Rows: 40,
    Columns: 64,
    WindowCenter: '2048',
    WindowWidth: '4096',
    PixelData: fill(40, 64, (row, column) => column * 40 + row * 20 + (inRing(row, column) ? 0x8000 : 0)),
    '60000010': { vr: 'US', value: [40] },
    '60000011': { vr: 'US', value: [64] },
    '60000040': { vr: 'CS', value: 'G' },
    '60000050': { vr: 'SS', value: [1, 1] },
    '60000100': { vr: 'US', value: [16] },
    '60000102': { vr: 'US', value: [15] },
    '60020010': { vr: 'US', value: [12] },
    '60020011': { vr: 'US', value: [20] },
    '60020040': { vr: 'CS', value: 'G' },
    '60020050': { vr: 'SS', value: [-3, 50] },
    '60020100': { vr: 'US', value: [1] },
    '60020102': { vr: 'US', value: [0] },
    '60023000': { vr: 'OW', value: packMask(12, 20, (row, column) => (row + column) % 3 === 0) },
  },
};
