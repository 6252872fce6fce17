import type { ChoiceAddress } from './address.ts';
import { nameFile } from './fileNames.ts';
import { findFile, findLayer, libraryOf } from './library.ts';
import type { Page } from './page.ts';

/** What the user has decided about a layer, as a link names it. */
export function describeChoice(page: Page, layer: number): ChoiceAddress | undefined {
  const found = libraryOf(page)
    .getState()
    .listedAttachments.find((one) => one.layer === layer);
  const record = findLayer(page, layer);
  const image = findFile(page, found?.choice?.file_index);
  if (found === undefined || found.choice === null || record === undefined || image === undefined) return undefined;
  const { frame_index, order, flips } = found.choice;
  return {
    name: nameFile(page, record),
    instance: nameFile(page, image),
    frameNumber: frame_index + 1,
    order,
    flips,
  };
}
