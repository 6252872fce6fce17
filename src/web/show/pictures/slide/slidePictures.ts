import { lazy } from 'react';
import { cellOf } from '../../../kit/state/cells.ts';
import { findFile, findStack } from '../../../kit/state/library.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import type { PictureKind, PictureSource, PictureTraits } from '../pictureSource.ts';
import { openPicture } from '../refusals.ts';
import { defineStackSources, describeFrames } from '../storedFrames.ts';

const TRAITS: PictureTraits = {
  // Its images are tiles, so there is nothing to scroll through.
  scrolls: false,
  plays: false,
  turns: false,
  pans: true,
  // Its own window is chosen from its tiles.
  sharesWindow: false,
  measures: true,
  cuts: false,
  prefetches: true,
  layers: true,
  frames: 'tiles',
};

/** Stacks whose frames are the tiles of one picture. They are named in links by a file, as other stacks are. */
export const slidePictures: PictureKind = {
  name: 'slide',
  open(page, id) {
    const stack = findStack(page, id);
    return stack !== undefined && hasTiles(page, stack) ? sourceOf(page, stack) : undefined;
  },
};

/** The slide that a cell shows. */
export function findSlide(page: Page, cell: number): PictureSource | undefined {
  const { pictureId } = cellOf(page, cell);
  return pictureId === undefined ? undefined : openPicture(page, slidePictures, pictureId);
}

const componentOf = definePart((page) =>
  lazy(async () => ({ default: (await loadChunk(page, () => import('./SlidePicture.tsx'))).SlidePicture })),
);

const sourceOf = defineStackSources((page, stack) => ({
  ...describeFrames(page, stack),
  // A slide can be opened by any level, and then switches to its largest one.
  viewName: stack.seriesUid,
  traits: TRAITS,
  // It shows all levels of its series, so what distinguishes one level from the others does not describe it.
  caption: '',
  Component: componentOf(page),
  sizeOf() {
    const { matrix } = stack;
    const aspect = findFile(page, stack.fileIndex)?.pixel_aspect_ratio ?? 1;
    return matrix && { width: matrix.columns, height: matrix.rows, aspect };
  },
  wishes: () => [],
}));

function hasTiles(page: Page, stack: ViewStack): boolean {
  if (stack.frames.length === 0) return false;
  if (stack.kind === 'wsi_pyramid_level') return true;
  // Until the series are known, a single image may be a level or the label.
  return stack.frames.length > 1 && findFile(page, stack.fileIndex)?.object_kind === 'whole_slide_microscopy';
}
