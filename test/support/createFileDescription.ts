import type { FileDescription } from '../../src/server/images/catalog/dicomFile.ts';
import { emptyFields } from './emptyFields.ts';
import { pretendSource } from './sources.ts';

/** A CT image as the scan describes it, with the fields that a test changes. */
export function createFileDescription(different: Partial<FileDescription> = {}): FileDescription {
  return {
    ...emptyFields(),
    path: '/data/a.dcm',
    label: 'P1 · CT · 20240131',
    patientId: 'P1',
    patientName: 'Doe^Jane',
    studyInstanceUid: '1.2.826.1',
    studyDate: '20240131',
    studyDescription: 'Chest',
    seriesInstanceUid: '1.2.826.1.1',
    seriesNumber: '1',
    seriesDescription: 'Axial',
    modality: 'CT',
    instanceNumber: '1',
    sopInstanceUid: '1.2.826.1.1.1',
    sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
    sopClassName: 'CT Image Storage',
    objectKind: 'classic_image',
    supportState: 'renderable',
    hasPixels: true,
    frameCount: 1,
    declaredFrameCount: 1,
    rows: 512,
    columns: 512,
    samplesPerPixel: 1,
    bitsAllocated: 16,
    bitsStored: 12,
    photometricInterpretation: 'MONOCHROME2',
    pixelAspectRatio: 1,
    pixelSpacingMm: [0.7, 0.7],
    pixelSpacingSource: 'pixel_spacing',
    transferSyntaxUid: '1.2.840.10008.1.2.1',
    transferSyntaxName: 'Explicit VR Little Endian',
    defaultWindow: { center: 40, width: 400 },
    fileBytes: 526_000,
    emptyElements: 0,
    placement: undefined,
    source: pretendSource('/data/a.dcm'),
    ...different,
  };
}
