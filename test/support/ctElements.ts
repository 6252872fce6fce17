import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

/** A small CT image of 2 x 3 pixels. */
export function ctElements(different: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: '1.2.826.0.1.3680043.8.498.1',
    StudyDate: '20240131',
    Modality: 'CT',
    PatientName: 'Doe^Jane',
    PatientID: 'P1',
    StudyInstanceUID: '1.2.826.0.1.3680043.8.498.2',
    SeriesInstanceUID: '1.2.826.0.1.3680043.8.498.3',
    SeriesNumber: '4',
    InstanceNumber: '7',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 2,
    Columns: 3,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
    PixelData: Uint16Array.of(0, 1, 2, 3, 4, 5),
    ...different,
  };
}
