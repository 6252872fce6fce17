import { useEffect } from 'react';
import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { keptPositionsOf, scrollTo } from '../pictures/scroll.ts';
import { cellOf, setCine, stackOfCell, useCells } from '../../kit/state/cells.ts';
import { findInfo, loadInfo } from '../../kit/state/fileInfo.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { reportOf } from '../pictures/viewports.ts';
import { type CinePlace, createPlayer, nextKept, nextPlace, rateOf } from './player.ts';

/** The rate that each playing cell reaches, by cell. */
const ratesOf = definePart(() =>
  createStore<{ readonly reached: ReadonlyMap<number, number> }>(() => ({ reached: new Map() })),
);

export function useReachedFps(cell: number): number | undefined {
  return useStore(ratesOf(usePage()), ({ reached }) => reached.get(cell));
}

/** The rate at which the cell plays or would play. */
export function cineRateOf(page: Page, cell: number): number {
  const stack = stackOfCell(page, cell);
  return rateOf(cellOf(page, cell).cine.fps, stack && findInfo(page, stack.fileIndex)?.frame_time_ms);
}

/** Plays the cell while its cine state says so. */
export function useCine(cell: number): void {
  const page = usePage();
  const isPlaying = useCells(({ cells }) => cells[cell]?.cine.playing ?? false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    return play(page, cell);
  }, [page, cell, isPlaying]);
}

function play(page: Page, cell: number): () => void {
  const player = createPlayer();
  const ending = new AbortController();
  // Loads the rate that the file declares, which was not requested yet if playback starts before the user has rested.
  const stack = stackOfCell(page, cell);
  if (stack !== undefined) void loadInfo(page, stack.fileIndex, ending.signal);
  let place: CinePlace = { position: cellOf(page, cell).position, direction: 1 };
  let lastTold: number | undefined;
  let request = requestAnimationFrame(tick);

  function tick(nowMs: number): void {
    step(nowMs);
    // Requested after the step, which has requested a draw, so that the draw is done at the next tick.
    request = requestAnimationFrame(tick);
  }

  function step(nowMs: number): void {
    const { position, cine } = cellOf(page, cell);
    const kept = keptPositionsOf(page, cell);
    const count = kept?.length ?? pictureOf(page, cell)?.positions ?? 0;
    if (count < 2) {
      setCine(page, cell, { playing: false });
      return;
    }
    // The user has scrolled: playback continues from there.
    if (position !== place.position) place = { ...place, position };
    const isShown = reportOf(page, cell).shown?.position === position;
    if (!player.tick({ nowMs, isShown, fps: cineRateOf(page, cell) })) return;
    place = kept === undefined ? nextPlace(place, count, cine.mode) : nextKept(place, kept, cine.mode);
    scrollTo(page, cell, place.position);
    tell(player.reachedFps());
  }

  function tell(fps: number | undefined): void {
    const rounded = fps === undefined ? undefined : Math.round(fps);
    if (rounded === lastTold) return;
    lastTold = rounded;
    setReached(page, cell, rounded);
  }

  return () => {
    ending.abort();
    cancelAnimationFrame(request);
    setReached(page, cell, undefined);
  };
}

function setReached(page: Page, cell: number, fps: number | undefined): void {
  const store = ratesOf(page);
  const reached = new Map(store.getState().reached);
  if (fps === undefined) reached.delete(cell);
  else reached.set(cell, fps);
  store.setState({ reached });
}
