import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import type { Page } from '../../../kit/state/page.ts';
import { hiddenMarksOf } from '../shapes/hiddenMarks.ts';
import { coversFrame, type Roi, roisOfFile } from './roi.ts';

/** The ROIs of the file that are drawn on this frame. */
export function roisOn(page: Page, { file, frame }: Pick<ShownFrame, 'file' | 'frame'>): readonly Roi[] {
  const { uids } = hiddenMarksOf(page).getState();
  return roisOfFile(page, file.index).filter((roi) => coversFrame(roi, frame) && !uids.has(roi.uid));
}
