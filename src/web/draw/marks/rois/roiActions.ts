import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findShownFrame, showFrame } from '../../../show/pictures/shownFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import type { Rectangle } from '../../../kit/state/viewState.ts';
import { roisOf } from './roiFiles.ts';
import { coversFrame, type Roi } from './roi.ts';
import type { RoiSelection } from './roiState.ts';
import { addBoxInView, deleteSlideRoi, findSlideRoi } from './slideRoiActions.ts';

/** Adds a ROI and selects it. On which frames it is: as new ROIs are set. */
export function addRoi(page: Page, file: FileRecord, box: RoiBox, frame: number): void {
  const { index } = file;
  // The file's ROIs may not be loaded yet; the ROI is then added when they are.
  void roisOf(page).load(file);
  const id = roisOf(page).createId();
  const { newRoisOn } = roisOf(page).store.getState();
  const scope = newRoisOn ?? usualScopeOf(file);
  const frames = scope === 'frame' && isMultiFrame(file) ? [frame] : [];
  roisOf(page).edit(index, (rois) => [...rois, { id, box, frames }], frame);
  roisOf(page).select({ fileIndex: index, id });
}

/** What is at a place in one frame of a video is elsewhere in the next. */
export function usualScopeOf({ object_kind }: FileRecord): 'all' | 'frame' {
  return object_kind === 'video' ? 'frame' : 'all';
}

/**
 * Adds a ROI without a mouse: a box in the middle of the image in the active cell, half as wide and high as the image.
 */
export function addRoiInMiddle(page: Page): void {
  const { activeCell } = cellsOf(page).getState();
  const shown = findShownFrame(page, activeCell);
  const { tiles } = reportOf(page, activeCell);
  if (tiles !== undefined) addBoxInView(page, tiles);
  if (shown === undefined) return;
  const { rows, columns } = shown.file;
  addRoi(page, shown.file, middleOf({ x: 0, y: 0, width: columns, height: rows }), shown.frame);
}

function middleOf({ x, y, width, height }: Rectangle): RoiBox {
  const [ymin, xmin] = [y + Math.floor(height / 4), x + Math.floor(width / 4)];
  return [ymin, xmin, y + height - (ymin - y), x + width - (xmin - x)];
}

export function changeRoi(
  page: Page,
  { fileIndex, id }: RoiSelection,
  change: Partial<Pick<Roi, 'box' | 'frames'>>,
  frame?: number,
): void {
  roisOf(page).edit(fileIndex, (rois) => rois.map((roi) => (roi.id === id ? { ...roi, ...change } : roi)), frame);
}

export function deleteRoi(page: Page, { fileIndex, id }: RoiSelection, frame?: number): void {
  roisOf(page).edit(fileIndex, (rois) => rois.filter((roi) => roi.id !== id), frame);
}

export function deleteSelected(page: Page): void {
  const { selection } = roisOf(page).store.getState();
  const { activeCell } = cellsOf(page).getState();
  const { tiles } = reportOf(page, activeCell);
  const onSlide = tiles && findSlideRoi(page, tiles, selection?.id);
  if (tiles !== undefined && onSlide !== undefined) {
    deleteSlideRoi(page, tiles, onSlide);
    return;
  }
  const shown = findShownFrame(page, activeCell);
  if (selection !== undefined)
    deleteRoi(page, selection, shown?.file.index === selection.fileIndex ? shown.frame : undefined);
}

/** Selects a ROI and shows a frame that it is on. */
export function jumpToRoi(page: Page, fileIndex: number, roi: Roi): void {
  roisOf(page).select({ fileIndex, id: roi.id });
  const shown = findShownFrame(page, cellsOf(page).getState().activeCell);
  if (shown?.file.index === fileIndex && coversFrame(roi, shown.frame)) return;
  showFrame(page, fileIndex, roi.frames[0] ?? 0);
}
