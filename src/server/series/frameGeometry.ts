import type { FrameGeometry } from '../geometry/frameGeometry.ts';
import type { KnownSource } from '../origins/origins.ts';
import { defineTask } from '../workers/task.ts';
import type { FrameTraits } from './frameTraits.ts';

/** Where the frames of one file lie, and in which order they come where they lie in one place. Columns. */
export type RankedGeometry = FrameGeometry & {
  /** Place in the order of time and dimensions, equal for equal ones; NaN where the file declares none. */
  readonly ranks: Float64Array<ArrayBuffer>;
  readonly traits?: FrameTraits;
};

export type FrameGeometryInput = {
  readonly source: KnownSource;
  readonly frameCount: number;
};

export const readFrameGeometryTask = defineTask<FrameGeometryInput, RankedGeometry>('series.readFrameGeometry');
