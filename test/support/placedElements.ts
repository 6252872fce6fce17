import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

/** Position, orientation and spacing of an image as DICOM writes them. */
export type WrittenPlane = {
  readonly position: readonly number[];
  readonly orientation: readonly number[];
  /** Between rows, between columns. */
  readonly spacing: readonly [number, number];
};

export const AXIAL: WrittenPlane = { position: [0, 0, 0], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] };

export const CT_STORAGE = '1.2.840.10008.5.1.4.1.1.2';
const SEGMENTATION_STORAGE = '1.2.840.10008.5.1.4.1.1.66.4';
const LABEL_MAP_STORAGE = '1.2.840.10008.5.1.4.1.1.66.7';
export const FRAME_OF_REFERENCE = '2.25.500';
const SOURCE_SERIES = '2.25.501';

export type PlacedImage = {
  readonly uid: string;
  readonly rows: number;
  readonly columns: number;
  readonly plane?: WrittenPlane;
};

/** A CT image of zeros. */
export function placedImage({ uid, rows, columns, plane }: PlacedImage, different: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: CT_STORAGE,
    SOPInstanceUID: uid,
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: SOURCE_SERIES,
    FrameOfReferenceUID: plane && FRAME_OF_REFERENCE,
    Modality: 'CT',
    ImagePositionPatient: plane && digits(plane.position),
    ImageOrientationPatient: plane && digits(plane.orientation),
    PixelSpacing: plane && digits(plane.spacing),
    ...pixelElements(rows, columns),
    PixelData: new Uint8Array(rows * columns + ((rows * columns) % 2)),
    ...different,
  };
}

export type SegmentationFrame = {
  readonly samples: readonly number[];
  readonly segmentNumber?: number;
  readonly plane?: WrittenPlane;
  /** The image that the frame declares as its source. */
  readonly source?: { readonly uid: string; readonly frameNumbers?: readonly number[]; readonly preserved?: boolean };
};

export type WrittenSegmentation = {
  readonly rows: number;
  readonly columns: number;
  readonly type: 'BINARY' | 'FRACTIONAL' | 'LABELMAP';
  readonly frames: readonly SegmentationFrame[];
  /** Instances of the Source Image Sequence. */
  readonly declared?: readonly string[];
  readonly segmentNumbers?: readonly number[];
};

/** One bit per sample for BINARY, otherwise one byte. */
export function segmentationElements(written: WrittenSegmentation, different: DataSetInput = {}): DataSetInput {
  const { rows, columns, type, frames, declared, segmentNumbers = [1] } = written;
  const samples = frames.flatMap((frame) => frame.samples);
  const bits = type === 'BINARY' ? 1 : 8;
  return {
    SOPClassUID: type === 'LABELMAP' ? LABEL_MAP_STORAGE : SEGMENTATION_STORAGE,
    SOPInstanceUID: '2.25.600',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.601',
    FrameOfReferenceUID: frames[0]?.plane && FRAME_OF_REFERENCE,
    Modality: 'SEG',
    SegmentationType: type,
    ...(type === 'FRACTIONAL' && { SegmentationFractionalType: 'PROBABILITY', MaximumFractionalValue: 255 }),
    SourceImageSequence: declared?.map(reference),
    SegmentSequence: segmentNumbers.map((number) => ({
      SegmentNumber: number,
      SegmentLabel: `segment ${number}`,
      SegmentAlgorithmType: 'MANUAL',
    })),
    NumberOfFrames: frames.length,
    ...pixelElements(rows, columns),
    BitsAllocated: bits,
    BitsStored: bits,
    HighBit: bits - 1,
    PerFrameFunctionalGroupsSequence: frames.map((frame) => frameGroups(frame, type)),
    PixelData: { vr: 'OB', value: bits === 1 ? packBits(samples) : toEven(Uint8Array.from(samples)) },
    ...different,
  };
}

function frameGroups({ plane, segmentNumber = 1, source }: SegmentationFrame, type: string): DataSetInput {
  return {
    PlanePositionSequence: plane && [{ ImagePositionPatient: digits(plane.position) }],
    PlaneOrientationSequence: plane && [{ ImageOrientationPatient: digits(plane.orientation) }],
    PixelMeasuresSequence: plane && [{ PixelSpacing: digits(plane.spacing) }],
    SegmentIdentificationSequence: type === 'LABELMAP' ? undefined : [{ ReferencedSegmentNumber: segmentNumber }],
    DerivationImageSequence: source && [
      {
        SourceImageSequence: [
          {
            ...reference(source.uid),
            ReferencedFrameNumber: source.frameNumbers,
            SpatialLocationsPreserved: source.preserved === undefined ? undefined : source.preserved ? 'YES' : 'NO',
          },
        ],
      },
    ],
  };
}

export function reference(uid: string): DataSetInput {
  return { ReferencedSOPClassUID: CT_STORAGE, ReferencedSOPInstanceUID: uid };
}

function pixelElements(rows: number, columns: number): DataSetInput {
  return {
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
  };
}

/** Eight samples per byte, the first in the lowest bit, without padding between rows or frames. PS3.5 8.1.1. */
function packBits(samples: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(samples.length / 8));
  for (const [i, sample] of samples.entries()) bytes[i >> 3]! |= sample << (i & 7);
  return toEven(bytes);
}

function toEven(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : Uint8Array.from([...bytes, 0]);
}

/** A DS value has at most 16 characters. */
export function digits(numbers: readonly number[]): string[] {
  return numbers.map((number) => String(Number(number.toFixed(9))).slice(0, 16));
}
