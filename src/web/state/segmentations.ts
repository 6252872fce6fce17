import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../shared/contract/files.ts';
import { cellsOfLayout, cellsOf } from './cells.ts';
import type { Page } from './page.ts';

/** The segmentations that are shown over the images of one cell. */
export type CellSegmentations = {
  /** File indices, in the order in which they were added. */
  readonly shown: readonly number[];
  /** Visibility of all of them together. */
  readonly areVisible: boolean;
};

export type SegmentationsState = {
  readonly byCell: ReadonlyMap<number, CellSegmentations>;
  /** By segmentation: the files that it lies over, where known. */
  readonly sources: ReadonlyMap<number, ReadonlySet<number>>;
};

const NONE: CellSegmentations = { shown: [], areVisible: true };

export const segmentationsStore = createStore<SegmentationsState>(() => ({ byCell: new Map(), sources: new Map() }));

export function segmentationsOf(cell: number): CellSegmentations {
  return segmentationsStore.getState().byCell.get(cell) ?? NONE;
}

export function useSegmentations<T>(cell: number, select: (state: CellSegmentations) => T): T {
  return useStore(segmentationsStore, ({ byCell }) => select(byCell.get(cell) ?? NONE));
}

/**
 * Whether a segmentation can lie over images of this file: both are of the same study, and of the same frame of
 * reference if both declare one.
 */
export function mayLieOver(segmentation: FileRecord, image: FileRecord): boolean {
  if (image.object_kind === 'segmentation' || segmentation.study_instance_uid !== image.study_instance_uid)
    return false;
  const [own, other] = [segmentation.frame_of_reference_uid, image.frame_of_reference_uid];
  return own === null || other === null || own === other;
}

/** Whether a segmentation can lie over one of these files; true until its sources are known. */
export function mayLieOverAny(segmentation: number, files: Iterable<number>): boolean {
  const sources = segmentationsStore.getState().sources.get(segmentation);
  if (sources === undefined) return true;
  for (const file of files) if (sources.has(file)) return true;
  return false;
}

export function setSegmentationSources(sources: SegmentationsState['sources']): void {
  segmentationsStore.setState({ sources });
}

/** Shows or hides a segmentation in a cell, and in the cells linked with it. */
export function setSegmentationShown(page: Page, cell: number, fileIndex: number, isShown: boolean): void {
  change(page, cell, ({ shown, areVisible }) => {
    const others = shown.filter((index) => index !== fileIndex);
    return isShown ? { shown: [...others, fileIndex], areVisible: true } : { shown: others, areVisible };
  });
}

export function setSegmentationsVisible(page: Page, cell: number, areVisible: boolean): void {
  change(page, cell, ({ shown }) => ({ shown, areVisible }));
}

export function forgetSegmentations(): void {
  segmentationsStore.setState({ byCell: new Map() });
}

function change(page: Page, cell: number, next: (before: CellSegmentations) => CellSegmentations): void {
  const { links, layout } = cellsOf(page).getState();
  const changed = links.segmentations ? [...new Set([cell, ...cellsOfLayout(layout)])] : [cell];
  segmentationsStore.setState(({ byCell }) => ({
    byCell: new Map([...byCell, ...changed.map((one) => [one, next(byCell.get(one) ?? NONE)] as const)]),
  }));
}
