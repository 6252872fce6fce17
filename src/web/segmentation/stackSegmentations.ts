import { useEffect } from 'react';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../shared/contract/files.ts';
import { stackOfCell, useCells } from '../state/cells.ts';
import { findFile, libraryStore, useLibrary } from '../state/library.ts';
import { mayLieOver } from '../state/segmentations.ts';
import { isSlideStack } from '../state/slides.ts';
import type { ViewStack } from '../state/stacks.ts';
import { isScanComplete } from './fileAnswers.ts';
import { sourcesOf, summaries } from './summaries.ts';

/** Segmentations that may lie over the images of a stack: those of its study, in its frame of reference. */
export function listCandidates(stack: ViewStack): readonly FileRecord[] {
  const image = findFile(stack.fileIndex);
  if (image === undefined || isSegmentation(image) || isSlideStack(stack)) return [];
  return libraryStore.getState().files.filter((file) => isSegmentation(file) && mayLieOver(file, image));
}

export function isSegmentation({ object_kind, has_pixels }: FileRecord): boolean {
  return object_kind === 'segmentation' && has_pixels;
}

/** The file of the segmentation that a cell shows by itself. */
export function useOwnSegmentation(cell: number): FileRecord | undefined {
  const stack = useStackOfCell(cell);
  return useLibrary(() => {
    const file = findFile(stack?.fileIndex);
    return file !== undefined && isSegmentation(file) ? file : undefined;
  });
}

export function useStackOfCell(cell: number): ViewStack | undefined {
  useCells(({ cells }) => cells[cell]?.stackId);
  return useLibrary(() => stackOfCell(cell));
}

/** Indices of the segmentations that lie over images of a stack. Asks for what is not known of the candidates. */
export function useSegmentationsOver(stack: ViewStack | undefined): readonly number[] {
  const candidates = useLibrary(
    useShallow(() => (stack !== undefined && isScanComplete() ? listCandidates(stack).map(({ index }) => index) : [])),
  );
  useEffect(() => {
    const controller = new AbortController();
    void loadInTurn(candidates, controller.signal);
    return () => controller.abort();
  }, [candidates]);
  return summaries.useDerived(
    useShallow(() => candidates.filter((index) => stack !== undefined && liesOver(index, stack))),
  );
}

export function liesOver(segmentation: number, stack: ViewStack): boolean {
  const summary = summaries.find(segmentation);
  if (summary === undefined || !summary.overlay.eligible) return false;
  const sources = sourcesOf(summary);
  return stack.frames.some(({ fileIndex, frame }) => sources.get(fileIndex)?.has(frame) === true);
}

/** One after the other: there may be many, and the images come first. */
async function loadInTurn(files: readonly number[], signal: AbortSignal): Promise<void> {
  for (const index of files) {
    if (signal.aborted) return;
    await summaries.load(index);
  }
}
