import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import * as Tag from '../server/standard/dicom/tag.ts';
import type { Plane } from './anatomy/plane.ts';
import { toDicomCielab } from '../shared/cielab.ts';
import { type CodeTriplet, codeSequence } from '../server/standard/dicom/codeSequence.ts';
import { dimensionElements, planePosition, sharedGeometry } from './functionalGroups.ts';
import { derivedFrom, type Instance } from './references.ts';
import { commonElements, frameOfReference, partUid, type DemoSeries } from './studyElements.ts';
import type { Structure } from './structures.ts';

export const SEGMENTATION_STORAGE = '1.2.840.10008.5.1.4.1.1.66.4';
const SEGMENTATION: CodeTriplet = ['113076', 'DCM', 'Segmentation'];

/** One frame of a segmentation: one segment at one position. `position` counts from 0 along the stack. */
export type SegmentFrame = {
  readonly segmentNumber: number;
  readonly position: number;
  readonly plane: Plane;
  readonly source: Instance & { readonly frameNumbers?: readonly number[] };
};

type SegmentationInput = {
  readonly series: DemoSeries;
  readonly label: string;
  readonly structures: readonly Structure[];
  readonly frames: readonly SegmentFrame[];
  readonly sliceMm: number;
};

/** All elements of a segmentation except its type and its pixels. */
export function segmentationElements({ series, label, structures, frames, sliceMm }: SegmentationInput): DataSetInput {
  const plane = frames[0]!.plane;
  return {
    ...commonElements(series, SEGMENTATION_STORAGE, 1),
    ...frameOfReference(),
    ...dimensionElements(partUid(series, 1), [
      { pointer: Tag.ReferencedSegmentNumber, group: Tag.SegmentIdentificationSequence, label: 'Segment' },
      { pointer: Tag.ImagePositionPatient, group: Tag.PlanePositionSequence, label: 'Position' },
    ]),
    ImageType: ['DERIVED', 'PRIMARY'],
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    PixelRepresentation: 0,
    Rows: plane.rows,
    Columns: plane.columns,
    LossyImageCompression: '00',
    ContentLabel: label,
    ContentDescription: 'The truth that the images were computed from',
    ContentCreatorName: '',
    SegmentSequence: structures.map(segment),
    NumberOfFrames: frames.length,
    SharedFunctionalGroupsSequence: [sharedGeometry(plane, { thicknessMm: sliceMm, spacingBetweenMm: sliceMm })],
    PerFrameFunctionalGroupsSequence: frames.map(frameGroups),
  };
}

function segment({ name, category, type, modifier, color }: Structure, index: number): DataSetInput {
  return {
    SegmentNumber: index + 1,
    SegmentLabel: name,
    SegmentedPropertyCategoryCodeSequence: codeSequence(category),
    SegmentedPropertyTypeCodeSequence: [
      {
        ...codeSequence(type)[0],
        SegmentedPropertyTypeModifierCodeSequence: modifier === undefined ? undefined : codeSequence(modifier),
      },
    ],
    SegmentAlgorithmType: 'AUTOMATIC',
    SegmentAlgorithmName: 'Phantom truth',
    RecommendedDisplayCIELabValue: toDicomCielab(color),
  };
}

function frameGroups({ segmentNumber, position, plane, source }: SegmentFrame): DataSetInput {
  return {
    ...derivedFrom(SEGMENTATION, [source]),
    ...planePosition(plane),
    FrameContentSequence: [{ DimensionIndexValues: [segmentNumber, position + 1] }],
    SegmentIdentificationSequence: [{ ReferencedSegmentNumber: segmentNumber }],
  };
}
