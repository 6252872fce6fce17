import type { SegmentationResponse } from '../../../shared/contract/segmentations.ts';
import { fetchSegmentation, fetchSegmentStatistics } from '../../api/segmentations.ts';
import { definePart } from '../../state/page.ts';
import { setLayerTargets } from '../../state/layers.ts';
import { createFileAnswers } from './fileAnswers.ts';

/** Of each segmentation: its segments, and the images it lies over. */
export const summariesOf = definePart((page) => {
  const summaries = createFileAnswers(page, fetchSegmentation);
  // The address contains a segmentation only if it lies over what is shown.
  summaries.changes.subscribe(() =>
    setLayerTargets(
      page,
      new Map([...summaries.all()].map(([index, summary]) => [index, new Set(sourcesOf(summary).keys())])),
    ),
  );
  return summaries;
});
/** Of each segmentation: the sizes of its segments. */
export const statisticsOf = definePart((page) => createFileAnswers(page, fetchSegmentStatistics));

/** Whether the segmentation has masks over a frame of an image. */
export function hasMasks(summary: SegmentationResponse, fileIndex: number, frame: number): boolean {
  return sourcesOf(summary).get(fileIndex)?.has(frame) === true;
}

/** The frames that the segmentation lies over, by file. */
export function sourcesOf(summary: SegmentationResponse): ReadonlyMap<number, ReadonlySet<number>> {
  const known = indexed.get(summary);
  if (known !== undefined) return known;
  const built = new Map(summary.sources.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)]));
  indexed.set(summary, built);
  return built;
}

const indexed = new WeakMap<SegmentationResponse, ReadonlyMap<number, ReadonlySet<number>>>();
