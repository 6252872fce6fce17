import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { slideElements } from '../../support/slideElements.ts';
import { type HostileFile, image, refused, shown, words } from '../hostileFile.ts';

const CT = '1.2.840.10008.5.1.4.1.1.2';
const MULTI_FRAME = '1.2.840.10008.5.1.4.1.1.7.2';
const SEGMENTATION = '1.2.840.10008.5.1.4.1.1.66.4';
const DOSE = '1.2.840.10008.5.1.4.1.1.481.2';

const reference = (uid: string, frames?: readonly number[]) => ({
  ReferencedSOPClassUID: CT,
  ReferencedSOPInstanceUID: uid,
  ReferencedFrameNumber: frames?.map(String),
});

/** Objects that refer to themselves, to each other, or to more than exists. */
export const references: readonly HostileFile[] = [
  shown('an image that is its own source', () =>
    image({ SOPInstanceUID: '2.25.100', SourceImageSequence: [reference('2.25.100')] }),
  ),
  shown('a circle of two, first', () =>
    image({ SOPInstanceUID: '2.25.101', SourceImageSequence: [reference('2.25.102')] }),
  ),
  shown('a circle of two, second', () =>
    image({ SOPInstanceUID: '2.25.102', SourceImageSequence: [reference('2.25.101')] }),
  ),
  shown('a segmentation of itself', () => segmentation('2.25.103', '2.25.103')),
  shown('a segmentation of a segmentation, first', () => segmentation('2.25.104', '2.25.105')),
  shown('a segmentation of a segmentation, second', () => segmentation('2.25.105', '2.25.104')),
  shown('a segmentation of frames that its source does not have', () =>
    segmentation('2.25.106', '2.25.100', 2 ** 31 - 1),
  ),
  shown('references to frames 0, -1 and 2^31-1', () =>
    image({ SOPInstanceUID: '2.25.107', SourceImageSequence: [reference('2.25.100', [0, -1, 2 ** 31 - 1])] }),
  ),
  shown('one instance number for two files', () => image({ SOPInstanceUID: '2.25.100' })),
  // Each reference of the dose below refers to all frames of this file.
  shown('a million frames', () =>
    image({
      SOPClassUID: MULTI_FRAME,
      SOPInstanceUID: '2.25.110',
      NumberOfFrames: '1000000',
      Columns: 1,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelData: new Uint8Array(1_000_000),
    }),
  ),
  shown('a dose with 4096 references to a million frames', () => doseOf('2.25.110', 4_096)),
  shown('a part of a concatenation at frame 2^32-1', () => part({ uid: '2.25.120', number: 1, offset: 2 ** 32 - 1 })),
  shown('a part that is number 0 of 0', () => part({ uid: '2.25.121', number: 0, total: 0 })),
  shown('a part that is number 65535 of 1', () => part({ uid: '2.25.122', number: 65_535, total: 1 })),
  shown('a part that lies over another', () => part({ uid: '2.25.123', number: 1, offset: 0, total: 65_535 })),
  shown('a part that is its own source', () =>
    part({ uid: '2.25.124', number: 2, more: { SOPInstanceUIDOfConcatenationSource: '2.25.124' } }),
  ),
  shown('a slide of 2^32-1 squared', () =>
    slide({ SOPInstanceUID: '2.25.130', TotalPixelMatrixRows: 2 ** 32 - 1, TotalPixelMatrixColumns: 2 ** 32 - 1 }),
  ),
  shown('a slide of no size', () =>
    slide({ SOPInstanceUID: '2.25.131', TotalPixelMatrixRows: 0, TotalPixelMatrixColumns: 0 }),
  ),
  shown('a slide of 2^32-1 optical paths and focal planes', () =>
    slide({ SOPInstanceUID: '2.25.132', NumberOfOpticalPaths: 2 ** 32 - 1, TotalPixelMatrixFocalPlanes: 2 ** 32 - 1 }),
  ),
  refused('a slide of tiles without size', 'unsupported_pixel_layout', () =>
    slide({ SOPInstanceUID: '2.25.133', Rows: 0, Columns: 0, PixelData: new Uint8Array(2) }),
  ),
];

function segmentation(uid: string, source: string, frame?: number): Uint8Array {
  return image({
    SOPClassUID: SEGMENTATION,
    SOPInstanceUID: uid,
    Modality: 'SEG',
    SegmentationType: 'BINARY',
    NumberOfFrames: '1',
    BitsAllocated: 1,
    BitsStored: 1,
    HighBit: 0,
    PixelRepresentation: 0,
    RescaleSlope: undefined,
    RescaleIntercept: undefined,
    SegmentSequence: [{ SegmentNumber: 1, SegmentLabel: 'all', SegmentAlgorithmType: 'MANUAL' }],
    PerFrameFunctionalGroupsSequence: [
      {
        SegmentIdentificationSequence: [{ ReferencedSegmentNumber: 1 }],
        DerivationImageSequence: [
          { SourceImageSequence: [reference(source, frame === undefined ? undefined : [frame])] },
        ],
      },
    ],
    PixelData: { vr: 'OB', value: Uint8Array.of(7, 0) },
  });
}

/** The references differ in their segment number, so that none is a duplicate. */
function doseOf(uid: string, count: number): Uint8Array {
  return image({
    SOPClassUID: DOSE,
    SOPInstanceUID: '2.25.111',
    Modality: 'RTDOSE',
    DoseGridScaling: '1',
    ReferencedImageSequence: Array.from({ length: count }, (_, i) => ({
      ...reference(uid),
      ReferencedSegmentNumber: i + 1,
    })),
  });
}

type Part = {
  readonly uid: string;
  readonly number: number;
  readonly offset?: number;
  readonly total?: number;
  readonly more?: Record<string, string>;
};

function part({ uid, number, offset, total, more }: Part): Uint8Array {
  return image({
    SOPClassUID: MULTI_FRAME,
    SOPInstanceUID: uid,
    StudyInstanceUID: '2.25.1',
    SeriesInstanceUID: '2.25.2',
    ConcatenationUID: '2.25.3',
    InConcatenationNumber: { vr: 'US', value: words(number) },
    InConcatenationTotalNumber: total === undefined ? undefined : { vr: 'US', value: words(total) },
    ConcatenationFrameOffsetNumber: offset,
    ...more,
  });
}

function slide(different: Parameters<typeof slideElements>[0]): Uint8Array {
  return writeDicom(slideElements(different));
}
