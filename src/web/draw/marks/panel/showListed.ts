import type { Page } from '../../../kit/state/page.ts';
import { showFrame } from '../../../show/pictures/shownFrame.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { type BrushMark, chooseBrushMark, stackOfMark } from '../masks/brushes.ts';
import { positionsOf } from '../masks/placeOfMask.ts';
import { jumpToRoi } from '../rois/roiActions.ts';
import { jumpToSlideRoi } from '../rois/slideRoiActions.ts';
import { centerOnSlide, showMark } from '../shapes/showMark.ts';
import { parseFrameKey } from '../sync/markForm.ts';
import { selectMark } from '../sync/marks.ts';
import type { ListedMark } from './useListedMarks.ts';

/** Selects a mark and shows the image that it is on. */
export function showListed(page: Page, mark: ListedMark): void {
  if (mark.type === 'shape') showMark(page, mark.item);
  else if (mark.type === 'roi') jumpToRoi(page, mark.file.index, mark.roi);
  else if (mark.type === 'box') jumpToSlideRoi(page, cellsOf(page).getState().activeCell, mark.box);
  else showMask(page, mark.mask);
}

/** The next stroke changes it. */
function showMask(page: Page, mask: BrushMark): void {
  const { uid, slices, slide } = mask;
  selectMark(page, uid);
  chooseBrushMark(page, uid);
  if (slide !== undefined) {
    const { fileIndex, step } = slide;
    const points = [...slices.values()].flatMap(({ left, top, width, height }) => [
      { x: left * step, y: top * step },
      { x: (left + width) * step, y: (top + height) * step },
    ]);
    if (!centerOnSlide(page, { fileIndex, points })) showFrame(page, fileIndex, 0);
    return;
  }
  const stack = stackOfMark(page, mask);
  const [middle] = stack === undefined ? [] : positionsOf(stack, slices.keys()).slice(Math.floor(slices.size / 2));
  if (middle === undefined) return;
  const { fileIndex, frame } = parseFrameKey(middle[1]);
  showFrame(page, fileIndex, frame);
}
