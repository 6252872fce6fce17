import type { RoiBox } from '../../shared/contract/annotations.ts';
import type { FileRecord } from '../../shared/contract/files.ts';
import { cellsStore } from '../state/cells.ts';
import { findFile } from '../state/library.ts';
import { pageRois } from './pageRois.ts';
import { coversFrame, type Roi } from './roi.ts';
import type { RoiEdit } from './roiHistory.ts';
import type { RoiSelection } from './roiState.ts';
import { findShownFrame, showFrame } from './shownFrame.ts';

/** Adds a ROI and selects it. It is on all frames unless it shall be on this one only. */
export function addRoi({ index }: FileRecord, box: RoiBox, frame: number): void {
  const id = pageRois.createId();
  const { newRoisOn } = pageRois.store.getState();
  const isMultiFrame = (findFile(index)?.frame_count ?? 1) > 1;
  const frames = newRoisOn === 'frame' && isMultiFrame ? [frame] : [];
  pageRois.edit(index, (rois) => [...rois, { id, box, frames }], frame);
  pageRois.select({ fileIndex: index, id });
}

/** For hands without a mouse: a box in the middle of the image on the active cell, half as wide and high. */
export function addRoiInMiddle(): void {
  const shown = findShownFrame(cellsStore.getState().activeCell);
  if (shown === undefined) return;
  const { rows, columns } = shown.file;
  const [ymin, xmin] = [Math.floor(rows / 4), Math.floor(columns / 4)];
  addRoi(shown.file, [ymin, xmin, rows - ymin, columns - xmin], shown.frame);
}

export function changeRoi(
  { fileIndex, id }: RoiSelection,
  change: Partial<Pick<Roi, 'box' | 'frames'>>,
  frame?: number,
): void {
  pageRois.edit(fileIndex, (rois) => rois.map((roi) => (roi.id === id ? { ...roi, ...change } : roi)), frame);
}

export function deleteRoi({ fileIndex, id }: RoiSelection, frame?: number): void {
  pageRois.edit(fileIndex, (rois) => rois.filter((roi) => roi.id !== id), frame);
}

export function deleteSelected(): void {
  const { selection } = pageRois.store.getState();
  const shown = findShownFrame(cellsStore.getState().activeCell);
  if (selection !== undefined)
    deleteRoi(selection, shown?.file.index === selection.fileIndex ? shown.frame : undefined);
}

/** Selects a ROI and shows a frame that it is on. */
export function jumpToRoi(fileIndex: number, roi: Roi): void {
  pageRois.select({ fileIndex, id: roi.id });
  const shown = findShownFrame(cellsStore.getState().activeCell);
  if (shown?.file.index === fileIndex && coversFrame(roi, shown.frame)) return;
  showFrame(fileIndex, roi.frames[0] ?? 0);
}

export function undo(): void {
  showEdit(pageRois.undo());
}

export function redo(): void {
  showEdit(pageRois.redo());
}

/** Whoever takes a step back wants to see what it changed. */
function showEdit(edit: RoiEdit | undefined): void {
  if (edit === undefined) return;
  const shown = findShownFrame(cellsStore.getState().activeCell);
  const frame = edit.frame ?? 0;
  const isSeen = shown?.file.index === edit.fileIndex && changedRois(edit).some((roi) => coversFrame(roi, shown.frame));
  if (!isSeen) showFrame(edit.fileIndex, frame);
}

function changedRois({ before, after }: RoiEdit): readonly Roi[] {
  return [...before.filter((roi) => !after.includes(roi)), ...after.filter((roi) => !before.includes(roi))];
}
