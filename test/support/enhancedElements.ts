import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

export type EnhancedFrame = {
  readonly position: readonly number[];
  readonly orientation?: readonly number[];
  readonly temporalPosition?: number;
  readonly dimensions?: readonly number[];
  readonly bValue?: number;
  readonly echoTimeMs?: number;
};

/** An enhanced MR image of 2 x 2 pixels with frames at the given positions, axial by default. */
export function enhancedElements(frames: readonly EnhancedFrame[], different: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.4.1',
    SOPInstanceUID: '1.2.826.0.1.3680043.8.498.50',
    StudyInstanceUID: '1.2.826.0.1.3680043.8.498.2',
    SeriesInstanceUID: '1.2.826.0.1.3680043.8.498.53',
    FrameOfReferenceUID: '1.2.826.0.1.3680043.8.498.54',
    Modality: 'MR',
    NumberOfFrames: frames.length,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 2,
    Columns: 2,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    SharedFunctionalGroupsSequence: [{ PlaneOrientationSequence: [{ ImageOrientationPatient: [1, 0, 0, 0, 1, 0] }] }],
    PerFrameFunctionalGroupsSequence: frames.map(toGroups),
    PixelData: new Uint8Array(4 * frames.length),
    ...different,
  };
}

function toGroups(frame: EnhancedFrame): DataSetInput {
  const { position, orientation, temporalPosition, dimensions, bValue, echoTimeMs } = frame;
  return {
    PlanePositionSequence: [{ ImagePositionPatient: position.map((value) => String(Number(value.toFixed(9)))) }],
    PlaneOrientationSequence: orientation && [
      { ImageOrientationPatient: orientation.map((value) => String(Number(value.toFixed(9)))) },
    ],
    MRDiffusionSequence: bValue === undefined ? undefined : [{ DiffusionBValue: bValue }],
    MREchoSequence: echoTimeMs === undefined ? undefined : [{ EffectiveEchoTime: echoTimeMs }],
    FrameContentSequence: [{ TemporalPositionIndex: temporalPosition, DimensionIndexValues: dimensions }],
  };
}
