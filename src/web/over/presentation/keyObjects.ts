import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { useFileAnswers } from '../layers/fileAnswers.ts';
import { pictureOf, usePicture } from '../../show/pictures/pictureKinds.ts';
import { scrollTo } from '../../show/pictures/scroll.ts';
import { cellOf, updateCell } from '../../kit/state/cells.ts';
import { nameFile } from '../../kit/state/fileNames.ts';
import { findFile, libraryOf, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import {
  findNamedPresentation,
  type KnownPresentation,
  listKeyPositions,
  presentationsOf,
} from '../../kit/state/presentations.ts';
import { presentationAnswersOf } from './presentationAnswers.ts';

/** More key object selections of one patient are not read. */
const MOST_SELECTIONS = 64;

/** The key object selections that name images of the stack in a cell; they are requested. */
export function useKeyObjects(cell: number): readonly KnownPresentation[] {
  const page = usePage();
  const stack = usePicture(cell)?.stack;
  const indices = useLibrary(useShallow(() => listSelections(page, stack?.fileIndex)));
  useFileAnswers(presentationAnswersOf(page), indices);
  return useStore(
    presentationsOf(page),
    useShallow(() => (stack === undefined ? [] : listKeyObjects(page, cell))),
  );
}

/** The known key object selections that name images of the stack in a cell, in the order of the list of files. */
export function listKeyObjects(page: Page, cell: number): readonly KnownPresentation[] {
  const stack = pictureOf(page, cell)?.stack;
  if (stack === undefined) return [];
  const known = [...presentationsOf(page).getState().values()].filter(({ key_objects }) => key_objects !== null);
  return known.filter((one) => listKeyPositions(stack, one).length > 0).toSorted((a, b) => a.file_index - b.file_index);
}

/** A selection may be in another study than its images. */
function listSelections(page: Page, fileIndex: number | undefined): number[] {
  const image = findFile(page, fileIndex);
  const { files } = libraryOf(page).getState();
  const found = files.filter(
    ({ object_kind, patient_id }) => object_kind === 'key_object_selection' && patient_id === image?.patient_id,
  );
  return found.slice(0, MOST_SELECTIONS).map(({ index }) => index);
}

/** Lets the user scroll through the images of a selection only; without one, through all images. */
export function keepKeyImages(page: Page, cell: number, known: KnownPresentation | undefined): void {
  const file = findFile(page, known?.file_index);
  updateCell(page, cell, { keyObjects: file && nameFile(page, file) });
  scrollTo(page, cell, cellOf(page, cell).position);
}

/** The selection that limits scrolling in a cell. */
export function findKept(page: Page, cell: number): KnownPresentation | undefined {
  const { keyObjects } = cellOf(page, cell);
  return keyObjects === undefined ? undefined : findNamedPresentation(page, keyObjects);
}

export function nameSelection({ key_objects: selection }: KnownPresentation): string {
  return selection?.title?.meaning || selection?.title?.value || 'Key images';
}
