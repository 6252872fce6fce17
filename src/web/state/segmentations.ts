import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../shared/contract/files.ts';

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

/** Whether a segmentation can lie over images of this file: it is of the same study and the same frame of reference. */
export function mayLieOver(segmentation: FileRecord, image: FileRecord): boolean {
  if (image.object_kind === 'segmentation' || segmentation.study_instance_uid !== image.study_instance_uid)
    return false;
  const [own, other] = [segmentation.frame_of_reference_uid, image.frame_of_reference_uid];
  return own === null || other === null || own === other;
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
