import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findShownFrame, showFrame } from '../../../show/pictures/shownFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import type { Rectangle } from '../../../kit/state/viewState.ts';
import { roisOf } from './roiFiles.ts';
import { coversFrame, type Roi, roisOfFile } from './roi.ts';
import { createMarkUid, selectMark } from '../sync/marks.ts';
import { addBoxInView, deleteSlideRoi, findSlideRoi } from './slideRoiActions.ts';

/** Adds a ROI and selects it. On which frames it is: as new ROIs are set. */
export function addRoi(page: Page, file: FileRecord, box: RoiBox, frame: number): void {
  const { index } = file;
  // The file's ROIs may not be loaded yet; the ROI is then added when they are.
  void roisOf(page).load(file);
  const uid = createMarkUid();
  const { newRoisOn } = roisOf(page).store.getState();
  const scope = newRoisOn ?? usualScopeOf(file);
  const frames = scope === 'frame' && isMultiFrame(file) ? [frame] : [];
  roisOf(page).edit(index, (rois) => [...rois, { uid, box, frames }], frame);
  selectMark(page, uid);
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

export type RoiAddress = { readonly fileIndex: number; readonly uid: string };

export function changeRoi(
  page: Page,
  { fileIndex, uid }: RoiAddress,
  change: Partial<Pick<Roi, 'box' | 'frames'>>,
  frame?: number,
): void {
  roisOf(page).edit(fileIndex, (rois) => rois.map((roi) => (roi.uid === uid ? { ...roi, ...change } : roi)), frame);
}

/** In one step of undo, except on the slide in the active cell, where a box may be several ROIs. */
export function deleteRois(page: Page, rois: readonly RoiAddress[]): void {
  const { activeCell } = cellsOf(page).getState();
  const { tiles } = reportOf(page, activeCell);
  const shown = findShownFrame(page, activeCell);
  const deleted = new Set<string>();
  for (const { uid } of rois) {
    const onSlide = tiles && findSlideRoi(page, tiles, uid);
    if (tiles === undefined || onSlide === undefined) deleted.add(uid);
    else deleteSlideRoi(page, tiles, onSlide);
  }
  const remaining = (list: readonly Roi[]) => list.filter(({ uid }) => !deleted.has(uid));
  const files = [...new Set(rois.flatMap(({ uid, fileIndex }) => (deleted.has(uid) ? fileIndex : [])))];
  const [first] = files;
  if (first === undefined) return;
  const all = roisOfFile(page, first).find(({ uid }) => deleted.has(uid));
  const frame = shown?.file.index === first ? shown.frame : (all?.frames[0] ?? 0);
  if (files.length === 1) roisOf(page).edit(first, remaining, frame);
  else {
    const changes = new Map(files.map((index) => [index, remaining(roisOfFile(page, index))]));
    roisOf(page).editTogether(changes, { fileIndex: first, frame });
  }
}

/** Selects a ROI and shows a frame that it is on. */
export function jumpToRoi(page: Page, fileIndex: number, roi: Roi): void {
  selectMark(page, roi.uid);
  const shown = findShownFrame(page, cellsOf(page).getState().activeCell);
  if (shown?.file.index === fileIndex && coversFrame(roi, shown.frame)) return;
  showFrame(page, fileIndex, roi.frames[0] ?? 0);
}
