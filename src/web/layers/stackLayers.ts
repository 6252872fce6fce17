import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../shared/contract/files.ts';
import { useStackOfCell } from '../state/cells.ts';
import { findFile, libraryOf, useLibrary } from '../state/library.ts';
import { type Page, usePage } from '../state/page.ts';
import { hasLayer, mayLieOver } from '../state/layers.ts';
import { imageOf } from '../pictures/layerTarget.ts';
import type { PictureSource } from '../pictures/pictureSource.ts';
import { isScanComplete } from './fileAnswers.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';

/** Layers that may lie over a picture: those of its study, in its frame of reference. */
export function listCandidates(page: Page, picture: PictureSource): readonly FileRecord[] {
  const image = imageOf(page, picture);
  if (image === undefined || hasLayer(image) || !picture.traits.layers) return [];
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

/** The layers over a picture, by file. Loads the missing descriptions of the candidates. */
export function useLayersOver(picture: PictureSource | undefined): readonly number[] {
  const page = usePage();
  const candidates = useLibrary(
    useShallow(() =>
      picture !== undefined && isScanComplete(page) ? listCandidates(page, picture).map(({ index }) => index) : [],
    ),
  );
  useEffect(() => {
    const controller = new AbortController();
    void loadInTurn(page, candidates, controller.signal);
    return () => controller.abort();
  }, [page, candidates]);
  return useStore(
    descriptionsOf(page).changes,
    useShallow(() => candidates.filter((index) => picture !== undefined && liesOver(page, index, picture))),
  );
}

/** One after the other, because there may be many and the images come first. */
async function loadInTurn(page: Page, files: readonly number[], signal: AbortSignal): Promise<void> {
  for (const index of files) {
    if (signal.aborted) return;
    await descriptionsOf(page).load(index);
  }
}
