import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import { cellOf, setView } from '../../../kit/state/cells.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { PictureChoice, ShownLevel, ShownTiles } from '../../../kit/state/shownTiles.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { roisOf } from './roiFiles.ts';
import { createMarkUid, selectMark } from '../sync/marks.ts';
import { type Roi, roisByFile, roisOfFile } from './roi.ts';
import { changeUnits, cutBox, fitToTiles, isSamePlane, type LevelMarks, type SlideUnit } from './slideBoxes.ts';
import { listSlideRois, type SlideRoi, toLevelBox, toRectangle } from './slideRois.ts';

/**
 * A box over more tiles than this is stored on a coarser level, in whole pixels of that level. With tiles of 256 pixels
 * such a box is 16,000 pixels wide and high. Rounding moves its edges by at most half a pixel of that level, which is
 * one pixel of the slide at half resolution.
 */
export const MOST_TILES = 4_096;

/** Adds, replaces or deletes a box as one step, regardless of the number of ROIs it is stored as. */
export function putSlideBox(
  page: Page,
  tiles: ShownTiles,
  before: SlideRoi | undefined,
  box: RoiBox | undefined,
): void {
  const picture = before?.picture ?? tiles.choice;
  const after = box && storeBox(tiles, box, picture, before?.uid);
  if (box !== undefined && after === undefined) return;
  const levels = new Set([before?.level, after?.level].filter((level) => level !== undefined));
  const changed = new Map<number, readonly Roi[]>();
  for (const at of levels) {
    const level = tiles.levels[at];
    const known = level && listMarks(page, level);
    if (level?.index === undefined || known === undefined) return;
    const next = changeUnits(known, {
      index: level.index,
      before: before?.level === at ? before.unit : undefined,
      after: after?.level === at ? after.unit : undefined,
    });
    for (const [file, rois] of next) if (!haveSameItems(rois, known.get(file))) changed.set(file, giveUids(rois));
  }
  const place = after?.unit.parts[0] ?? before?.unit.parts[0];
  const [mark] = place?.marks ?? [];
  if (place === undefined || mark === undefined) return;
  roisOf(page).editTogether(changed, { fileIndex: place.fileIndex, frame: mark.frames[0] ?? 0 });
  if (after !== undefined) selectMark(page, mark.uid);
}

type Stored = { readonly level: number; readonly unit: SlideUnit<Roi> };

/** Stores the box on the finest level where it covers at most MOST_TILES tiles, otherwise on the coarsest. */
function storeBox(tiles: ShownTiles, box: RoiBox, picture: PictureChoice, uid: string | undefined): Stored | undefined {
  const fits = tiles.levels.findIndex((level) => countTiles(box, level) <= MOST_TILES);
  const at = fits < 0 ? tiles.levels.length - 1 : fits;
  const level = tiles.levels[at];
  if (level?.index === undefined) {
    tiles.need([at]);
    return undefined;
  }
  const fitted = fitToTiles(toLevelBox(box, level), picture, level.index);
  const [tile] = fitted === undefined ? [] : level.index.list(fitted, picture);
  if (fitted === undefined || tile === undefined) return undefined;
  let next = uid;
  const parts = cutBox(fitted, picture, level.index).map((part) => ({
    fileIndex: part.fileIndex,
    marks: part.marks.map((mark): Roi => {
      const own = { ...mark, uid: next ?? createMarkUid() };
      next = undefined;
      return own;
    }),
  }));
  // Uses the picture that reading will return, because the shown one may say less, such as no height.
  return { level: at, unit: { box: fitted, picture: level.index.place(tile)?.picture ?? picture, parts } };
}

function countTiles(box: RoiBox, level: ShownLevel): number {
  const { x, y, width, height } = toLevelBox(box, level);
  const across = Math.ceil((x + width) / level.tileWidth) - Math.floor(x / level.tileWidth);
  const down = Math.ceil((y + height) / level.tileHeight) - Math.floor(y / level.tileHeight);
  return across * down;
}

/** Undefined until the ROIs of all files are loaded. */
function listMarks(page: Page, { fileIndices }: ShownLevel): LevelMarks<Roi> | undefined {
  const { files } = roisOf(page).store.getState();
  const marks = new Map<number, readonly Roi[]>();
  for (const index of fileIndices) {
    const known = files.get(index);
    if (known?.load.kind !== 'loaded') return undefined;
    marks.set(index, roisOfFile(page, index));
  }
  return marks;
}

/** Each repetition of a listed ROI needs a uid of its own. */
function giveUids(rois: readonly Roi[]): readonly Roi[] {
  const seen = new Set<string>();
  return rois.map((roi) => {
    if (!seen.has(roi.uid)) {
      seen.add(roi.uid);
      return roi;
    }
    return { ...roi, uid: createMarkUid() };
  });
}

/** Adds a box without a mouse: in the middle of the view, half as wide and high as the view. */
export function addBoxInView(page: Page, tiles: ShownTiles): void {
  const { x, y, width, height } = tiles.visible;
  const [left, top] = [Math.round(x + width / 4), Math.round(y + height / 4)];
  const right = Math.max(left + 1, Math.round(x + (width * 3) / 4));
  const bottom = Math.max(top + 1, Math.round(y + (height * 3) / 4));
  putSlideBox(page, tiles, undefined, [top, left, bottom, right]);
}

export function findSlideRoi(page: Page, tiles: ShownTiles, uid: string | undefined): SlideRoi | undefined {
  return listSlideRois(tiles, roisByFile(page)).find((roi) => roi.uid === uid);
}

/** Deletes a box, or a ROI on several separate tiles. */
export function deleteSlideRoi(page: Page, tiles: ShownTiles, roi: SlideRoi): void {
  putSlideBox(page, tiles, roi, undefined);
}

/** Selects a box and brings it into view: its focal plane, its middle, and all of it. */
export function jumpToSlideRoi(page: Page, cell: number, roi: SlideRoi): void {
  const { tiles, screen } = reportOf(page, cell);
  if (tiles === undefined || screen === undefined) return;
  selectMark(page, roi.uid);
  if (roi.picture !== undefined && !isSamePlane(roi.picture, tiles.choice)) {
    tiles.select({ ...tiles.choice, planeUm: roi.picture.planeUm, planeIndex: roi.picture.planeIndex });
  }
  if (roi.unit.box === undefined) return;
  const { x, y, width, height } = toRectangle(roi.box);
  const { zoom, pixelRatio } = screen;
  const largest = Math.min((screen.width * pixelRatio) / width, (screen.height * pixelRatio) / height) * 0.8;
  const center = { x: x + width / 2, y: y + height / 2 };
  setView(page, cell, { ...cellOf(page, cell).view, zoom: Math.min(zoom, largest), center });
}
