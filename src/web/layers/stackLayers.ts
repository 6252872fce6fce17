import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../shared/contract/files.ts';
import { useStackOfCell } from '../state/cells.ts';
import { findFile, libraryOf, useLibrary } from '../state/library.ts';
import { type Page, usePage } from '../state/page.ts';
import { hasLayer, mayLieOver } from '../state/layers.ts';
import { findPicture } from '../pictures/pictureKinds.ts';
import type { ViewStack } from '../state/stacks.ts';
import { isScanComplete } from './fileAnswers.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';

/** Layers that may lie over the images of a stack: those of its study, in its frame of reference. */
export function listCandidates(page: Page, stack: ViewStack): readonly FileRecord[] {
  const image = findFile(page, stack.fileIndex);
  if (image === undefined || hasLayer(image) || findPicture(page, stack.id)?.traits.layers !== true) return [];
  return libraryOf(page)
    .getState()
    .files.filter((file) => hasLayer(file) && mayLieOver(file, image));
}

/** The file with a layer that a cell shows by itself. */
export function useOwnLayer(cell: number): FileRecord | undefined {
  const page = usePage();
  const stack = useStackOfCell(cell);
  return useLibrary(() => {
    const file = findFile(page, stack?.fileIndex);
    return file !== undefined && hasLayer(file) ? file : undefined;
  });
}

/** The layers over images of a stack, by file. Loads the missing descriptions of the candidates. */
export function useLayersOver(stack: ViewStack | undefined): readonly number[] {
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
    descriptionsOf(page).changes,
    useShallow(() => candidates.filter((index) => stack !== undefined && liesOver(page, index, stack))),
  );
}

/** One after the other, because there may be many and the images come first. */
async function loadInTurn(page: Page, files: readonly number[], signal: AbortSignal): Promise<void> {
  for (const index of files) {
    if (signal.aborted) return;
    await descriptionsOf(page).load(index);
  }
}
