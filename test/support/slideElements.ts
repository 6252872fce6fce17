import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

/** One level of a slide: 25 x 14 samples in nine tiles of 10 x 6, TILED_FULL. */
export function slideElements(different: DataSetInput = {}): DataSetInput {
  const frames = typeof different['NumberOfFrames'] === 'number' ? different['NumberOfFrames'] : 9;
  const rows = typeof different['Rows'] === 'number' ? different['Rows'] : 6;
  const columns = typeof different['Columns'] === 'number' ? different['Columns'] : 10;
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.6',
    SOPInstanceUID: '1.2.826.0.1.3680043.8.498.70',
    StudyInstanceUID: '1.2.826.0.1.3680043.8.498.71',
    SeriesInstanceUID: '1.2.826.0.1.3680043.8.498.72',
    ImageType: ['ORIGINAL', 'PRIMARY', 'VOLUME', 'NONE'],
    Modality: 'SM',
    ContainerIdentifier: 'S1',
    DimensionOrganizationType: 'TILED_FULL',
    TotalPixelMatrixColumns: 25,
    TotalPixelMatrixRows: 14,
    NumberOfFrames: frames,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    ...(different['PixelData'] === undefined ? { PixelData: new Uint8Array(frames * rows * columns) } : {}),
    ...different,
  };
}

/** The position of a level on the slide, given by the center of its first sample, and the size of its samples. */
export function placeLevel(xMm: number, yMm: number, spacing: string): DataSetInput {
  return {
    ImageOrientationSlide: ['1', '0', '0', '0', '1', '0'],
    TotalPixelMatrixOriginSequence: [
      { XOffsetInSlideCoordinateSystem: String(xMm), YOffsetInSlideCoordinateSystem: String(yMm) },
    ],
    SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: [spacing, spacing] }] }],
  };
}
