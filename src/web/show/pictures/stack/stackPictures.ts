import { isFetchedRaw } from '../../../../shared/rawFrames.ts';
import { findNamedFile } from '../../../kit/state/fileNames.ts';
import { findStack, stackOf } from '../../../kit/state/library.ts';
import { findPosition } from '../../../kit/state/stacks.ts';
import type { PictureKind, PictureTraits } from '../pictureSource.ts';
import { defineStackSources, describeFrames } from '../storedFrames.ts';
import { listForms, listStateForms, shapeOf } from './frameForms.ts';
import { FramePicture } from '../viewport/FramePicture.tsx';

const TRAITS: PictureTraits = {
  scrolls: true,
  plays: true,
  turns: false,
  pans: false,
  sharesWindow: true,
  measures: true,
  cuts: false,
  prefetches: true,
  layers: true,
  frames: 'pictures',
};

/** Stacks of stored frames, and single files. A file without an image has no positions. */
export const stackPictures: PictureKind = {
  name: 'stack',
  open(page, id) {
    const stack = findStack(page, id);
    return stack && sourceOf(page, stack);
  },
  locate(page, { instance, frameNumber, plane }) {
    const file = findNamedFile(page, instance);
    if (file === undefined || plane !== undefined) return undefined;
    const stack = stackOf(page, file);
    return { id: stack.id, position: findPosition(stack, file.index, frameNumber - 1) ?? 0 };
  },
};

const sourceOf = defineStackSources((page, stack) => {
  const frames = describeFrames(page, stack);
  return {
    ...frames,
    viewName: stack.id,
    traits: TRAITS,
    Component: FramePicture,
    sizeOf(position) {
      const place = frames.fileOf(position);
      if (place === undefined) return undefined;
      const { columns: width, rows: height, aspect } = shapeOf(place.file);
      return { width, height, aspect };
    },
    wishes(position, { choice, restingChoice, loader, expected, state, previewSize }) {
      const place = frames.fileOf(position);
      if (place === undefined) return [];
      const { file, frame } = place;
      const shape = shapeOf(file);
      if (state !== undefined) return listStateForms({ fileIndex: file.index, frame }, shape, restingChoice, state);
      // A picture from the server is requested only when the user pauses; samples take any window at once.
      const isDrawnByServer = expected === 'server' || !isFetchedRaw(shape);
      return listForms({ fileIndex: file.index, frame }, shape, {
        choice: isDrawnByServer ? restingChoice : choice,
        loader,
        expected,
        preview: () => ({ size: previewSize(), choice: restingChoice }),
      });
    },
  };
});
