import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { spreadPlaces } from '../../../shared/keySlices.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import { layerNameOf } from '../../kit/state/layers.ts';
import { findFile, libraryOf, stackOf } from '../../kit/state/library.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { GalleryLook } from './galleryLook.ts';
import { type GalleryWish, widthToAsk } from './galleryPictures.ts';

/** What a row of the table is, as far as its pictures need it. */
export type PicturedRow = { readonly file: number; readonly study: string | null };

export type TileScene = {
  readonly level: TableLevel;
  readonly look: GalleryLook;
  /** Width of a picture on the screen. */
  readonly picturePx: number;
  /** Changes with the marks. */
  readonly marksVersion: number;
  /** Whether layers were named that are compared. */
  readonly isCompared: boolean;
};

/** The pictures that stand for a row; none for a document, and for a row whose file the page does not know yet. */
export function listWishes(page: Page, row: PicturedRow, scene: TileScene): readonly GalleryWish[] {
  const { level, look, picturePx, marksVersion } = scene;
  const file = findFile(page, row.file);
  if (file === undefined) return [];
  const width = widthToAsk(picturePx);
  if (level === 'file' && hasPictures(file)) {
    return [{ kind: 'frame', fileIndex: file.index, frame: file.frame_count >> 1, size: width }];
  }
  const { slices, plane, hasLayers } = look;
  const hasErrors = look.hasErrors && scene.isCompared;
  const sheet = { kind: 'sheet', plane, hasLayers, hasErrors, version: hasLayers ? marksVersion : 0 } as const;
  if (level !== 'study') return hasSheet(file) ? [{ ...sheet, fileIndex: file.index, slices, width }] : [];
  const series = seriesOfStudies(page).get(row.study ?? '') ?? [];
  const shown = spreadPlaces(series.length, slices).flatMap((place) => series[place] ?? []);
  const across = Math.max(1, Math.ceil(Math.sqrt(shown.length)));
  const part = widthToAsk(picturePx / across);
  return shown.map((fileIndex) => ({ ...sheet, fileIndex, slices: 1, width: part }));
}

/** The frames that the pointer goes through over a row. */
export function listScrubbed(page: Page, row: PicturedRow, level: TableLevel): readonly FrameAddress[] {
  const file = findFile(page, row.file);
  if (file === undefined || !hasPictures(file)) return [];
  const { frames, kind } = stackOf(page, file);
  // The stored frames of a slide are its tiles.
  if (kind === 'wsi_pyramid_level' || kind === 'wsi_companion') return [];
  return level === 'file' ? frames.filter(({ fileIndex }) => fileIndex === file.index) : frames;
}

/** Whether it has pictures of its own. */
export function hasPictures({ support_state: state }: FileRecord): boolean {
  return state === 'renderable';
}

/** Objects that are drawn over images have sheets of these images. */
function hasSheet(file: FileRecord): boolean {
  if (hasPictures(file)) return true;
  const name = layerNameOf(file);
  return name !== undefined && !LAYER_OBJECTS[name].isReadFirst && !LAYER_OBJECTS[name].isImage;
}

const studiesOf = definePart(
  () => new WeakMap<ReadonlyMap<string, ViewStack>, ReadonlyMap<string, readonly number[]>>(),
);

/** By study: a file of each of its series of images, in the order of the explorer. */
function seriesOfStudies(page: Page): ReadonlyMap<string, readonly number[]> {
  const { stacks } = libraryOf(page).getState();
  const known = studiesOf(page).get(stacks);
  if (known !== undefined) return known;
  const studies = new Map<string, number[]>();
  const seen = new Set<string>();
  for (const { studyUid = '', seriesUid = '', fileIndex } of stacks.values()) {
    const key = `${studyUid}/${seriesUid}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const series = studies.get(studyUid);
    if (series === undefined) studies.set(studyUid, [fileIndex]);
    else series.push(fileIndex);
  }
  studiesOf(page).set(stacks, studies);
  return studies;
}
