import { createStore } from 'zustand/vanilla';
import { fetchVolume } from '../../../kit/api/volumes.ts';
import { cellsOf, cellsOfLayout } from '../../../kit/state/cells.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import {
  findVolumeProgress,
  noteVolumeProgress,
  type VolumeLoading,
  volumeProgressOf,
} from '../../../kit/state/volumeProgress.ts';
import type { StackVolume } from '../../../kit/state/volumes.ts';
import { reportOf, viewportsOf } from '../viewports.ts';
import { findMip, findPlane } from './changePlane.ts';

/** Undefined while no plane waits, or not long enough to be worth telling. */
export const volumeLoadingOf = definePart(() =>
  createStore<{ readonly loading: VolumeLoading | undefined }>(() => ({ loading: undefined })),
);

/** Short waits are not reported. The server is asked only if it does not report the loading by itself. */
const ASK_EVERY_MS = 700;

/** Reports the loading of a volume as long as a plane on the screen waits for it, while the page lives. */
export function followLoading(page: Page): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  let told: VolumeLoading | undefined;
  let isWorthTelling = false;

  const tell = () => {
    const awaited = isWorthTelling ? findAwaited(page) : undefined;
    const progress = awaited && findVolumeProgress(page, awaited.volume.fileIndex, awaited.time);
    const loading = progress !== undefined && progress.loaded < progress.places ? progress : undefined;
    if (loading !== volumeLoadingOf(page).getState().loading) volumeLoadingOf(page).setState({ loading });
  };
  const ask = async () => {
    const awaited = findAwaited(page);
    if (awaited === undefined) return;
    isWorthTelling = true;
    const known = findVolumeProgress(page, awaited.volume.fileIndex, awaited.time);
    // The answer is about the first time only.
    if (known === told && awaited.time === 0) {
      asking = new AbortController();
      const { signal } = asking;
      // A plane that cannot be loaded reports that itself.
      const answer = await fetchVolume(awaited.volume.address, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (answer?.volume) noteVolumeProgress(page, { ...answer.volume, time: 0 });
    }
    told = findVolumeProgress(page, awaited.volume.fileIndex, awaited.time);
    tell();
    timer = setTimeout(() => void ask(), ASK_EVERY_MS);
  };
  const look = () => {
    const isAwaited = findAwaited(page) !== undefined;
    if (isAwaited && timer === undefined) timer = setTimeout(() => void ask(), ASK_EVERY_MS);
    if (!isAwaited && timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      told = undefined;
      isWorthTelling = false;
      asking.abort();
    }
    tell();
  };
  viewportsOf(page).subscribe(look);
  cellsOf(page).subscribe(look);
  volumeProgressOf(page).subscribe(tell);
  look();
}

/** The volume of a picture that is being loaded, and its time. */
function findAwaited(page: Page): { readonly volume: StackVolume; readonly time: number } | undefined {
  for (const cell of cellsOfLayout(cellsOf(page).getState().layout)) {
    const shown =
      reportOf(page, cell).status === 'loading' ? (findPlane(page, cell) ?? findMip(page, cell)) : undefined;
    if (shown !== undefined) return { volume: shown.volume, time: shown.spec.time };
  }
  return undefined;
}
