import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { useStackOfCell } from '../../state/cells.ts';
import { findFile, libraryOf, useLibrary } from '../../state/library.ts';
import { type Page, usePage } from '../../state/page.ts';
import { mayLieOver } from '../../state/layers.ts';
import { isSlideStack } from '../../pictures/slides.ts';
import type { ViewStack } from '../../state/stacks.ts';
import { isScanComplete } from './fileAnswers.ts';
import { sourcesOf, summariesOf } from './summaries.ts';

/** Segmentations that may lie over the images of a stack: those of its study, in its frame of reference. */
export function listCandidates(page: Page, stack: ViewStack): readonly FileRecord[] {
  const image = findFile(page, stack.fileIndex);
  if (image === undefined || isSegmentation(image) || isSlideStack(page, stack)) return [];
  return libraryOf(page)
    .getState()
    .files.filter((file) => isSegmentation(file) && mayLieOver(file, image));
}

export function isSegmentation({ object_kind, has_pixels }: FileRecord): boolean {
  return object_kind === 'segmentation' && has_pixels;
}

/** The file of the segmentation that a cell shows by itself. */
export function useOwnSegmentation(cell: number): FileRecord | undefined {
  const page = usePage();
  const stack = useStackOfCell(cell);
  return useLibrary(() => {
    const file = findFile(page, stack?.fileIndex);
    return file !== undefined && isSegmentation(file) ? file : undefined;
  });
}

/** Indices of the segmentations that lie over images of a stack. Loads the missing summaries of the candidates. */
export function useSegmentationsOver(stack: ViewStack | undefined): readonly number[] {
  const page = usePage();
  const candidates = useLibrary(
    useShallow(() =>
      stack !== undefined && isScanComplete(page) ? listCandidates(page, stack).map(({ index }) => index) : [],
    ),
  );
  useEffect(() => {
    const controller = new AbortController();
    void loadInTurn(page, candidates, controller.signal);
    return () => controller.abort();
  }, [page, candidates]);
  return useStore(
    summariesOf(page).changes,
    useShallow(() => candidates.filter((index) => stack !== undefined && liesOver(page, index, stack))),
  );
}

export function liesOver(page: Page, segmentation: number, stack: ViewStack): boolean {
  const summary = summariesOf(page).find(segmentation);
  if (summary === undefined || !summary.overlay.eligible) return false;
  const sources = sourcesOf(summary);
  return stack.frames.some(({ fileIndex, frame }) => sources.get(fileIndex)?.has(frame) === true);
}

/** One after the other, because there may be many and the images come first. */
async function loadInTurn(page: Page, files: readonly number[], signal: AbortSignal): Promise<void> {
  for (const index of files) {
    if (signal.aborted) return;
    await summariesOf(page).load(index);
  }
}
