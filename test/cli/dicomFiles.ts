import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

/** Writes small secondary captures (16 x 16, 8 bit) into a folder under these names. */
export async function writeDicomFiles(folder: string, ...names: string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const bytes = writeDicom({
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
      SOPInstanceUID: `2.25.${1000 + index}`,
      StudyInstanceUID: '2.25.1',
      SeriesInstanceUID: '2.25.2',
      Modality: 'OT',
      Rows: 16,
      Columns: 16,
      SamplesPerPixel: 1,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      PhotometricInterpretation: 'MONOCHROME2',
      PixelData: { vr: 'OB', value: new Uint8Array(256) },
    });
    await writeFile(join(folder, name), bytes);
  }
}
