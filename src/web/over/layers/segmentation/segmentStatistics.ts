import { fetchSegmentStatistics } from '../../../kit/api/segmentations.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { createFileAnswers } from '../fileAnswers.ts';
import type { LayerFrame } from '../layerClient.ts';

/** Of each segmentation: the sizes of its segments. */
export const statisticsOf = definePart((page) => createFileAnswers(page, fetchSegmentStatistics));

/** The first and last frame of each segment. */
export async function listFilledFrames(page: Page, fileIndex: number): Promise<readonly number[] | undefined> {
  const counted = await statisticsOf(page).load(fileIndex);
  return counted?.segments.flatMap(({ first_frame, last_frame }) => [first_frame ?? [], last_frame ?? []].flat());
}

/** The image over which there are most voxels. */
export async function findFullest(page: Page, fileIndex: number): Promise<LayerFrame | undefined> {
  const fullest = (await statisticsOf(page).load(fileIndex))?.fullest_source ?? undefined;
  return fullest && { fileIndex: fullest.file_index, frame: fullest.frame_index };
}
