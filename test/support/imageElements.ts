import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';

/** A row of three CT samples: -161, 40 and 240 HU. */
export function ctRow(more: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: '2.25.1',
    Modality: 'CT',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 1,
    Columns: 3,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    RescaleSlope: '1',
    RescaleIntercept: '-1024',
    WindowCenter: '50',
    WindowWidth: '350',
    PixelData: Int16Array.of(863, 1064, 1264),
    ...more,
  };
}

/** A row of two RGB pixels: red and (10, 20, 30). */
export function colorRow(more: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: '2.25.2',
    Modality: 'OT',
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'RGB',
    PlanarConfiguration: 0,
    Rows: 1,
    Columns: 2,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: Uint8Array.of(255, 0, 0, 10, 20, 30),
    ...more,
  };
}
