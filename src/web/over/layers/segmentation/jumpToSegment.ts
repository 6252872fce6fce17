import type { SegmentStatistics } from '../../../../shared/contract/segmentations.ts';
import { cellsOf, stackOfCell } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { showFrame } from '../../../show/pictures/shownFrame.ts';
import { findPosition } from '../../../kit/state/stacks.ts';

/** Jumps to the first or last image, in the order of the stack, that contains part of a segment. */
export function jumpToSegment(
  page: Page,
  segmentation: number,
  counted: SegmentStatistics,
  end: 'first' | 'last',
): void {
  const stack = stackOfCell(page, cellsOf(page).getState().activeCell);
  const { first_source, last_source, first_frame, last_frame } = counted;
  const sources = [first_source, last_source].flatMap((source) => source ?? []);
  const own = [first_frame, last_frame].flatMap((frame) =>
    frame === null ? [] : [{ file_index: segmentation, frame_index: frame }],
  );
  const isOwn = stack?.fileIndex === segmentation || sources.length === 0;
  // A stack may run opposite to the order in which the server counted.
  const ends = (isOwn ? own : sources).toSorted((a, b) => {
    const [atA, atB] = [a, b].map(
      ({ file_index, frame_index }) => (stack && findPosition(stack, file_index, frame_index)) ?? 0,
    );
    return (atA ?? 0) - (atB ?? 0);
  });
  const place = ends.at(end === 'first' ? 0 : -1);
  if (place !== undefined) showFrame(page, place.file_index, place.frame_index);
}
