import type { SpacingSource } from '../../../shared/contract/fileTerms.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { findMacro, type FrameAttributes } from '../dicom/eachFrame.ts';
import * as Tag from '../dicom/tag.ts';

export type PixelSpacing = {
  /** Distance between rows, then between columns. */
  readonly spacingMm: readonly [number, number] | undefined;
  readonly source: SpacingSource | undefined;
  /** Height of a pixel divided by its width. */
  readonly aspectRatio: number | undefined;
};

/** The size of the pixels of a frame, and what its file says about the distance between slices. */
export type PixelMeasures = PixelSpacing & {
  /** Spacing Between Slices (0018,0088) as written; it may be negative in an NM reconstruction. */
  readonly sliceSpacingMm: number | undefined;
  readonly sliceThicknessMm: number | undefined;
};

/** Top-level tags that `readPixelSpacing` reads. */
export const PIXEL_SPACING_TAGS: readonly number[] = [
  Tag.PixelSpacing,
  Tag.ImagerPixelSpacing,
  Tag.NominalScannedPixelSpacing,
  Tag.PixelAspectRatio,
  Tag.PixelSpacingCalibrationType,
  Tag.EstimatedRadiographicMagnificationFactor,
  Tag.ImagePlanePixelSpacing,
  Tag.ImageOrientationPatient,
];

/**
 * Distances in the patient take precedence over distances at the detector, and these over distances on a scanned film,
 * as in PS3.3 10.7. Nothing is guessed if a file declares none.
 */
export function readPixelSpacing(frame: FrameAttributes): PixelSpacing {
  return spacingOf(frame.dataSet, findMacro(frame, Tag.PixelMeasuresSequence));
}

/** `pixelMeasures` is the functional group item that applies to the frame. */
export function readPixelMeasures(dataSet: Attributes, pixelMeasures: Attributes | undefined): PixelMeasures {
  const slices = pixelMeasures ?? dataSet;
  return {
    ...spacingOf(dataSet, pixelMeasures),
    sliceSpacingMm: slices.number(Tag.SpacingBetweenSlices),
    sliceThicknessMm: slices.number(Tag.SliceThickness),
  };
}

function spacingOf(dataSet: Attributes, pixelMeasures: Attributes | undefined): PixelSpacing {
  const inGroup = toPositivePair(pixelMeasures?.numbers(Tag.PixelSpacing, 2));
  if (inGroup !== undefined)
    return { spacingMm: inGroup, source: 'pixel_spacing', aspectRatio: inGroup[0] / inGroup[1] };
  for (const [declared, tag] of AT_TOP_LEVEL) {
    const spacingMm = toPositivePair(dataSet.numbers(tag, 2));
    if (spacingMm === undefined) continue;
    const source = declared === 'pixel_spacing' && isOfDetector(dataSet, spacingMm) ? 'imager' : declared;
    const magnification = dataSet.number(Tag.EstimatedRadiographicMagnificationFactor) ?? 1;
    if (source === 'imager' && magnification > 1 && magnification < MOST_MAGNIFIED) {
      const [rows, columns] = spacingMm;
      return {
        spacingMm: [rows / magnification, columns / magnification],
        source: 'magnification',
        aspectRatio: rows / columns,
      };
    }
    return { spacingMm, source, aspectRatio: spacingMm[0] / spacingMm[1] };
  }
  const ratio = toPositivePair(dataSet.numbers(Tag.PixelAspectRatio, 2));
  const aspectRatio = ratio === undefined ? undefined : ratio[0] / ratio[1];
  return { spacingMm: undefined, source: undefined, aspectRatio };
}

/**
 * In projection radiography, a Pixel Spacing that equals Imager Pixel Spacing was not corrected for magnification: it is that
 * at the detector, unless it was calibrated or nothing is magnified. PS3.3 10.7.1.3. An image with an orientation in the
 * patient is a slice: some CTs have both attributes.
 */
function isOfDetector(dataSet: Attributes, [vertical, horizontal]: readonly [number, number]): boolean {
  const atDetector = toPositivePair(dataSet.numbers(Tag.ImagerPixelSpacing, 2));
  if (atDetector?.[0] !== vertical || atDetector[1] !== horizontal) return false;
  if (dataSet.has(Tag.ImageOrientationPatient)) return false;
  const isCalibrated = dataSet.string(Tag.PixelSpacingCalibrationType) !== undefined;
  return !isCalibrated && dataSet.number(Tag.EstimatedRadiographicMagnificationFactor) !== 1;
}

/** A factor this large is no ratio of distances from the source of X-rays. */
const MOST_MAGNIFIED = 100;

const AT_TOP_LEVEL: readonly (readonly [SpacingSource, number])[] = [
  ['pixel_spacing', Tag.PixelSpacing],
  ['imager', Tag.ImagerPixelSpacing],
  ['nominal', Tag.NominalScannedPixelSpacing],
  // Of an RT Image: in its image plane, at RT Image SID from the source. PS3.3 C.8.8.2.
  ['image_plane', Tag.ImagePlanePixelSpacing],
];

function toPositivePair(numbers: readonly number[] | undefined): readonly [number, number] | undefined {
  const [vertical, horizontal] = numbers ?? [];
  if (vertical === undefined || horizontal === undefined) return undefined;
  return isPositive(vertical) && isPositive(horizontal) ? [vertical, horizontal] : undefined;
}

function isPositive(number: number): boolean {
  return Number.isFinite(number) && number > 0;
}
