import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { PresentationResponse, PresentedImage, WireStateArea } from '../../../shared/contract/presentation.ts';
import { runToEnd, type Sliced, visitInSlices } from '../ui/runInSlices.ts';
import { cellOf } from './cells.ts';
import { findNamedFile } from './fileNames.ts';
import { definePart, type Page } from './page.ts';
import type { ViewStack } from './stacks.ts';

/** A presentation state or a key object selection that the server has described. */
export type KnownPresentation = PresentationResponse & {
  /** Whether it is for a frame, counted from 0. Of a blending state, only the underlying images. */
  readonly names: (fileIndex: number, frame: number) => boolean;
};

/** Whether a file names images and says how they are shown, or which of them are worth it. */
export function isPresentation({ object_kind }: FileRecord): boolean {
  return object_kind === 'presentation_state' || object_kind === 'key_object_selection';
}

/** By file. */
export const presentationsOf = definePart((page) => {
  const store = createStore<ReadonlyMap<number, KnownPresentation>>(() => new Map());
  page.onRestart(() => store.setState(new Map(), true));
  return store;
});

/** Prepares the lists of images, which may be long, in slices. */
export function* prepareKnown(response: PresentationResponse): Sliced<KnownPresentation> {
  const { state, images } = response;
  const parts = state === null ? [] : [...state.vois, ...state.areas, ...state.graphics];
  const own = findInput(response, 'UNDERLYING')?.images ?? images;
  for (const list of [own, ...parts.map(({ applies_to }) => applies_to)]) {
    if (list !== null) yield* indexImages(list);
  }
  return { ...response, names: (fileIndex, frame) => isListed(own, fileIndex, frame) };
}

/** The sets of images of a blending state. */
export function listBlended({ state }: PresentationResponse, position: 'UNDERLYING' | 'SUPERIMPOSED') {
  return (state?.blending?.inputs ?? []).filter((input) => input.position === position);
}

/** The first one. */
export function findInput(response: PresentationResponse, position: 'UNDERLYING' | 'SUPERIMPOSED') {
  return listBlended(response, position)[0];
}

export function keepPresentation(page: Page, known: KnownPresentation): void {
  const store = presentationsOf(page);
  store.setState(new Map(store.getState()).set(known.file_index, known), true);
}

type ImageIndex = ReadonlyMap<number, readonly number[] | null>;

/** The frames of each file, ascending; null for all of them. */
const imageIndices = new WeakMap<readonly PresentedImage[], ImageIndex>();

function* indexImages(images: readonly PresentedImage[]): Sliced<ImageIndex> {
  const index = new Map<number, readonly number[] | null>();
  yield* visitInSlices(images, ({ file_index, frame_indices }) => index.set(file_index, frame_indices));
  imageIndices.set(images, index);
  return index;
}

export function isListed(images: readonly PresentedImage[], fileIndex: number, frame: number): boolean {
  const frames = (imageIndices.get(images) ?? runToEnd(indexImages(images))).get(fileIndex);
  return frames === null || (frames !== undefined && isAmong(frames, frame));
}

function isAmong(ascending: readonly number[], wanted: number): boolean {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === wanted;
}

/** The presentation state that decides how the pixels of a cell look; undefined while it is not known. */
export function findPixelState(page: Page, cell: number): KnownPresentation | undefined {
  const { presentation } = cellOf(page, cell);
  return presentation?.mode === 'all' ? findShownState(page, cell) : undefined;
}

/** The presentation state that is shown in a cell, wholly or only its graphics. */
export function findShownState(page: Page, cell: number): KnownPresentation | undefined {
  const { presentation } = cellOf(page, cell);
  return presentation?.isShown === true ? findNamedPresentation(page, presentation.name) : undefined;
}

/** What is known of the file that a link names. */
export function findNamedPresentation(page: Page, name: string): KnownPresentation | undefined {
  const file = findNamedFile(page, name);
  return file && presentationsOf(page).getState().get(file.index);
}

/** The first of these parts that applies to a frame. */
export function findPart<Part extends { readonly applies_to: readonly PresentedImage[] | null }>(
  parts: readonly Part[],
  fileIndex: number,
  frame: number,
): Part | undefined {
  return parts.find(({ applies_to }) => applies_to === null || isListed(applies_to, fileIndex, frame));
}

export function findArea(known: KnownPresentation, fileIndex: number, frame: number): WireStateArea | undefined {
  return findPart(known.state?.areas ?? [], fileIndex, frame);
}

/** The positions of a stack that a key object selection names, ascending. */
export function listKeyPositions(stack: ViewStack, known: KnownPresentation): readonly number[] {
  const byStack = keyPositions.get(known) ?? new WeakMap<ViewStack, readonly number[]>();
  keyPositions.set(known, byStack);
  const listed =
    byStack.get(stack) ??
    stack.frames.flatMap(({ fileIndex, frame }, position) => (known.names(fileIndex, frame) ? [position] : []));
  byStack.set(stack, listed);
  return listed;
}

/** Asked for with every step of the wheel. */
const keyPositions = new WeakMap<KnownPresentation, WeakMap<ViewStack, readonly number[]>>();
