import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { combinedOf, isField, layerNameOf, liesInSpace } from '../../kit/state/layers.ts';
import { findLayer, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import {
  imageOf,
  isPlane,
  isSlideRegion,
  type LayerGround,
  type PictureUnder,
} from '../../show/pictures/layerTarget.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { findClient } from './layerClients.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import type { LayerWish } from './layerLoader.ts';
import { LAYER_PAINTERS } from './layerPainters.ts';

/** What is loaded of layers over the picture of a cell. Those that do not lie over it, or are not described yet, are left out. */
export function listLayerWishes(
  page: Page,
  cell: number,
  { target, pieces }: Omit<LayerGround, 'screen'>,
  layers: readonly number[],
): LayerWish[] {
  return layers.flatMap((layer): LayerWish[] => {
    const file = findLayer(page, layer);
    const name = file && layerNameOf(file);
    if (file === undefined || name === undefined || !isOver(page, file, target)) return [];
    // The planes of a volume are not covered by itself.
    const isVolume = !('attachment' in file) && isField(file);
    if (isPlane(target) && isVolume && stackOf(page, file) === ownStackOf(page, cell)) return [];
    const description = descriptionsOf(page).find(layer);
    const kind = description?.kind ?? LAYER_OBJECTS[name].kind;
    const part = description && findClient(file)?.partOf?.(page, description, target);
    const wish = {
      layer,
      kind,
      part,
      combined: combinedOf(page, layer),
      version: descriptionsOf(page).versionOf(layer),
    };
    if (!isSlideRegion(target)) return [{ ...wish, target }];
    const { onSlides } = LAYER_PAINTERS[kind];
    if (onSlides === undefined) return [];
    return (onSlides === 'whole' ? [target] : pieces).map((piece) => ({ ...wish, target: piece }));
  });
}

function ownStackOf(page: Page, cell: number) {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  return image && stackOf(page, image);
}

/** Whether the layer of a file is known to lie over a target. */
function isOver(page: Page, layer: LayerRecord, target: PictureUnder): boolean {
  const description = descriptionsOf(page).find(layer.index);
  if (description === undefined) return false;
  if (isPlane(target)) return liesInSpace(layer, description.spaces, target.frameOfReferenceUid);
  if (isSlideRegion(target)) return target.files.some((file) => description.targets.has(file));
  return description.targets.get(target.fileIndex)?.has(target.frame) === true;
}
