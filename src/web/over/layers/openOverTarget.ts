import { useShallow } from 'zustand/shallow';
import { cellOf, openAtStart, openInCell, showsStackOf, stackOfCell } from '../../kit/state/cells.ts';
import { findFile, findLayer, stackOf, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { mayLieOver, setLayerShown } from '../../kit/state/layers.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { findPicture, pictureOf, useFoundPicture } from '../../show/pictures/pictureKinds.ts';
import { scrollTo } from '../../show/pictures/scroll.ts';
import { findPosition, type ViewStack } from '../../kit/state/stacks.ts';
import { descriptionsOf, liesOver } from './layerDescriptions.ts';
import { groupOfCell } from './groupOfCell.ts';
import type { KnownLayer, LayerFrame } from './layerClient.ts';
import { findClient } from './layerClients.ts';

/** After this time without an answer, what is known is shown until the answer arrives. */
const PATIENCE_MS = 300;

/**
 * Shows the layer of a file over the images that it lies over, where it has most, or the file by itself if that is
 * impossible. Images that are on the screen already keep their window and zoom.
 */
export async function openOverTarget(page: Page, layer: number, cell: number): Promise<void> {
  const descriptions = descriptionsOf(page);
  const file = findLayer(page, layer);
  if (file === undefined) return;
  const before = stackOfCell(page, cell)?.fileIndex;
  const under = pictureOf(page, cell);
  const image = under && imageOf(page, under);
  const openOwn = () => {
    // An attachment is nothing by itself.
    if (!('attachment' in file) && !showsStackOf(page, cell, layer)) openAtStart(page, cell, stackOf(page, file));
  };
  // What is on the screen may be what it lies over.
  const isWaiting = image !== undefined && mayLieOver(page, file, image);
  const timer = isWaiting ? undefined : setTimeout(openOwn, PATIENCE_MS);
  const description = descriptions.find(layer) ?? (await descriptions.load(layer));
  clearTimeout(timer);
  // The user may have opened something else in the meantime.
  const isLeft = () => pictureOf(page, cell)?.id !== under?.id && !showsStackOf(page, cell, before);
  if (isLeft() && !showsStackOf(page, cell, layer)) return;
  const place = description && findPlace(page, description);
  if (place === undefined) {
    openOwn();
    return;
  }
  const group = groupOfCell(page, cell);
  // All planes of a volume show the layer, at the crosshair that they have.
  if (under?.patientPlaneOf !== undefined && image !== undefined && stackOf(page, image) === place.stack) {
    setLayerShown(page, group, layer, true);
    return;
  }
  const counting = description?.fullest === undefined ? findClient(file)?.findFullest?.(page, layer) : undefined;
  const counted = await Promise.race([counting, after(PATIENCE_MS)]);
  const first = (counted && findIn(page, counted)) ?? place;
  if (showsStackOf(page, cell, first.fileIndex)) scrollTo(page, cell, first.position);
  else openInCell(page, cell, first.stack.id, first.position);
  setLayerShown(page, cell, layer, true);
  const late = counted === undefined ? await counting : undefined;
  const found = late && findIn(page, late);
  // Unless the user has scrolled or opened something else since.
  const isUntouched = showsStackOf(page, cell, first.fileIndex) && cellOf(page, cell).position === first.position;
  if (found !== undefined && isUntouched) scrollTo(page, cell, found.position);
}

/** Shows the first of these layers that has images over them, and those of the others that lie over the same ones. */
export async function openAllOverTarget(page: Page, layers: readonly number[], cell: number): Promise<void> {
  const descriptions = await Promise.all(layers.map((layer) => descriptionsOf(page).load(layer)));
  const placed = descriptions.findIndex((one) => one !== undefined && findPlace(page, one) !== undefined);
  const first = layers[Math.max(0, placed)];
  if (first === undefined) return;
  await openOverTarget(page, first, cell);
  for (const layer of layers) {
    const picture = pictureOf(page, cell);
    if (picture !== undefined && liesOver(page, layer, picture)) setLayerShown(page, cell, layer, true);
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms);
  });
}

type Place = { readonly fileIndex: number; readonly stack: ViewStack; readonly position: number };

/** Where it has most, or else the middle one of the images that it lies over. Not every picture can have layers. */
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

function findTarget(page: Page, { isPlaced, targets, fullest }: KnownLayer): Place | undefined {
  if (!isPlaced) return undefined;
  const [fileIndex, frames] = middleOf([...targets]) ?? [];
  return (
    (fullest && findIn(page, fullest)) ??
    (fileIndex === undefined ? undefined : findIn(page, { fileIndex, frame: middleOf([...(frames ?? [])]) ?? 0 }))
  );
}

function findIn(page: Page, { fileIndex, frame }: LayerFrame): Place | undefined {
  const image = findFile(page, fileIndex);
  const stack = image && stackOf(page, image);
  return stack && { fileIndex, stack, position: findPosition(stack, fileIndex, frame) ?? 0 };
}

function middleOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(list.length / 2)];
}
