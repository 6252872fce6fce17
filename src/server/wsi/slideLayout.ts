import type { SlideMatrix } from '../geometry/slideMatrix.ts';
import type { KnownSource } from '../origins/origins.ts';
import { defineTask } from '../workers/task.ts';

/** How the frames of one slide image are laid out over its total pixel matrix. */
export type SlideLayout = Pick<SlideMatrix, 'tiling' | 'totalRows' | 'totalColumns' | 'frameOffset'> & {
  readonly tileRows: number;
  readonly tileColumns: number;
  readonly opticalPathCount: number;
  readonly focalPlaneCount: number;
  /** Identifiers of the Optical Path Sequence, in its order; `''` where an item has none. */
  readonly opticalPathIdentifiers: readonly string[];
  /** As `opticalPathIdentifiers`. */
  readonly opticalPathDescriptions: readonly string[];
  /** As `opticalPathIdentifiers`: Objective Lens Power, such as 40; NaN where an item does not say. */
  readonly objectivePowers: readonly number[];
  /** As `opticalPathIdentifiers`: Illumination Wave Length in nanometres; NaN where an item does not say. */
  readonly wavelengthsNm: readonly number[];
  readonly firstFocalPlaneUm: number;
  readonly focalPlaneDistanceUm: number | undefined;
  /** Recommended Absent Pixel CIELab Value: what is drawn where there is no tile. */
  readonly absentPixelCielab: readonly [number, number, number] | undefined;
  /** Where the file says it frame by frame. */
  readonly frames: DeclaredFrames | undefined;
};

/** Columns, one entry a frame; NaN where a frame does not say. */
export type DeclaredFrames = {
  /** Of the top left sample in the total pixel matrix, from 0. */
  readonly x: Float64Array<ArrayBuffer>;
  readonly y: Float64Array<ArrayBuffer>;
  /** Z Offset in Slide Coordinate System, in micrometres. */
  readonly z: Float64Array<ArrayBuffer>;
  /** Each Z offset once, ascending. */
  readonly focalPlanesUm: readonly number[];
  /** For each frame which of `pathNames`; -1 for none. */
  readonly pathOf: Int16Array<ArrayBuffer>;
  readonly pathNames: readonly string[];
};

export type SlideLayoutInput = {
  readonly source: KnownSource;
  readonly frameCount: number;
};

export const readSlideLayoutTask = defineTask<SlideLayoutInput, SlideLayout>('wsi.readSlideLayout');
