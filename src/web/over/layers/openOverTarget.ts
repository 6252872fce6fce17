import { useShallow } from 'zustand/shallow';
import { openAtStart, openInCell, showsStackOf, stackOfCell } from '../../kit/state/cells.ts';
import { findFile, findLayer, stackOf, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { setLayerShown } from '../../kit/state/layers.ts';
import { findPicture, useFoundPicture } from '../../show/pictures/pictureKinds.ts';
import { findPosition, type ViewStack } from '../../kit/state/stacks.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import type { KnownLayer } from './layerClient.ts';

/** After this time without an answer, the object itself is shown until the answer arrives. */
const PATIENCE_MS = 300;

/** Shows the layer of a file over the images that it lies over, or the file by itself if that is impossible. */
export async function openOverTarget(page: Page, layer: number, cell: number): Promise<void> {
  const descriptions = descriptionsOf(page);
  const file = findLayer(page, layer);
  if (file === undefined) return;
  const before = stackOfCell(page, cell)?.fileIndex;
  const openOwn = () => {
    // An attachment is nothing by itself.
    if (!('attachment' in file) && !showsStackOf(page, cell, layer)) openAtStart(page, cell, stackOf(page, file));
  };
  const timer = setTimeout(openOwn, PATIENCE_MS);
  const description = descriptions.find(layer) ?? (await descriptions.load(layer));
  clearTimeout(timer);
  // The user may have opened something else in the meantime.
  if (!showsStackOf(page, cell, before) && !showsStackOf(page, cell, layer)) return;
  const place = description && findPlace(page, description);
  if (place === undefined) {
    openOwn();
    return;
  }
  openInCell(page, cell, place.stack.id, place.position);
  setLayerShown(page, cell, layer, true);
}

type Place = { readonly stack: ViewStack; readonly position: number };

/** The middle one of the images that it lies over, in its stack. Not every picture can have layers. */
function findPlace(page: Page, description: KnownLayer): Place | undefined {
  const place = findTarget(page, description);
  return findPicture(page, place?.stack.id)?.traits.layers === true ? place : undefined;
}

/** Like `findPlace`, for a component. */
export function usePlace(description: KnownLayer | undefined): Place | undefined {
  const page = usePage();
  const place = useLibrary(useShallow(() => description && findTarget(page, description)));
  return useFoundPicture(place?.stack.id)?.traits.layers === true ? place : undefined;
}

function findTarget(page: Page, { isPlaced, targets }: KnownLayer): Place | undefined {
  const [fileIndex, frames] = middleOf([...targets]) ?? [];
  const image = isPlaced ? findFile(page, fileIndex) : undefined;
  const stack = image && stackOf(page, image);
  if (fileIndex === undefined || stack === undefined) return undefined;
  return { stack, position: findPosition(stack, fileIndex, middleOf([...(frames ?? [])]) ?? 0) ?? 0 };
}

function middleOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(list.length / 2)];
}
