import { readingTask } from '../../standard/dicom/readCost.ts';
import type { FrameGeometry } from '../../standard/geometry/frameGeometry.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { FrameTraits } from './frameTraits.ts';

/** Positions of the frames of one file, and the order of frames at the same position. Stored as columns. */
export type RankedGeometry = FrameGeometry & {
  /** Rank in the order of time and dimensions, equal for equal ones; NaN if the file declares none. */
  readonly ranks: Float64Array<ArrayBuffer>;
  readonly traits?: FrameTraits;
};

export type FrameGeometryInput = {
  readonly source: KnownSource;
  readonly frameCount: number;
};

export const readFrameGeometryTask = readingTask<FrameGeometryInput, RankedGeometry>(
  'series.readFrameGeometry',
  60_000,
);
