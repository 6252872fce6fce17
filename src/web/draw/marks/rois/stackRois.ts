import type { FileRecord } from '../../../../shared/contract/files.ts';
import { type FrameOrder, orderOf } from '../../../kit/state/frameOrder.ts';
import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import type { Roi } from './roi.ts';

/** A ROI with the data that a list shows. */
export type ListedRoi = {
  readonly file: FileRecord;
  readonly roi: Roi;
  /** Number among the ROIs of its file, from 1. */
  readonly number: number;
  /** Position in the stack of the first frame that the ROI is on, from 0. */
  readonly position: number;
  readonly order: FrameOrder;
};

/** The files of a stack, each once, with the stack position of each of their frames. */
export function positionsByFile({ frames }: ViewStack): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const files = new Map<number, Map<number, number>>();
  for (const [position, { fileIndex, frame }] of frames.entries()) {
    const known = files.get(fileIndex) ?? new Map<number, number>();
    files.set(fileIndex, known.set(frame, position));
  }
  return files;
}

/** All loaded ROIs of these files, in the order of the files, which for a stack is the scroll order. */
export function listRois(
  page: Page,
  stack: ViewStack,
  files: ReadonlyMap<number, readonly Roi[]>,
): readonly ListedRoi[] {
  const positions = positionsByFile(stack);
  return [...files].flatMap(([fileIndex, rois]) => {
    const file = findFile(page, fileIndex);
    if (file === undefined) return [];
    const own = positions.get(fileIndex);
    const [firstPosition = 0] = own?.values() ?? [];
    return rois.map((roi, i) => ({
      file,
      roi,
      number: i + 1,
      position: own?.get(roi.frames[0] ?? -1) ?? firstPosition,
      order: orderOf(stack, file),
    }));
  });
}
