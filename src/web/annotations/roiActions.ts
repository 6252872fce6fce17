import type { RoiBox } from '../../shared/contract/annotations.ts';
import type { FileRecord } from '../../shared/contract/files.ts';
import { cellsStore } from '../state/cells.ts';
import { findFile } from '../state/library.ts';
import { findShownFrame, showFrame, showTile } from '../state/shownFrame.ts';
import { reportOf } from '../state/viewports.ts';
import type { Rectangle } from '../state/viewState.ts';
import { pageRois } from './pageRois.ts';
import { coversFrame, type Roi } from './roi.ts';
import type { RoiSelection } from './roiState.ts';
import type { TileBox } from './tileBoxes.ts';

/** Adds a ROI and selects it. It is on all frames unless it shall be on this one only. */
export function addRoi(file: FileRecord, box: RoiBox, frame: number): void {
  const { index } = file;
  // Nothing may be known of its file yet: then the ROI is added when it is.
  void pageRois.load(file);
  const id = pageRois.createId();
  const { newRoisOn } = pageRois.store.getState();
  const isMultiFrame = (findFile(index)?.frame_count ?? 1) > 1;
  const frames = newRoisOn === 'frame' && isMultiFrame ? [frame] : [];
  pageRois.edit(index, (rois) => [...rois, { id, box, frames }], frame);
  pageRois.select({ fileIndex: index, id });
}

/** Adds a ROI on each of these tiles, as one step for each file, and selects the last. */
export function addTileRois(boxes: readonly TileBox[]): void {
  for (const [fileIndex, own] of groupByFile(boxes)) {
    const isMultiFrame = (findFile(fileIndex)?.frame_count ?? 1) > 1;
    const added = own.map(({ frame, box }) => ({
      id: pageRois.createId(),
      box,
      frames: isMultiFrame ? [frame] : [],
    }));
    pageRois.edit(fileIndex, (rois) => [...rois, ...added], own[0]?.frame);
    const last = added.at(-1);
    if (last !== undefined) pageRois.select({ fileIndex, id: last.id });
  }
}

function groupByFile(boxes: readonly TileBox[]): ReadonlyMap<number, readonly TileBox[]> {
  const groups = new Map<number, TileBox[]>();
  for (const box of boxes) groups.set(box.fileIndex, [...(groups.get(box.fileIndex) ?? []), box]);
  return groups;
}

/** For hands without a mouse: a box in the middle of the image on the active cell, half as wide and high. */
export function addRoiInMiddle(): void {
  const { activeCell } = cellsStore.getState();
  const shown = findShownFrame(activeCell);
  if (shown === undefined) {
    addRoiOnTile(activeCell);
    return;
  }
  const { rows, columns } = shown.file;
  addRoi(shown.file, middleOf({ x: 0, y: 0, width: columns, height: rows }), shown.frame);
}

/** Of a slide, on the tile in the middle of the view. */
function addRoiOnTile(cell: number): void {
  const { tiles } = reportOf(cell);
  if (tiles === undefined) return;
  const { x, y, width, height } = tiles.visible;
  const [tile] = tiles.find({ x: x + width / 2, y: y + height / 2, width: 1, height: 1 });
  if (tile !== undefined) addTileRois([{ ...tile, box: middleOf(tile.part) }]);
}

function middleOf({ x, y, width, height }: Rectangle): RoiBox {
  const [ymin, xmin] = [y + Math.floor(height / 4), x + Math.floor(width / 4)];
  return [ymin, xmin, y + height - (ymin - y), x + width - (xmin - x)];
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
  const { activeCell } = cellsStore.getState();
  const [ymin, xmin, ymax, xmax] = roi.box;
  const middle = { x: (xmin + xmax) / 2, y: (ymin + ymax) / 2 };
  if (showTile(activeCell, { fileIndex, frame: roi.frames[0] ?? 0 }, middle)) return;
  const shown = findShownFrame(activeCell);
  if (shown?.file.index === fileIndex && coversFrame(roi, shown.frame)) return;
  showFrame(fileIndex, roi.frames[0] ?? 0);
}
