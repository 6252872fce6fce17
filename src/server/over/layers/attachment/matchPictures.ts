import { basename } from 'node:path';
import type { MaskPicture } from '../../../images/attachments/attachments.ts';
import type { StackGrid } from './stackGrids.ts';

/** How the pictures of a folder fit a stack: which place each of them lies in. */
export type PictureMatch =
  | {
      readonly method: 'by_reference' | 'by_shape';
      readonly reason: string;
      readonly places: readonly { readonly picture: MaskPicture; readonly place: number }[];
      readonly warning: { readonly code: string; readonly message: string } | undefined;
    }
  | { readonly method: 'none'; readonly reason: string };

/** By the SOP Instance UID or the file name of an image in the name of the picture, otherwise by order if all agree. */
export function matchPictures(pictures: readonly MaskPicture[], grid: StackGrid): PictureMatch {
  const fitting = pictures.filter(({ header }) => header.rows === grid.rows && header.columns === grid.columns);
  if (fitting.length === 0) {
    return { method: 'none', reason: `no picture has ${grid.columns} x ${grid.rows} pixels, as the images have` };
  }
  const find = createNameFinder(grid);
  const named = fitting.flatMap((picture) => {
    const place = find(nameOf(picture.path));
    return place === undefined ? [] : [{ picture, place }];
  });
  if (named.length > 0) {
    const left = pictures.length - named.length;
    return {
      method: 'by_reference',
      reason: `${named.length} of ${pictures.length} pictures are named after images of this stack`,
      places: withoutRepeats(named),
      warning:
        left === 0
          ? undefined
          : { code: 'pictures_left_out', message: `${left} pictures are named after no image of this stack` },
    };
  }
  if (fitting.length !== pictures.length || pictures.length !== grid.placeCount) {
    return { method: 'none', reason: 'the pictures are named after no image, and are not as many as the images' };
  }
  return {
    method: 'by_shape',
    reason: 'the pictures are as many as the images, and lie over them in the order of their names',
    places: pictures.map((picture, place) => ({ picture, place })),
    warning: { code: 'placed_by_shape', message: 'only the number and size of the pictures agree: check the order' },
  };
}

/** The first picture of a place counts. */
function withoutRepeats<Placed extends { readonly place: number }>(named: readonly Placed[]): readonly Placed[] {
  const seen = new Set<number>();
  return named.filter(({ place }) => !seen.has(place) && seen.add(place));
}

/** Without the folder and the ending. */
function nameOf(path: string): string {
  return basename(path).replace(/\.[^.]*$/, '');
}

/** Shorter names say nothing: `1` is in most names. */
const SHORTEST_NAME = 3;

function createNameFinder({ frames }: StackGrid): (name: string) => number | undefined {
  const single = frames.filter(({ file }) => file.frameCount === 1);
  const places = new Map<string, number>();
  for (const { file, place } of single) {
    places.set(file.sopInstanceUid, place);
    const name = nameOf(file.path);
    if (name.length >= SHORTEST_NAME) places.set(name, place);
  }
  return (name) => {
    // The longest part of the name that is a name of an image, at the boundaries of words.
    for (let length = name.length; length >= SHORTEST_NAME; length -= 1) {
      for (let from = 0; from + length <= name.length; from += 1) {
        const place = places.get(name.slice(from, from + length));
        if (place !== undefined && isBoundary(name, from) && isBoundary(name, from + length)) return place;
      }
    }
    return undefined;
  };
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && /[\dA-Za-z]/.test(character);
}

function isBoundary(name: string, at: number): boolean {
  return !(isInWord(name[at - 1]) && isInWord(name[at]));
}
