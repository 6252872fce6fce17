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
};

export type MeasuredMark = {
  readonly statistics: RegionStatistics;
  /** Pixels inside on each of the frames, whether they have a value or not. */
  readonly pixels: readonly number[];
};

export const measureMarkTask = defineTask<MeasureMarkInput, MeasuredMark>('marks.measureMark');
