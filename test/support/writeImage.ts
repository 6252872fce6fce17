import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

/** An 8-bit gray image of zeros; every call creates a new instance. */
export function writeImage({ rows = 100, columns = 200, frames = 1 } = {}): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7.2',
    SOPInstanceUID: `2.25.${BigInt(`0x${crypto.randomUUID().replaceAll('-', '')}`)}`,
    Modality: 'OT',
    NumberOfFrames: String(frames),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: new Uint8Array(rows * columns * frames + ((rows * columns * frames) % 2)),
  });
}
