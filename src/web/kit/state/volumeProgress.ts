import { createStore } from 'zustand/vanilla';
import type { VolumeEvent } from '../api/events.ts';
import { definePart, type Page } from './page.ts';

/** Slices of one time of a volume that the server has in memory or packed. */
export type VolumeLoading = {
  readonly loaded: number;
  readonly places: number;
  readonly storage: VolumeEvent['storage'];
};

type ProgressState = { readonly progress: ReadonlyMap<string, VolumeLoading> };

/** By the file of the first place of the volume, and by time. */
export const volumeProgressOf = definePart((page) => {
  const store = createStore<ProgressState>(() => ({ progress: new Map() }));
  page.onRestart(() => store.setState({ progress: new Map() }));
  return store;
});

export function noteVolumeProgress(
  page: Page,
  { file_index, time, places, places_loaded, storage }: VolumeEvent,
): void {
  const known = findVolumeProgress(page, file_index, time);
  if (known?.loaded === places_loaded && known.places === places && known.storage === storage) return;
  volumeProgressOf(page).setState(({ progress }) => ({
    progress: new Map(progress).set(keyOf(file_index, time), { loaded: places_loaded, places, storage }),
  }));
}

/** Undefined if nothing was told yet. */
export function findVolumeProgress(page: Page, fileIndex: number, time: number): VolumeLoading | undefined {
  return volumeProgressOf(page).getState().progress.get(keyOf(fileIndex, time));
}

function keyOf(fileIndex: number, time: number): string {
  return `${fileIndex}/${time}`;
}
