import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../shared/contract/files.ts';
import { stackOfCell, useStackOfCell } from '../state/cells.ts';
import { findFile, useLibrary } from '../state/library.ts';
import { type Page, usePage } from '../state/page.ts';
import type { ViewStack } from '../state/stacks.ts';

/** Stacks of tiles whose positions are not declared. */
const looseTilesStore = createStore<{ readonly stackIds: ReadonlySet<string> }>(() => ({ stackIds: new Set() }));

/** Shows the tiles of this stack one by one from now on. */
export function showAsFrames(stackId: string): void {
  looseTilesStore.setState(({ stackIds }) => ({ stackIds: new Set([...stackIds, stackId]) }));
}

/**
 * Whether the file may be a label or an overview, which are single images. Until the series are known, such a file
 * should not be the first one that is opened.
 */
export function isMaybeCompanion({ object_kind, frame_count }: FileRecord): boolean {
  return object_kind === 'whole_slide_microscopy' && frame_count <= 1;
}

/** Whether the images of a stack are shown as the tiles of one picture, and not one by one. */
export function isSlideStack(page: Page, stack: ViewStack | undefined): boolean {
  return hasTiles(page, stack) && !looseTilesStore.getState().stackIds.has(stack?.id ?? '');
}

function hasTiles(page: Page, stack: ViewStack | undefined): boolean {
  if (stack === undefined || stack.frames.length === 0) return false;
  if (stack.kind === 'wsi_pyramid_level') return true;
  // Until the series are known, a single image may be a level or the label.
  return stack.frames.length > 1 && findFile(page, stack.fileIndex)?.object_kind === 'whole_slide_microscopy';
}

export function isSlide(page: Page, cell: number): boolean {
  return isSlideStack(page, stackOfCell(page, cell));
}

export function useIsSlide(cell: number): boolean {
  return useIsSlideStack(useStackOfCell(cell));
}

export function useIsSlideStack(stack: ViewStack | undefined): boolean {
  const page = usePage();
  const isLoose = useStore(looseTilesStore, ({ stackIds }) => stackIds.has(stack?.id ?? ''));
  return useLibrary(() => hasTiles(page, stack)) && !isLoose;
}
