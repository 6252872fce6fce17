import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** The segmentations that lie over the images of all cells. */
export type SegmentationsState = {
  /** Indices of their files, in the order in which they were put on. */
  readonly shown: readonly number[];
  /** One switch for all of them. */
  readonly areVisible: boolean;
};

export const segmentationsStore = createStore<SegmentationsState>(() => ({ shown: [], areVisible: true }));

export function useSegmentations<T>(select: (state: SegmentationsState) => T): T {
  return useStore(segmentationsStore, select);
}

export function setSegmentationShown(fileIndex: number, isShown: boolean): void {
  segmentationsStore.setState(({ shown, areVisible }) => {
    const others = shown.filter((index) => index !== fileIndex);
    return isShown ? { shown: [...others, fileIndex], areVisible: true } : { shown: others, areVisible };
  });
}

export function toggleSegmentations(): void {
  segmentationsStore.setState(({ areVisible }) => ({ areVisible: !areVisible }));
}
