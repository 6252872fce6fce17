import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { useStackOfCell } from '../../kit/state/cells.ts';
import { findFile, libraryOf, stackOf, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import {
  hasLayer,
  isField,
  isMap,
  mayLieOver,
  opensOverImages,
  USUAL_FIELDS,
  useShownLayers,
} from '../../kit/state/layers.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import { isScanComplete } from './fileAnswers.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';

/**
 * Layers that may lie over a picture: those of its study, in its frame of reference. Of the volumes that may lie over it
 * as fields, those that are usually laid over others, and those that the user has chosen.
 */
export function listCandidates(page: Page, picture: PictureSource, chosen: readonly number[]): readonly LayerRecord[] {
  const image = imageOf(page, picture);
  if (image === undefined || hasLayer(image) || !picture.traits.layers) return [];
  const { files, attachments } = libraryOf(page).getState();
  const fields = listFieldFiles(page, picture).filter((file) => isOffered(file, image) || chosen.includes(file.index));
  return [...[...files, ...attachments].filter((file) => hasLayer(file) && mayLieOver(page, file, image)), ...fields];
}

/** Volumes that may lie over a picture as fields, by the first file of each, the best first. */
export function listFieldFiles(page: Page, picture: PictureSource): readonly FileRecord[] {
  const image = imageOf(page, picture);
  if (image === undefined || hasLayer(image) || !picture.traits.layers) return [];
  const own = stackOf(page, image);
  const found = libraryOf(page)
    .getState()
    .files.filter((file) => {
      if (!isField(file) || !mayLieOver(page, file, image)) return false;
      const stack = stackOf(page, file);
      // A dose may be that of one plane, a map one tile of a slide.
      const isLarge = stack.frames.length > 1 || file.sop_class_uid === RT_DOSE_STORAGE || isMap(file);
      return stack !== own && stack.fileIndex === file.index && isLarge;
    });
  // A map is made of MR images rather than of CT, a PET or a dose is laid over a CT.
  const rank = (file: FileRecord) => (isMap(file) && image.modality === 'MR' ? -1 : rankOf(file));
  return found.toSorted((a, b) => Number(isOffered(b, image)) - Number(isOffered(a, image)) || rank(a) - rank(b));
}

/** PET over CT, a dose over the images that it was planned on, a map over its sources. */
function rankOf(file: FileRecord): number {
  const rank = USUAL_FIELDS.indexOf(file.modality);
  if (rank >= 0) return rank;
  return isMap(file) ? USUAL_FIELDS.length : USUAL_FIELDS.length + 1;
}

/** Offered without being asked for. Any other volume is described only when the user chooses it. */
function isOffered(field: FileRecord, image: FileRecord): boolean {
  return rankOf(field) <= USUAL_FIELDS.length && rankOf(image) > rankOf(field);
}

/** The file with a layer, and no image, that a cell shows by itself. */
export function useOwnLayer(cell: number): FileRecord | undefined {
  return useOwnFile(cell, hasLayer);
}

/** The file of a cell, if it is shown by itself although it would open over others. */
export function useFileAlone(cell: number): FileRecord | undefined {
  return useOwnFile(cell, opensOverImages);
}

function useOwnFile(cell: number, isSuch: (file: FileRecord) => boolean): FileRecord | undefined {
  const page = usePage();
  const stack = useStackOfCell(cell);
  return useLibrary(() => {
    const file = findFile(page, stack?.fileIndex);
    return file !== undefined && isSuch(file) ? file : undefined;
  });
}

/** The layers over a picture, by file. Loads the missing descriptions of the candidates. */
export function useLayersOver(picture: PictureSource | undefined, cell: number): readonly number[] {
  const page = usePage();
  const chosen = useShownLayers(cell, ({ shown }) => shown);
  const candidates = useLibrary(
    useShallow(() =>
      picture !== undefined && isScanComplete(page)
        ? listCandidates(page, picture, chosen).map(({ index }) => index)
        : [],
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
