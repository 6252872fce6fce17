import { lazy } from 'react';
import { toLayerRef } from '../../../../shared/layerRef.ts';
import { findFile, findStack } from '../../../kit/state/library.ts';
import { definePart } from '../../../kit/state/page.ts';
import { documentComponentOf } from '../laterPictures.ts';
import type { PictureKind, PictureTraits } from '../pictureSource.ts';
import { defineStackSources, describeFrames } from '../storedFrames.ts';

const TRAITS: PictureTraits = {
  scrolls: false,
  plays: false,
  turns: false,
  pans: false,
  sharesWindow: false,
  measures: false,
  cuts: false,
  prefetches: false,
  layers: false,
  frames: 'none',
};

/** Files without an image that can be shown. They are named in links as other files are, and `item` is the place. */
export const documentPictures: PictureKind = {
  name: 'document',
  open(page, id) {
    const stack = findStack(page, id);
    // Model output is no object of the list of files, so the server has no document of it.
    if (stack === undefined || 'attachment' in toLayerRef(stack.fileIndex)) return undefined;
    // A video has frames, and is a document where the browser does not decode them.
    const isVideo = findFile(page, stack.fileIndex)?.object_kind === 'video';
    if (stack.frames.length > 0 && !isVideo) return undefined;
    return sourceOf(page, stack);
  },
};

const componentOf = definePart((page) => lazy(async () => ({ default: await documentComponentOf(page).load() })));

const sourceOf = defineStackSources((page, stack) => ({
  ...describeFrames(page, stack),
  viewName: stack.id,
  traits: TRAITS,
  caption: '',
  isPaper: true,
  Component: componentOf(page),
  sizeOf: () => undefined,
  wishes: () => [],
}));
