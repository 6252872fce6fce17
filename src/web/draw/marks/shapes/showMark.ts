import { cellOf, cellsOf, setView } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { openPlaneOf } from '../../../show/pictures/pictureKinds.ts';
import { showCut, showFrame } from '../../../show/pictures/shownFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import type { Measurement } from './measurement.ts';
import { selectMark } from '../sync/marks.ts';
import { showBox } from './showBox.ts';

/** Selects a measurement and shows the image that it is on. */
export function showMark(page: Page, item: Measurement): void {
  const { uid, place, fileIndex, frame } = item;
  selectMark(page, uid);
  if (place.type === 'volume') showBox(page, item, place.box);
  else if (place.type === 'plane') void openPlaneOf(page, item, place.grid);
  else if (place.type === 'cut') showCut(page, place.cut);
  else if (place.type !== 'slide' || !centerOnSlide(page, item)) showFrame(page, fileIndex, frame);
}

/** Centers the slide in the active cell on these points; false if the cell shows something else. */
export function centerOnSlide(page: Page, { fileIndex, points }: Pick<Measurement, 'fileIndex' | 'points'>): boolean {
  const { activeCell } = cellsOf(page).getState();
  const { tiles, screen } = reportOf(page, activeCell);
  if (screen === undefined || tiles?.fileIndices.includes(fileIndex) !== true) return false;
  const center = { x: middleOf(points.map(({ x }) => x)), y: middleOf(points.map(({ y }) => y)) };
  setView(page, activeCell, { ...cellOf(page, activeCell).view, zoom: screen.zoom, center });
  return true;
}

function middleOf(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}
