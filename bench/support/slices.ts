import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

const SIDE = 512;
const UID = '2.25.77167267688692684862549894335621004187';

/** CT slices of 512 x 512 with noise, which are neither compressible nor repetitive. */
export function writeSlices(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const noise = Int16Array.from({ length: SIDE * SIDE + count }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 26) - 32);
  for (let number = 0; number < count; number++) {
    const samples = new Int16Array(SIDE * SIDE);
    for (let i = 0; i < samples.length; i++) {
      const [x, y] = [(i % SIDE) - SIDE / 2, Math.floor(i / SIDE) - SIDE / 2];
      const radius = Math.hypot(x / 200, y / (140 + 20 * Math.sin(number / 10)));
      samples[i] = (radius < 1 ? 1064 + 100 * Math.cos(radius * 8 + number / 5) : 24) + noise[i + number]!;
    }
    writeFileSync(join(folder, `${String(number).padStart(4, '0')}.dcm`), writeDicom(sliceElements(number, samples)));
  }
}

function sliceElements(number: number, samples: Int16Array): Parameters<typeof writeDicom>[0] {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: `${UID}.1.${number + 1}`,
    StudyInstanceUID: `${UID}.2`,
    SeriesInstanceUID: `${UID}.3`,
    FrameOfReferenceUID: `${UID}.4`,
    Modality: 'CT',
    PatientID: 'BENCH',
    InstanceNumber: String(number + 1),
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    ImagePositionPatient: ['-200', '-200', String(number)],
    PixelSpacing: ['0.78', '0.78'],
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: SIDE,
    Columns: SIDE,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    RescaleSlope: '1',
    RescaleIntercept: '-1024',
    WindowCenter: '40',
    WindowWidth: '400',
    PixelData: samples,
  };
}
