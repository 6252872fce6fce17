import { nameSpace } from '../../../shared/spaceName.ts';
import { findFile } from '../../kit/state/library.ts';
import { nameFile } from '../../kit/state/fileNames.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { findPosition, type ViewStack } from '../../kit/state/stacks.ts';
import type { PictureSource, PositionAxis } from './pictureSource.ts';

/** What a source says about the stored frames of its stack, whether they are its pictures or their tiles. */
export function describeFrames(page: Page, stack: ViewStack): StoredFrames {
  const { frames } = stack;
  const place: PositionAxis = {
    name: 'place',
    unit: 'mm',
    get frameOfReferenceUid() {
      const file = findFile(page, stack.fileIndex);
      return nameSpace(file?.frame_of_reference_uid, file?.series_instance_uid);
    },
    valueOf: (position) => frames[position]?.positionMm,
  };
  return {
    id: stack.id,
    positions: frames.length,
    axes: [place],
    stack,
    warnings: stack.warnings,
    label() {
      const { modality = '', series_description = '' } = findFile(page, stack.fileIndex) ?? {};
      return [modality, series_description].filter((part) => part !== '').join(' ');
    },
    planeOf: (position) => frames[position]?.plane,
    fileOf(position) {
      const at = frames[position];
      const file = findFile(page, at?.fileIndex);
      return at && file && { file, frame: at.frame };
    },
    positionOf: ({ fileIndex, frame }) => findPosition(stack, fileIndex, frame),
    addressOf(position) {
      // A file without an image is named as well, because its tags are shown.
      const { fileIndex, frame } = frames[position] ?? { fileIndex: stack.fileIndex, frame: 0 };
      const file = findFile(page, fileIndex);
      return file && { instance: nameFile(page, file), frameNumber: frame + 1, plane: undefined };
    },
  };
}

type StoredFrames = Pick<
  PictureSource,
  'id' | 'positions' | 'axes' | 'stack' | 'warnings' | 'label' | 'planeOf' | 'fileOf' | 'positionOf' | 'addressOf'
>;

/** Sources by stack, so that the same stack always has the same source. */
export function defineStackSources(
  create: (page: Page, stack: ViewStack) => PictureSource,
): (page: Page, stack: ViewStack) => PictureSource {
  const sourcesOf = definePart(() => new WeakMap<ViewStack, PictureSource>());
  return (page, stack) => {
    const known = sourcesOf(page);
    const source = known.get(stack) ?? create(page, stack);
    known.set(stack, source);
    return source;
  };
}
