import type { DecodeCost } from '../../../images/pixels/frameTasks.ts';
import type { RealWorldValues } from '../../../../shared/contract/valueMapping.ts';
import type { RegionStatistics } from '../../../../shared/regionStatistics.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { MarkToDraw } from '../volumes/markVolumeTasks.ts';

export type MeasureMarkInput = {
  readonly mark: MarkToDraw;
  readonly rows: number;
  readonly columns: number;
  /** The frames to measure, of those that the mark is on. */
  readonly frames: readonly FrameToMeasure[];
  /** What makes the values out of modality values, if no mapping does out of stored ones. */
  readonly line: Line;
  /** The place of the first of the frames among those of the mark. With the first, the whole shape is measured too. */
  readonly first: number;
};

export type FrameToMeasure = {
  readonly file: number;
  readonly frame: number;
  readonly source: KnownSource;
  readonly mapping: RealWorldValues | undefined;
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
  /** About these sizes. */
  readonly caveats: readonly string[];
};

export const measureMarkTask = defineTask<MeasureMarkInput, MeasuredMark, DecodeCost>('marks.measureMark', {
  timeoutMs: (_, { timeoutMs }) => timeoutMs,
  bytes: ({ rows, columns }, { bytes }) => bytes + 9 * rows * columns,
});
