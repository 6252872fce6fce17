import type { Attributes } from '../../standard/dicom/dataSet.ts';
import { findMacro, firstFrameOf } from '../../standard/dicom/eachFrame.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import {
  checkNumbers,
  findOrientationItem,
  findPositionItem,
  readOrientation,
  readPosition,
} from '../../standard/geometry/framePlace.ts';
import { isMosaicImage } from '../../standard/geometry/mosaicType.ts';
import { readSlideMatrix, SLIDE_MATRIX_TAGS } from '../../standard/geometry/slideMatrix.ts';

/**
 * The parts of a header that determine where an image belongs in its series. A class for the same reason as DicomFile.
 */
export declare abstract class Placement {
  /** The values of Image Type, joined by backslashes. */
  readonly imageType: string;
  readonly echoNumber: number | undefined;
  /** Diffusion b-value of the only frame, in s/mm². */
  readonly bValue: number | undefined;
  /** Temporal Position Identifier, else Trigger Time: distinguishes images at the same position. */
  readonly time: number | undefined;
  /** Image Position (Patient) of the only frame: three finite numbers. Not of a mosaic, which shows slices of several places. */
  readonly position: readonly number[] | undefined;
  /**
   * Image Orientation (Patient) of the only frame, or of all frames if no frame has functional groups of its own; as
   * written.
   */
  readonly orientation: readonly number[] | undefined;
  /** Slice Thickness and Spacing Between Slices of the only frame; above 0. */
  readonly sliceThicknessMm: number | undefined;
  readonly sliceSpacingMm: number | undefined;
  /** There are several frames, and each may have its own position, which requires reading the file again. */
  readonly hasFrameGeometry: boolean;
  readonly concatenation: ConcatenationPart | undefined;
  /** Only for whole slide images. */
  readonly slide: SlidePlacement | undefined;
}

/** One part of an object that was split into several. PS3.3 C.7.6.16. */
export type ConcatenationPart = {
  readonly uid: string;
  /** Counts from 1. */
  readonly number: number | undefined;
  readonly total: number | undefined;
  /** Number of frames in the preceding parts. */
  readonly frameOffset: number | undefined;
};

/** PS3.3 C.8.12.4. */
export type SlidePlacement = {
  readonly pyramidUid: string | undefined;
  readonly containerIdentifier: string;
  readonly totalRows: number | undefined;
  readonly totalColumns: number | undefined;
  readonly imagedVolumeWidthMm: number | undefined;
  /** Position of the first sample of the total pixel matrix, in the slide coordinate system. */
  readonly originMm: readonly [x: number, y: number] | undefined;
  /** Image Orientation (Slide), as written: x and y of the row direction, then of the column direction. */
  readonly orientation: readonly [number, number, number, number] | undefined;
};

export const PLACEMENT_TAGS: readonly number[] = [
  Tag.ImageType,
  Tag.PyramidUID,
  Tag.SliceThickness,
  Tag.EchoNumbers,
  Tag.SpacingBetweenSlices,
  Tag.TriggerTime,
  Tag.DiffusionBValue,
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.TemporalPositionIdentifier,
  Tag.ConcatenationUID,
  Tag.InConcatenationNumber,
  Tag.InConcatenationTotalNumber,
  Tag.ConcatenationFrameOffsetNumber,
  Tag.ContainerIdentifier,
  Tag.ImagedVolumeWidth,
  Tag.DetectorInformationSequence,
  Tag.SliceVector,
  Tag.GridFrameOffsetVector,
  ...SLIDE_MATRIX_TAGS,
];

export function readPlacement(
  header: Attributes,
  { frameCount, isSlide }: { readonly frameCount: number; readonly isSlide: boolean },
): Placement {
  const first = isSlide ? undefined : firstFrameOf(header);
  const only = frameCount === 1 ? first : undefined;
  const oriented = first?.own === undefined ? first : only;
  const measures = only && (findMacro(only, Tag.PixelMeasuresSequence) ?? header);
  return {
    imageType: header.strings(Tag.ImageType, MOST_VALUES.imageType).join('\\'),
    echoNumber: header.number(Tag.EchoNumbers),
    bValue: only && (findMacro(only, Tag.MRDiffusionSequence) ?? only.dataSet).number(Tag.DiffusionBValue),
    time: header.number(Tag.TemporalPositionIdentifier) ?? header.number(Tag.TriggerTime),
    position: only && !isMosaicImage(header) ? checkNumbers(readPosition(findPositionItem(only)), 3) : undefined,
    orientation: oriented && checkNumbers(readOrientation(findOrientationItem(oriented)), 6),
    sliceThicknessMm: positive(measures?.number(Tag.SliceThickness)),
    sliceSpacingMm: positive(measures?.number(Tag.SpacingBetweenSlices)),
    hasFrameGeometry: frameCount > 1 && !isSlide && placesFrames(header),
    concatenation: findConcatenation(header),
    slide: isSlide ? readSlidePlacement(header) : undefined,
  };
}

function placesFrames(header: Attributes): boolean {
  if (header.has(Tag.PerFrameFunctionalGroupsSequence) || header.has(Tag.GridFrameOffsetVector)) return true;
  // Nuclear medicine: reconstructed slices.
  return header.has(Tag.DetectorInformationSequence) && header.has(Tag.SliceVector);
}

function findConcatenation(header: Attributes): ConcatenationPart | undefined {
  const uid = header.string(Tag.ConcatenationUID);
  if (uid === undefined) return undefined;
  return {
    uid,
    number: header.number(Tag.InConcatenationNumber),
    total: header.number(Tag.InConcatenationTotalNumber),
    frameOffset: header.number(Tag.ConcatenationFrameOffsetNumber),
  };
}

function readSlidePlacement(header: Attributes): SlidePlacement {
  const { totalRows, totalColumns, originMm, orientation } = readSlideMatrix(header);
  const [rowX, rowY, , columnX, columnY] = orientation;
  const isWhole = rowX !== undefined && rowY !== undefined && columnX !== undefined && columnY !== undefined;
  return {
    pyramidUid: header.string(Tag.PyramidUID),
    containerIdentifier: header.string(Tag.ContainerIdentifier) ?? '',
    totalRows,
    totalColumns,
    imagedVolumeWidthMm: positive(header.number(Tag.ImagedVolumeWidth)),
    originMm,
    orientation: isWhole ? [rowX, rowY, columnX, columnY] : undefined,
  };
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}
