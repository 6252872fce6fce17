import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { CostFactors } from '../../../standard/dicom/readCost.ts';
import { decodeTimeoutMs } from '../../../images/pixels/decodeCost.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { explainTaskError } from '../../../images/pixels/explainTaskError.ts';
import { createKeptWork } from '../../../images/pixels/keptWork.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import type { LayerOptions } from '../layerProvider.ts';
import { maskBytesOf } from './maskPlacer.ts';
import { findMeaning, UNKNOWN_TYPE } from './segmentationContext.ts';
import type { Segmentations } from './segmentations.ts';
import { createSegmentTally, type SegmentAmount, type SourceFrameOf } from './segmentTally.ts';
import { FRAMES_PER_TASK, countSamplesTask, type SampleMeaning } from './segmentationTasks.ts';
import type { SliceSpacing } from '../../../standard/geometry/sliceSpacing.ts';

export type SegmentationStatistics = {
  readonly counts: 'voxels' | 'sum_of_fractions';
  readonly sliceSpacing: SliceSpacing;
  readonly segments: readonly SegmentAmount[];
  readonly fullest: SourceFrameOf | undefined;
  /** Number of truncated or damaged frames: their counts are incomplete or wrong. */
  readonly damagedFrames: number;
};

/** Computes the size of each segment of a segmentation, and its first and last frame. All frames are decoded once. */
export type SegmentCounter = (file: DicomFile, options: LayerOptions) => Promise<SegmentationStatistics>;

const BYTES_PER_SEGMENT = 512;
const SAMPLES_PER_TASK = 4 * 2 ** 20;
/** Limit on the counts of one task: a 16-bit frame can have a different label in each pixel. */
const MOST_COUNT_BYTES = 16 * 2 ** 20;
/** Frame, label and amount, first as numbers in lists and then as columns. */
const BYTES_PER_COUNT = 40;

export function createSegmentCounter({
  tasks,
  memory,
  segmentations,
}: {
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly segmentations: Segmentations;
}): SegmentCounter {
  const kept = createKeptWork<SegmentationStatistics>({
    cache: memory.cache('segmentStatistics'),
    bytesOf: ({ segments }) => segments.length * BYTES_PER_SEGMENT,
  });

  return async (file, { signal }) => {
    const mapped = await segmentations.map(file, { signal });
    const { state, record, isMask, sources } = mapped;
    const meaning = findMeaning(record, isMask);
    if (meaning === undefined) throw mappingUnavailable(UNKNOWN_TYPE);

    const count = async (aborted: AbortSignal): Promise<SegmentationStatistics> => {
      const tally = createSegmentTally(mapped);
      const known = file.source;
      const { framesPerTask, countBytes } = planCounting(file, meaning);
      const bytes = maskBytesOf(file, meaning, memory.plan.tasks);
      const of = { timeoutMs: decodeTimeoutMs(file), bytes: bytes + countBytes };
      for (let from = 0; from < record.frames.length; from += framesPerTask) {
        const to = Math.min(record.frames.length, from + framesPerTask);
        // Low priority, because statistics are less urgent than images.
        const options = {
          of,
          priority: 'prefetch',
          isAwaited: true,
          signal: aborted,
          key: `count ${state} ${from}`,
        } as const;
        const counted = tasks.run(countSamplesTask, { file: known, meaning, from, to }, options);
        const counts = await counted.catch((error: unknown) => {
          throw explainTaskError(error, from);
        });
        tally.add(counts);
      }
      return {
        counts: meaning.kind === 'fractions' ? 'sum_of_fractions' : 'voxels',
        sliceSpacing: record.frames.sliceSpacing,
        segments: tally.build(),
        fullest: tally.findFullest(),
        damagedFrames: tally.damagedFrames,
      };
    };

    // The source frames depend on which files are open.
    const key = `${state}\0${sources.map(({ index }) => index).join()}`;
    return (await kept.get(key, { signal }, count)).value;
  };
}

function planCounting({ rows, columns, bitsAllocated }: CostFactors, { kind }: SampleMeaning) {
  const labels = kind === 'labels' ? Math.min(rows * columns, bitsAllocated > 8 ? 65_536 : 256) : 1;
  const frameBytes = Math.max(1, labels) * BYTES_PER_COUNT;
  const most = Math.max(FRAMES_PER_TASK, Math.floor(SAMPLES_PER_TASK / (rows * columns)));
  const framesPerTask = Math.max(1, Math.min(most, Math.floor(MOST_COUNT_BYTES / frameBytes)));
  return { framesPerTask, countBytes: framesPerTask * frameBytes };
}
