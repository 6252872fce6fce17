import { fetchSegmentStatistics } from '../../../kit/api/segmentations.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { createFileAnswers } from '../fileAnswers.ts';

/** Of each segmentation: the sizes of its segments. */
export const statisticsOf = definePart((page) => createFileAnswers(page, fetchSegmentStatistics));

/** The first and last frame of each segment. */
export async function listFilledFrames(page: Page, fileIndex: number): Promise<readonly number[] | undefined> {
  const counted = await statisticsOf(page).load(fileIndex);
  return counted?.segments.flatMap(({ first_frame, last_frame }) => [first_frame ?? [], last_frame ?? []].flat());
}
