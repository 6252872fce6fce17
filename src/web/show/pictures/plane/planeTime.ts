import type { Page } from '../../../kit/state/page.ts';
import { setVolumeTime } from '../volumeTimes.ts';
import { findMip, findPlane } from './changePlane.ts';

/** Sets the time of the volume of a cell, in all cells that show it. */
export function setTime(page: Page, cell: number, time: number): void {
  const shown = findPlane(page, cell) ?? findMip(page, cell);
  if (shown !== undefined) setVolumeTime(page, shown.volume, time);
}

/** The next time, or the one before; the first follows the last. */
export function stepTime(page: Page, cell: number, step: 1 | -1): void {
  const shown = findPlane(page, cell) ?? findMip(page, cell);
  if (shown === undefined) return;
  const count = shown.volume.times.length;
  setVolumeTime(page, shown.volume, (shown.spec.time + step + count) % count);
}
