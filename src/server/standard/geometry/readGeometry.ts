import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { eachFrame } from '../dicom/eachFrame.ts';
import * as Tag from '../dicom/tag.ts';
import type { FrameGeometry } from './frameGeometry.ts';
import { GeometryBuilder } from './geometryBuilder.ts';
import { PIXEL_SPACING_TAGS } from './pixelSpacing.ts';
import { SLIDE_MATRIX_TAGS, SLIDE_MATRIX_TAGS_IN_ITEMS } from './slideMatrix.ts';

/** Top-level elements that a `GeometryBuilder` reads. */
export const GEOMETRY_TAGS: readonly number[] = [
  Tag.ImageType,
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.FrameOfReferenceUID,
  Tag.VolumeFrameOfReferenceUID,
  Tag.SliceThickness,
  Tag.SpacingBetweenSlices,
  Tag.GridFrameOffsetVector,
  Tag.DetectorInformationSequence,
  Tag.SliceVector,
  ...PIXEL_SPACING_TAGS,
  ...SLIDE_MATRIX_TAGS,
];

/** Elements in the items of functional groups, and of the other sequences in `GEOMETRY_TAGS`. */
export const GEOMETRY_TAGS_IN_ITEMS: readonly number[] = [
  Tag.PlanePositionSequence,
  Tag.ImagePositionPatient,
  Tag.PlaneOrientationSequence,
  Tag.ImageOrientationPatient,
  Tag.PlanePositionVolumeSequence,
  Tag.ImagePositionVolume,
  Tag.PlaneOrientationVolumeSequence,
  Tag.ImageOrientationVolume,
  Tag.PlanePositionSlideSequence,
  Tag.PixelMeasuresSequence,
  Tag.PixelSpacing,
  Tag.SliceThickness,
  Tag.SpacingBetweenSlices,
  ...SLIDE_MATRIX_TAGS_IN_ITEMS,
];

/** Reads the positions of all frames of an object, and no other values. Call it in a worker thread. */
export function readGeometry(source: ByteSource, frameCount: number): FrameGeometry {
  const builder = new GeometryBuilder(frameCount);
  const options = { frameCount, wanted: GEOMETRY_TAGS, wantedInGroups: GEOMETRY_TAGS_IN_ITEMS };
  for (const attributes of eachFrame(source, options)) builder.take(attributes);
  return builder.build();
}
