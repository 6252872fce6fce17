import type { SegmentationResponse } from '../../shared/contract/segmentations.ts';
import { fetchSegmentation, fetchSegmentStatistics } from '../api/segmentations.ts';
import { definePart } from '../state/page.ts';
import { setSegmentationSources } from '../state/segmentations.ts';
import { createFileAnswers } from './fileAnswers.ts';

/** Of each segmentation: its segments, and where it lies. */
export const summariesOf = definePart((page) => {
  const summaries = createFileAnswers(page, fetchSegmentation);
  // The address names a segmentation only where it lies over what is shown.
  summaries.changes.subscribe(() =>
    setSegmentationSources(
      new Map([...summaries.all()].map(([index, summary]) => [index, new Set(sourcesOf(summary).keys())])),
    ),
  );
  return summaries;
});
/** Of each segmentation: how large its segments are. */
export const statisticsOf = definePart((page) => createFileAnswers(page, fetchSegmentStatistics));

/** Whether it has anything over a frame of an image. */
export function hasMasks(summary: SegmentationResponse, fileIndex: number, frame: number): boolean {
  return sourcesOf(summary).get(fileIndex)?.has(frame) === true;
}

/** By file, the frames that it lies over. */
export function sourcesOf(summary: SegmentationResponse): ReadonlyMap<number, ReadonlySet<number>> {
  const known = indexed.get(summary);
  if (known !== undefined) return known;
  const built = new Map(summary.sources.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)]));
  indexed.set(summary, built);
  return built;
}

const indexed = new WeakMap<SegmentationResponse, ReadonlyMap<number, ReadonlySet<number>>>();
