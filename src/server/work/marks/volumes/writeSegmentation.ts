import { roundingOf } from '../../../../shared/evenSpacing.ts';
import { toDicomCielab } from '../../../../shared/cielab.ts';
import { type CodeTriplet, codeSequence } from '../../../standard/dicom/codeSequence.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import type { DataSetInput } from '../../../standard/dicom/dataSetInput.ts';
import { attributesOfFrame } from '../../../standard/dicom/eachFrame.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { writeDicom } from '../../../standard/dicom/writeDicom.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createUid } from '../createUid.ts';
import { deriveObject, requireUids, toDecimal, toShortText } from '../derivedObject.ts';
import type { CutSegments, SegmentedFrame, SegmentToWrite, WriteSegmentationInput } from './markVolumeTasks.ts';
import { codesOfClass, type SegmentCodes } from './segmentTags.ts';

const SEGMENTATION_STORAGE = '1.2.840.10008.5.1.4.1.1.66.4';
const SOURCE_IMAGE: CodeTriplet = ['121322', 'DCM', 'Source image for image processing operation'];

/** Implements `writeSegmentationTask`: a segmentation with one segment for each mark. */
export function writeSegmentation(input: WriteSegmentationInput, { transfer }: Pick<TaskContext, 'transfer'>) {
  const { source, rows, columns, segments, software, frameOfReferenceUid } = input;
  const { common, thicknessMm } = withSame(source, (opened) => {
    const { dataSet } = readDicom(opened, { until: Tag.FloatPixelData });
    return {
      common: {
        ...deriveObject(dataSet, software),
        PositionReferenceIndicator: '',
      },
      thicknessMm: findThickness(dataSet),
    };
  });
  const frames = sortFrames(input);
  for (const { uid } of segments) requireUids({ 'uid of a mark': uid });
  for (const { of } of frames) {
    requireUids({ 'SOP Instance UID': of.sopInstanceUid, 'Series Instance UID': of.seriesInstanceUid });
  }
  const organizationUid = createUid();
  const spacingMm = findSpacing(frames);
  const isUniform = new Set(frames.map(({ of: { plane } }) => plane.slice(3).join())).size === 1;
  const groupsOf = ({ plane }: SegmentedFrame): DataSetInput => ({
    PixelMeasuresSequence: [
      {
        ...(thicknessMm !== undefined && { SliceThickness: toDecimal(thicknessMm) }),
        ...(spacingMm !== undefined && { SpacingBetweenSlices: toDecimal(spacingMm) }),
        PixelSpacing: plane.slice(9, 11).map(toDecimal),
      },
    ],
    PlaneOrientationSequence: [{ ImageOrientationPatient: plane.slice(3, 9).map(toDecimal) }],
  });
  const file = writeDicom({
    ...common,
    SOPClassUID: SEGMENTATION_STORAGE,
    FrameOfReferenceUID: frameOfReferenceUid,
    Modality: 'SEG',
    ImageType: ['DERIVED', 'PRIMARY'],
    ContentLabel: 'MARKS',
    ContentDescription: 'Marks that users have drawn',
    ContentCreatorName: '',
    LossyImageCompression: '00',
    SegmentationType: 'BINARY',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    PixelRepresentation: 0,
    BitsAllocated: 1,
    BitsStored: 1,
    HighBit: 0,
    Rows: rows,
    Columns: columns,
    NumberOfFrames: frames.length,
    SegmentSequence: segments.map(toSegment),
    ReferencedSeriesSequence: listSeries(frames.map(({ of }) => of)),
    DimensionOrganizationSequence: [{ DimensionOrganizationUID: organizationUid }],
    DimensionIndexSequence: [
      [Tag.ReferencedSegmentNumber, Tag.SegmentIdentificationSequence, 'Segment'] as const,
      [Tag.ImagePositionPatient, Tag.PlanePositionSequence, 'Position'] as const,
    ].map(([pointer, group, label]) => ({
      DimensionOrganizationUID: organizationUid,
      DimensionIndexPointer: pointer,
      FunctionalGroupPointer: group,
      DimensionDescriptionLabel: label,
    })),
    SharedFunctionalGroupsSequence: [isUniform ? groupsOf(frames[0]!.of) : {}],
    PerFrameFunctionalGroupsSequence: frames.map(({ segment, place, of }) => ({
      ...(!isUniform && groupsOf(of)),
      PlanePositionSequence: [{ ImagePositionPatient: of.plane.slice(0, 3).map(toDecimal) }],
      FrameContentSequence: [{ DimensionIndexValues: [segment, place + 1] }],
      SegmentIdentificationSequence: [{ ReferencedSegmentNumber: segment }],
      DerivationImageSequence: [toDerivation(of)],
    })),
    PixelData: { vr: 'OB', value: joinBits(frames, rows * columns) },
  });
  const bytes = new Uint8Array(file.length);
  bytes.set(file);
  return transfer(bytes);
}

/** The distance of the images, if it is the same at all frames. A reader of a single slice knows its volume by it. */
function findSpacing(frames: readonly Frame[]): number | undefined {
  const depths = frames.map(({ of: { depthMm } }) => depthMm);
  const meanMm = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
  return depths.every((depth) => Math.abs(depth - meanMm) <= roundingOf(meanMm)) ? meanMm : undefined;
}

type Frame = {
  readonly segment: number;
  readonly place: number;
  readonly of: SegmentedFrame;
  readonly bits: Uint8Array;
};

/** By segment, then by place. */
function sortFrames({ parts, frames, rows, columns }: WriteSegmentationInput): readonly Frame[] {
  const bytesOfFrame = Math.ceil((rows * columns) / 8);
  const all = parts.flatMap(({ cut, bits }: CutSegments) =>
    Array.from({ length: cut.length / 2 }, (_, n): Frame => {
      const [segment = 0, place = 0] = cut.subarray(2 * n, 2 * n + 2);
      return { segment, place, of: frames[place]!, bits: bits.subarray(n * bytesOfFrame, (n + 1) * bytesOfFrame) };
    }),
  );
  return all.toSorted((a, b) => a.segment - b.segment || a.place - b.place);
}

/** Frames follow each other without a gap, whatever their number of pixels. PS3.5 8.1.1. */
function joinBits(frames: readonly Frame[], pixels: number): Uint8Array {
  const bytes = Math.ceil((frames.length * pixels) / 8);
  const joined = new Uint8Array(bytes + (bytes % 2));
  for (const [n, { bits }] of frames.entries()) {
    const start = n * pixels;
    const shift = start % 8;
    const first = Math.floor(start / 8);
    if (shift === 0) {
      joined.set(bits, first);
      continue;
    }
    for (const [at, byte] of bits.entries()) {
      joined[first + at]! |= (byte << shift) & 255;
      if (first + at + 1 < joined.length) joined[first + at + 1]! |= byte >> (8 - shift);
    }
  }
  return joined;
}

function findThickness(dataSet: DataSet): number | undefined {
  const thickness = attributesOfFrame(dataSet, 0, Tag.PixelMeasuresSequence).number(Tag.SliceThickness);
  return thickness !== undefined && thickness > 0 && Number.isFinite(thickness) ? thickness : undefined;
}

function toSegment({ number, uid, label, labelClass, color }: SegmentToWrite): DataSetInput {
  const { title = '' } = labelClass ?? {};
  const { category, type } = codesOfClass(labelClass);
  const name = toShortText(label) || toShortText(title) || `Mark ${number}`;
  return {
    SegmentNumber: number,
    SegmentLabel: name,
    SegmentDescription: toShortText(title) || undefined,
    SegmentAlgorithmType: 'MANUAL',
    SegmentedPropertyCategoryCodeSequence: toCode(category),
    SegmentedPropertyTypeCodeSequence: toCode(type),
    RecommendedDisplayCIELabValue: toDicomCielab(color),
    TrackingID: name,
    TrackingUID: uid,
  };
}

function toCode({ value, scheme, meaning }: SegmentCodes['type']): DataSetInput[] {
  return codeSequence([toShortText(value), toShortText(scheme), toShortText(meaning)]);
}

function toDerivation({ sopClassUid, sopInstanceUid, frameNumber }: SegmentedFrame): DataSetInput {
  return {
    DerivationCodeSequence: codeSequence(['113076', 'DCM', 'Segmentation']),
    SourceImageSequence: [
      {
        ReferencedSOPClassUID: sopClassUid,
        ReferencedSOPInstanceUID: sopInstanceUid,
        ReferencedFrameNumber: frameNumber === undefined ? undefined : [frameNumber],
        SpatialLocationsPreserved: 'YES',
        PurposeOfReferenceCodeSequence: codeSequence(SOURCE_IMAGE),
      },
    ],
  };
}

function listSeries(frames: readonly SegmentedFrame[]): DataSetInput[] {
  const series = new Map<string, Map<string, SegmentedFrame>>();
  for (const frame of frames) {
    const instances = series.get(frame.seriesInstanceUid) ?? new Map<string, SegmentedFrame>();
    instances.set(frame.sopInstanceUid, frame);
    series.set(frame.seriesInstanceUid, instances);
  }
  return Array.from(series, ([uid, instances]) => ({
    SeriesInstanceUID: uid,
    ReferencedInstanceSequence: Array.from(instances.values(), ({ sopClassUid, sopInstanceUid }) => ({
      ReferencedSOPClassUID: sopClassUid,
      ReferencedSOPInstanceUID: sopInstanceUid,
    })),
  }));
}
