import type { FileRecord } from '../../shared/contract/files.ts';
import type { FrameAddress } from '../kit/api/frames.ts';
import { cellOf, cellsOf, useCells } from '../kit/state/cells.ts';
import { findFile, useLibrary } from '../kit/state/library.ts';
import { type Page, usePage } from '../kit/state/page.ts';
import { pictureOf, usePicture } from '../show/pictures/pictureKinds.ts';

export function activeCell(page: Page): number {
  return cellsOf(page).getState().activeCell;
}

export function hasImage(page: Page): boolean {
  return (pictureOf(page, activeCell(page))?.positions ?? 0) > 0;
}

export function hasSeveralImages(page: Page): boolean {
  const picture = pictureOf(page, activeCell(page));
  return picture !== undefined && picture.traits.scrolls && picture.positions > 1;
}

export function canPlay(page: Page): boolean {
  return hasSeveralImages(page) && pictureOf(page, activeCell(page))?.traits.plays === true;
}

/** The file that the active cell shows: its image, or its tags if it has none. */
export function activeFile(page: Page): FileRecord | undefined {
  const picture = pictureOf(page, activeCell(page));
  const { position } = cellOf(page, activeCell(page));
  const place = picture?.fileOf(position) ?? picture?.headerOf?.(position);
  return place?.file ?? findFile(page, picture?.stack?.fileIndex);
}

/** The file that contains what the active cell shows; undefined for a picture that is in no file, such as a plane. */
export function storedFile(page: Page): FileRecord | undefined {
  const picture = pictureOf(page, activeCell(page));
  return picture !== undefined && picture.headerOf !== undefined ? undefined : activeFile(page);
}

/** A frame of the stack that the active cell shows, if the stack may be a volume: no slide, nothing in color. */
export function volumeFrame(page: Page): FrameAddress | undefined {
  const picture = pictureOf(page, activeCell(page));
  const { position } = cellOf(page, activeCell(page));
  const place = picture?.fileOf(position) ?? picture?.headerOf?.(position);
  if (place === undefined || picture?.traits.frames === 'tiles') return undefined;
  const { index, has_pixels: hasPixels, samples_per_pixel: samplesPerPixel } = place.file;
  return hasPixels && samplesPerPixel === 1 ? { fileIndex: index, frame: place.frame } : undefined;
}

export function useActiveFile(): FileRecord | undefined {
  const page = usePage();
  const cell = useCells((state) => state.activeCell);
  const picture = usePicture(cell);
  const fileIndex = useCells(({ cells }) => {
    const position = cells[cell]?.position ?? 0;
    const place = picture?.fileOf(position) ?? picture?.headerOf?.(position);
    return place?.file.index ?? picture?.stack?.fileIndex;
  });
  return useLibrary(() => findFile(page, fileIndex));
}
