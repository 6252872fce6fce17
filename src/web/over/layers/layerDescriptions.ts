import { setLayerReaches } from '../../kit/state/layers.ts';
import { findFile, findLayer, libraryOf } from '../../kit/state/library.ts';
import { preferredRegistrationsOf } from '../../kit/state/registrationChoices.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { isInPlanes } from '../../show/pictures/layerTarget.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import { createFileAnswers } from './fileAnswers.ts';
import type { KnownLayer } from './layerClient.ts';
import { findClient } from './layerClients.ts';

/** Of each layer, by the file that it comes from: its parts, and the images it lies over. */
export const descriptionsOf = definePart((page) => {
  const descriptions = createFileAnswers<KnownLayer>(page, async (fileIndex, signal) => {
    const file = findLayer(page, fileIndex);
    const client = file && findClient(file);
    if (client === undefined) throw new Error(`file ${fileIndex} has no layer`);
    return client.describe(fileIndex, signal, page);
  });
  // Where a layer lies may be a decision of the user.
  libraryOf(page).subscribe(({ listedAttachments }, before) => {
    if (listedAttachments === before.listedAttachments) return;
    const choices = new Map(before.listedAttachments.map(({ layer, choice }) => [layer, JSON.stringify(choice)]));
    for (const { layer, choice } of listedAttachments) {
      if (choices.has(layer) && choices.get(layer) !== JSON.stringify(choice)) void descriptions.renew(layer);
    }
  });
  preferredRegistrationsOf(page).subscribe(() => void descriptions.renew());
  // The address contains a layer only if it lies over what is shown.
  descriptions.changes.subscribe(() =>
    setLayerReaches(
      page,
      new Map(
        descriptions.all().map(([index, { targets, spaces }]) => [index, { files: new Set(targets.keys()), spaces }]),
      ),
    ),
  );
  return descriptions;
});

/** Whether a layer is known to lie over a picture. */
export function liesOver(page: Page, layer: number, picture: PictureSource): boolean {
  const description = descriptionsOf(page).find(layer);
  if (description === undefined) return false;
  const { stack } = picture;
  const file = findLayer(page, layer);
  if (stack === undefined) return file !== undefined && isInPlanes(file, description.spaces, picture);
  if (!description.isPlaced) return false;
  // The levels of a slide are one picture.
  if (picture.traits.frames === 'tiles') {
    const files = [...description.targets.keys()].map((index) => findFile(page, index));
    return files.some((one) => one?.series_instance_uid === stack.seriesUid);
  }
  return stack.frames.some(({ fileIndex, frame }) => description.targets.get(fileIndex)?.has(frame) === true);
}
