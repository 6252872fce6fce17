import type { FileRecord } from '../../shared/contract/files.ts';
import { activateCell, cellsOfLayout, cellsStore, scrollTo, stackOfCell } from '../state/cells.ts';
import { findFile } from '../state/library.ts';
import { findPosition } from '../state/stacks.ts';
import { reportOf, type ViewportScreen } from '../state/viewports.ts';
import { pageRois } from './pageRois.ts';
import { coversFrame, type Roi } from './roi.ts';

/** The frame that a cell has on the screen, which a ROI would belong to. */
export type ShownFrame = {
  readonly file: FileRecord;
  /** Counts from 0. */
  readonly frame: number;
  readonly screen: ViewportScreen;
};

export function findShownFrame(cell: number): ShownFrame | undefined {
  const { shownPosition, screen } = reportOf(cell);
  const address = stackOfCell(cell)?.frames[shownPosition ?? -1];
  const file = findFile(address?.fileIndex);
  if (address === undefined || file === undefined || screen === undefined) return undefined;
  return { file, frame: address.frame, screen };
}

/** Those of the file's ROIs that are on this frame. */
export function roisOn({ file, frame }: Pick<ShownFrame, 'file' | 'frame'>): readonly Roi[] {
  const rois = pageRois.store.getState().files.get(file.index)?.rois ?? [];
  return rois.filter((roi) => coversFrame(roi, frame));
}

/** Scrolls to a frame of the file, in the active cell if its stack has it, else in another one that has it. */
export function showFrame(fileIndex: number, frame: number): void {
  const { activeCell, layout } = cellsStore.getState();
  for (const cell of [activeCell, ...cellsOfLayout(layout)]) {
    const stack = stackOfCell(cell);
    const position = stack && findPosition(stack, fileIndex, frame);
    if (position === undefined) continue;
    activateCell(cell);
    scrollTo(cell, position);
    return;
  }
}
