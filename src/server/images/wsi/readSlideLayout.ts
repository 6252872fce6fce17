import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { readFrameGroups } from '../../standard/dicom/readFrameGroups.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { type OpenSource, withSame } from '../../bytes/origins/origins.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { readSlideMatrix } from '../../standard/geometry/slideMatrix.ts';
import type { DeclaredFrames, SlideLayout, SlideLayoutInput } from './slideLayout.ts';

/** Maximum number of Z offsets of a slide, whatever it declares; further planes are not distinguished. */
const MOST_FOCAL_PLANES = 1024;

/** Reads the functional groups of all frames only if the file declares a position for each. */
export function readSlideLayout({ source, frameCount }: SlideLayoutInput): SlideLayout {
  return withSame(source, (opened) => {
    const { dataSet } = readDicom(opened, { until: Tag.FloatPixelData, filter: NO_FRAMES });
    const layout = buildLayout(dataSet);
    const isRaster = layout.tiling === 'full' && layout.totalRows !== undefined && layout.totalColumns !== undefined;
    return { ...layout, frames: isRaster ? undefined : readDeclaredFrames(opened, frameCount) };
  });
}

/** Everything except the per-frame functional groups. */
const NO_FRAMES = {
  element: (depth: number, tag: number) => depth > 0 || tag !== Tag.PerFrameFunctionalGroupsSequence,
  item: (_depth: number, index: number) => index < MOST_OPTICAL_PATHS,
};
const MOST_OPTICAL_PATHS = 4096;

function buildLayout(dataSet: DataSet): Omit<SlideLayout, 'frames'> {
  const measures = dataSet.items(Tag.SharedFunctionalGroupsSequence)[0]?.items(Tag.PixelMeasuresSequence)[0];
  const spacingMm = measures?.number(Tag.SpacingBetweenSlices);
  const paths = dataSet.items(Tag.OpticalPathSequence);
  const [l, a, b] = dataSet.numbers(Tag.RecommendedAbsentPixelCIELabValue, 3);
  const origin = dataSet.items(Tag.TotalPixelMatrixOriginSequence)[0];
  const { tiling, totalRows, totalColumns, tileRows = 1, tileColumns = 1, frameOffset } = readSlideMatrix(dataSet);
  return {
    tiling,
    totalRows,
    totalColumns,
    tileRows,
    tileColumns,
    frameOffset,
    opticalPathCount: Math.min(positive(dataSet.number(Tag.NumberOfOpticalPaths)) ?? 1, MOST_OPTICAL_PATHS),
    focalPlaneCount: Math.min(positive(dataSet.number(Tag.TotalPixelMatrixFocalPlanes)) ?? 1, MOST_FOCAL_PLANES),
    opticalPathIdentifiers: paths.map((path) => path.string(Tag.OpticalPathIdentifier) ?? ''),
    opticalPathDescriptions: paths.map((path) => path.string(Tag.OpticalPathDescription) ?? ''),
    objectivePowers: paths.map((path) => positive(path.number(Tag.ObjectiveLensPower)) ?? NaN),
    wavelengthsNm: paths.map((path) => positive(path.number(Tag.IlluminationWaveLength)) ?? NaN),
    firstFocalPlaneUm: origin?.number(Tag.ZOffsetInSlideCoordinateSystem) ?? 0,
    focalPlaneDistanceUm: spacingMm === undefined ? undefined : spacingMm * 1000,
    absentPixelCielab: l === undefined || a === undefined || b === undefined ? undefined : [l, a, b],
  };
}

const IN_GROUPS = [
  Tag.PlanePositionSlideSequence,
  Tag.ColumnPositionInTotalImagePixelMatrix,
  Tag.RowPositionInTotalImagePixelMatrix,
  Tag.ZOffsetInSlideCoordinateSystem,
  Tag.OpticalPathIdentificationSequence,
  Tag.OpticalPathIdentifier,
];

function readDeclaredFrames(source: OpenSource, frameCount: number): DeclaredFrames {
  const x = new Float64Array(frameCount).fill(NaN);
  const y = new Float64Array(frameCount).fill(NaN);
  const z = new Float64Array(frameCount).fill(NaN);
  const pathOf = new Int16Array(frameCount).fill(-1);
  /** Of each name of an optical path: its number. */
  const paths = new Map<string, number>();
  const focalPlanes = new Set<number>();
  for (const groups of readFrameGroups(source, { frameCount, wanted: [], wantedInGroups: IN_GROUPS })) {
    // A file with one frame may have everything in the shared functional groups.
    const frames = groups.frames.length === 0 && groups.shared !== undefined ? [groups.shared] : groups.frames;
    for (const [at, own] of frames.entries()) {
      const frame = groups.firstFrame + at;
      const place = findItem(Tag.PlanePositionSlideSequence, own, groups.shared);
      // DICOM counts the samples of the matrix from 1.
      x[frame] = (place?.number(Tag.ColumnPositionInTotalImagePixelMatrix) ?? NaN) - 1;
      y[frame] = (place?.number(Tag.RowPositionInTotalImagePixelMatrix) ?? NaN) - 1;
      const height = place?.number(Tag.ZOffsetInSlideCoordinateSystem) ?? NaN;
      z[frame] = height;
      if (!Number.isNaN(height) && focalPlanes.size < MOST_FOCAL_PLANES) focalPlanes.add(height);
      const name = findItem(Tag.OpticalPathIdentificationSequence, own, groups.shared)?.string(
        Tag.OpticalPathIdentifier,
      );
      if (name !== undefined) pathOf[frame] = placeOf(paths, name);
    }
  }
  return { x, y, z, focalPlanesUm: [...focalPlanes].toSorted((a, b) => a - b), pathOf, pathNames: [...paths.keys()] };
}

function findItem(macro: number, own: DataSet, shared: DataSet | undefined): DataSet | undefined {
  return own.items(macro)[0] ?? shared?.items(macro)[0];
}

function placeOf(paths: Map<string, number>, name: string): number {
  const known = paths.get(name);
  if (known !== undefined) return known;
  if (paths.size >= MOST_OPTICAL_PATHS) return -1;
  paths.set(name, paths.size);
  return paths.size - 1;
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}
