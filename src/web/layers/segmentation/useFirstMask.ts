import { useEffect } from 'react';
import type { SegmentStatisticsResponse } from '../../../shared/contract/segmentations.ts';
import { cellOf, scrollTo, stackOfCell, useCells } from '../../state/cells.ts';
import { usePage } from '../../state/page.ts';
import { findPosition, type ViewStack } from '../../state/stacks.ts';
import { useOwnSegmentation } from './stackSegmentations.ts';
import { statisticsOf } from './summaries.ts';

/** A segmentation shown by itself starts at its first frame with a mask, unless the user has scrolled. */
export function useFirstMask(cell: number): void {
  const page = usePage();
  const fileIndex = useOwnSegmentation(cell)?.index;
  const isAtStart = useCells(({ cells }) => cells[cell]?.isAtStart === true);
  useEffect(() => {
    if (fileIndex === undefined || !isAtStart) return undefined;
    let isWanted = true;
    const go = async () => {
      const counted = await statisticsOf(page).load(fileIndex);
      const stack = stackOfCell(page, cell);
      // Only if the user has not scrolled since; the stack may have been sorted in the meantime.
      if (!isWanted || counted === undefined || stack === undefined || !cellOf(page, cell).isAtStart) return;
      const position = findFirstMask(stack, counted);
      if (position !== undefined) scrollTo(page, cell, position);
    };
    void go();
    return () => {
      isWanted = false;
    };
  }, [page, cell, fileIndex, isAtStart]);
}

/** In the order of the stack, which may run opposite to that of the frames. */
function findFirstMask(stack: ViewStack, { file_index, segments }: SegmentStatisticsResponse): number | undefined {
  const positions = segments
    .flatMap(({ first_frame, last_frame }) => [first_frame ?? [], last_frame ?? []].flat())
    .flatMap((frame) => findPosition(stack, file_index, frame) ?? []);
  return positions.length === 0 ? undefined : Math.min(...positions);
}
