import { cellOf, type CellsState, cellsOf, cellsOfLayout, updateCell } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import { findTimedFrame, frameAtTime, isSameVolume, type TimedFrame } from '../../kit/state/timedFrames.ts';
import type { StackVolume } from '../../kit/state/volumes.ts';
import { pictureOf } from './pictureKinds.ts';
import type { PictureSource } from './pictureSource.ts';

/** Shows a time of a volume in all cells that show the volume, or its stored frames, except one. */
export function setVolumeTime(page: Page, volume: StackVolume, time: number, except?: number): void {
  const bounded = Math.min(Math.max(time, 0), volume.times.length - 1);
  for (const cell of cellsOfLayout(cellsOf(page).getState().layout)) {
    const source = cell === except ? undefined : pictureOf(page, cell);
    if (source === undefined) continue;
    const { timed } = source;
    if (timed !== undefined && isSameVolume(timed.volume, volume) && timed.time !== bounded)
      timed.setTime(cell, bounded);
    const { position } = cellOf(page, cell);
    const stored = timed === undefined ? timedFrameAt(page, source, position) : undefined;
    if (stored === undefined || !isSameVolume(stored.volume, volume)) continue;
    const next = positionAtTime(source, stored, bounded);
    if (next !== undefined && next !== position) updateCell(page, cell, { position: next, isAtStart: false });
  }
}

/**
 * The position in the place of `next` with the time of `current`: a stored stack that is led to another place stays at
 * its time. `next` for all other sources.
 */
export function keepTime(page: Page, source: PictureSource, current: number, next: number): number {
  const [from, to] = [timedFrameAt(page, source, current), timedFrameAt(page, source, next)];
  if (from === undefined || to?.volume !== from.volume || to.time === from.time) return next;
  return positionAtTime(source, to, from.time) ?? next;
}

/** The time of the stored frame that a cell shows, if it is one of the volume. */
export function timeInCell(page: Page, cell: number, volume: StackVolume): number | undefined {
  const source = pictureOf(page, cell);
  if (source?.timed !== undefined && isSameVolume(source.timed.volume, volume)) return source.timed.time;
  const stored = source && timedFrameAt(page, source, cellOf(page, cell).position);
  return stored !== undefined && isSameVolume(stored.volume, volume) ? stored.time : undefined;
}

/** Pictures of a volume go to the time of the stored frame to which the user scrolls. Returns a function that stops it. */
export function followTimes(page: Page): () => void {
  return cellsOf(page).subscribe((state, before) => follow(page, state, before));
}

function follow(page: Page, { cells, activeCell, layout }: CellsState, before: CellsState): void {
  const [cell, earlier] = [cells[activeCell], before.cells[activeCell]];
  if (cell === undefined || cell.position === earlier?.position || cell.pictureId !== earlier?.pictureId) return;
  const source = pictureOf(page, activeCell);
  const stored = source && timedFrameAt(page, source, cell.position);
  if (stored === undefined) return;
  const isShown = cellsOfLayout(layout).some((other) => {
    const shown = pictureOf(page, other)?.timed?.volume;
    return shown !== undefined && isSameVolume(shown, stored.volume);
  });
  if (isShown) setVolumeTime(page, stored.volume, stored.time, activeCell);
}

function timedFrameAt(page: Page, source: PictureSource, position: number): TimedFrame | undefined {
  const frame = source.traits.frames === 'pictures' ? source.stack?.frames[position] : undefined;
  return frame && findTimedFrame(page, frame);
}

function positionAtTime(source: PictureSource, stored: TimedFrame, time: number): number | undefined {
  const frame = frameAtTime(stored, time);
  return frame && source.positionOf(frame);
}
