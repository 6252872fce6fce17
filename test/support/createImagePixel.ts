import type { ImagePixel } from '../../src/server/images/pixels/imagePixel.ts';
import { SYNTHETIC_COLUMNS, SYNTHETIC_ROWS } from './syntheticImage.ts';

/** By default an unsigned 8-bit gray image of the synthetic size. */
export function createImagePixel(changes: Partial<ImagePixel> = {}): ImagePixel {
  const bitsAllocated = changes.bitsAllocated ?? 8;
  const bitsStored = changes.bitsStored ?? bitsAllocated;
  return {
    transferSyntaxUid: '1.2.840.10008.1.2.1',
    rows: SYNTHETIC_ROWS,
    columns: SYNTHETIC_COLUMNS,
    samplesPerPixel: 1,
    bitsAllocated,
    bitsStored,
    highBit: bitsStored - 1,
    pixelRepresentation: 0,
    photometricInterpretation: changes.samplesPerPixel === 3 ? 'RGB' : 'MONOCHROME2',
    planarConfiguration: 0,
    numberOfFrames: 1,
    sampleKind: 'integer',
    pixelDataVr: 'OW',
    encapsulated: false,
    ...changes,
  };
}
