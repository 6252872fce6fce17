import { buildImagePlane } from '../../shared/geometry.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import { type KnownFile, withSameFile } from '../dicom/openSameFile.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import type { ReadFilter } from '../dicom/readPlan.ts';
import * as Tag from '../dicom/tag.ts';
import { createPlaneColumns, type PlaneColumns, putPlane } from './planeColumns.ts';
import { createSlidePlanes, SLIDE_PLANE_TAGS } from './slidePlanes.ts';

/** Where the frames of one object lie. */
export type FramePlanes = {
  readonly planes: PlaneColumns;
  readonly frameOfReferenceUid: string | undefined;
  /** How far a frame may lie from another plane and still be in it. */
  readonly toleranceMm: Float64Array;
};

/** Tags that `buildFramePlanes` asks for, at any depth. */
export const FRAME_PLANE_TAGS: readonly number[] = [
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
  Tag.PlanePositionSequence,
  Tag.PlaneOrientationSequence,
  Tag.PixelMeasuresSequence,
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.PixelSpacing,
  Tag.SliceThickness,
  Tag.SpacingBetweenSlices,
  Tag.FrameOfReferenceUID,
  Tag.Rows,
  Tag.Columns,
  ...SLIDE_PLANE_TAGS,
];

const LEAST_TOLERANCE_MM = 1e-3;
const TOLERANCE_OF_SPACING = 0.01;

/** Each frame's own functional group before the shared one before the top level, which holds for the first frame. */
export function buildFramePlanes(dataSet: DataSet, frameCount: number): FramePlanes {
  const shared = dataSet.items(Tag.SharedFunctionalGroupsSequence)[0];
  const perFrame = dataSet.items(Tag.PerFrameFunctionalGroupsSequence);
  const slide = createSlidePlanes(dataSet);
  const planes = createPlaneColumns(frameCount);
  const toleranceMm = new Float64Array(frameCount);
  for (let frame = 0; frame < frameCount; frame += 1) {
    const own = perFrame[frame];
    const find = (macro: number) => own?.items(macro)[0] ?? shared?.items(macro)[0];
    const measures = find(Tag.PixelMeasuresSequence) ?? dataSet;
    const position = find(Tag.PlanePositionSequence) ?? (frame === 0 ? dataSet : undefined);
    const orientation = find(Tag.PlaneOrientationSequence) ?? dataSet;
    const pixelSpacing = measures.numbers(Tag.PixelSpacing);
    const plane = buildImagePlane(
      position?.numbers(Tag.ImagePositionPatient),
      orientation.numbers(Tag.ImageOrientationPatient),
      pixelSpacing,
    );
    putPlane(planes, frame, plane ?? slide?.(frame, pixelSpacing, own));
    const spacingMm = measures.number(Tag.SpacingBetweenSlices) ?? measures.number(Tag.SliceThickness) ?? 0;
    toleranceMm[frame] = Math.max(LEAST_TOLERANCE_MM, TOLERANCE_OF_SPACING * Math.abs(spacingMm));
  }
  return { planes, frameOfReferenceUid: dataSet.string(Tag.FrameOfReferenceUID), toleranceMm };
}

/** Reads no value but those that say where the frames lie. */
export function readFramePlanes(file: KnownFile, frameCount: number): FramePlanes {
  return withSameFile(file, (source) => {
    const { dataSet } = readDicom(source, { until: Tag.FloatPixelData, filter: FILTER, measure: false });
    return buildFramePlanes(dataSet, frameCount);
  });
}

const WANTED: ReadonlySet<number> = new Set(FRAME_PLANE_TAGS);
const FILTER: ReadFilter = { element: (_depth, tag) => WANTED.has(tag), item: () => true };
