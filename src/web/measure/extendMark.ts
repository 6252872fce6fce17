import { cellsOf } from '../state/cells.ts';
import { say } from '../state/messages.ts';
import type { Page } from '../state/page.ts';
import { findMeasuredFrame } from './measuredFrame.ts';
import type { Measurement } from './measurement.ts';
import { findSelectedMeasurement, keepMeasurement } from './measurements.ts';
import { extendTo, findRange } from './throughStack.ts';

/** The selected measurement, extended to the image in the active cell; undefined if that is not possible. */
export function findExtended(page: Page): Measurement | undefined {
  const item = findSelectedMeasurement(page);
  const shown = findMeasuredFrame(page, cellsOf(page).getState().activeCell);
  if (item === undefined || item.words?.locked === true || shown === undefined || shown.isWhole === true)
    return undefined;
  return extendTo(page, item, { fileIndex: shown.file.index, frame: shown.frame, cut: shown.cut });
}

export function extendSelected(page: Page): void {
  const extended = findExtended(page);
  if (extended === undefined) return;
  keepMeasurement(page, extended);
  const range = findRange(page, extended);
  if (range !== undefined) say(page, `The mark goes through the images ${range.from + 1} to ${range.to + 1}`);
}
