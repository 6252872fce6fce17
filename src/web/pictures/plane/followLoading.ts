import { createStore } from 'zustand/vanilla';
import type { FrameAddress } from '../../api/frames.ts';
import { fetchVolume } from '../../api/volumes.ts';
import { cellsOf, cellsOfLayout } from '../../state/cells.ts';
import { definePart, type Page } from '../../state/page.ts';
import { reportOf, viewportsOf } from '../viewports.ts';
import { volumeAddressOf } from './planeId.ts';

/** How much of the volume that planes wait for the server has read. */
export type VolumeLoading = { readonly loaded: number; readonly places: number };

/** Undefined while no plane waits, or not long enough to be worth telling. */
export const volumeLoadingOf = definePart(() =>
  createStore<{ readonly loading: VolumeLoading | undefined }>(() => ({ loading: undefined })),
);

/** Short waits are not reported. Each report is a request. */
const ASK_EVERY_MS = 700;

/** Reports the loading of a volume as long as a plane on the screen waits for it, while the page lives. */
export function followLoading(page: Page): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();

  const ask = async () => {
    const address = findAwaited(page);
    if (address === undefined) return;
    asking = new AbortController();
    const { signal } = asking;
    // A plane that cannot be loaded reports that itself.
    const answer = await fetchVolume(address, signal).catch(() => undefined);
    const volume = answer?.volume;
    if (signal.aborted) return;
    const isPart = volume !== undefined && volume !== null && volume.places_loaded < volume.places;
    const loading = isPart ? { loaded: volume.places_loaded, places: volume.places } : undefined;
    volumeLoadingOf(page).setState({ loading });
    timer = setTimeout(() => void ask(), ASK_EVERY_MS);
  };
  const look = () => {
    const isAwaited = findAwaited(page) !== undefined;
    if (isAwaited && timer === undefined) timer = setTimeout(() => void ask(), ASK_EVERY_MS);
    if (isAwaited || timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    asking.abort();
    volumeLoadingOf(page).setState({ loading: undefined });
  };
  viewportsOf(page).subscribe(look);
  cellsOf(page).subscribe(look);
  look();
}

/** The volume of a picture that is being loaded. */
function findAwaited(page: Page): FrameAddress | undefined {
  const { layout, cells } = cellsOf(page).getState();
  for (const cell of cellsOfLayout(layout)) {
    const address = volumeAddressOf(cells[cell]?.pictureId);
    if (address !== undefined && reportOf(page, cell).status === 'loading') return address;
  }
  return undefined;
}
