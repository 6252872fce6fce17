import { readingTask } from '../../standard/dicom/readCost.ts';
import type { SlideMatrix } from '../../standard/geometry/slideMatrix.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';

/** How the frames of one slide image are arranged in its total pixel matrix. */
export type SlideLayout = Pick<SlideMatrix, 'tiling' | 'totalRows' | 'totalColumns' | 'frameOffset'> & {
  readonly tileRows: number;
  readonly tileColumns: number;
  readonly opticalPathCount: number;
  readonly focalPlaneCount: number;
  /** Identifiers of the Optical Path Sequence, in its order; `''` if an item has none. */
  readonly opticalPathIdentifiers: readonly string[];
  /** In the order of `opticalPathIdentifiers`. */
  readonly opticalPathDescriptions: readonly string[];
  /** In the order of `opticalPathIdentifiers`: Objective Lens Power, such as 40; NaN if an item does not declare it. */
  readonly objectivePowers: readonly number[];
  /**
   * In the order of `opticalPathIdentifiers`: Illumination Wave Length in nanometres; NaN if an item does not declare
   * it.
   */
  readonly wavelengthsNm: readonly number[];
  readonly firstFocalPlaneUm: number;
  readonly focalPlaneDistanceUm: number | undefined;
  /** Recommended Absent Pixel CIELab Value: the colour drawn where there is no tile. */
  readonly absentPixelCielab: readonly [number, number, number] | undefined;
  /** Only if the file declares positions frame by frame. */
  readonly frames: DeclaredFrames | undefined;
};

/** Columns, one entry per frame; NaN if a frame does not declare the value. */
export type DeclaredFrames = {
  /** Position of the top left sample in the total pixel matrix, from 0. */
  readonly x: Float64Array<ArrayBuffer>;
  readonly y: Float64Array<ArrayBuffer>;
  /** Z Offset in Slide Coordinate System, in micrometres. */
  readonly z: Float64Array<ArrayBuffer>;
  /** The distinct Z offsets, ascending. */
  readonly focalPlanesUm: readonly number[];
  /** For each frame the index in `pathNames`; -1 for none. */
  readonly pathOf: Int16Array<ArrayBuffer>;
  readonly pathNames: readonly string[];
};

export type SlideLayoutInput = {
  readonly source: KnownSource;
  readonly frameCount: number;
};

export const readSlideLayoutTask = readingTask<SlideLayoutInput, SlideLayout>('wsi.readSlideLayout', 30_000);
