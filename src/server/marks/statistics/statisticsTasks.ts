import type { RegionStatistics } from '../../../shared/regionStatistics.ts';
import type { KnownSource } from '../../origins/origins.ts';
import { defineTask } from '../../workers/task.ts';
import type { MarkToDraw } from '../volumes/markVolumeTasks.ts';

export type MeasureMarkInput = {
  readonly mark: MarkToDraw;
  readonly rows: number;
  readonly columns: number;
  /** The frames to measure, of those that the mark is on. */
  readonly frames: readonly { readonly file: number; readonly frame: number; readonly source: KnownSource }[];
  /** The place of the first of them among the frames of the mark. With the first, the whole shape is measured too. */
  readonly first: number;
};

export type MeasuredMark = {
  readonly statistics: RegionStatistics;
  /** Pixels inside on each of the frames, whether they have a value or not. */
  readonly pixels: readonly number[];
  /** Of these pixels, NaN if sizes or places are not known. */
  readonly pixelsAreaMm2: number;
  readonly pixelsVolumeMl: number;
  /** Of the shape as drawn. */
  readonly areaMm2?: number | undefined;
  readonly volumeMl?: number | undefined;
};

export const measureMarkTask = defineTask<MeasureMarkInput, MeasuredMark>('marks.measureMark');
