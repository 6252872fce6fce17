import type { RoiBox } from '../../../src/shared/contract/annotations.ts';
import { mergeRois } from '../../../src/web/draw/marks/rois/mergeRois.ts';
import { mergeSlideRois } from '../../../src/web/draw/marks/rois/mergeSlideRois.ts';
import { parsePayload, roisByFile, type RoiMark } from '../../../src/web/draw/marks/rois/roi.ts';
import { addRoi, changeRoi } from '../../../src/web/draw/marks/rois/roiActions.ts';
import { roisOf } from '../../../src/web/draw/marks/rois/roiFiles.ts';
import { readUnits } from '../../../src/web/draw/marks/rois/slideBoxes.ts';
import { listSlideRois } from '../../../src/web/draw/marks/rois/slideRois.ts';
import { putSlideBox } from '../../../src/web/draw/marks/rois/slideRoiActions.ts';
import { removeMarks } from '../../../src/web/draw/marks/removeMarks.ts';
import { findFile } from '../../../src/web/kit/state/library.ts';
import type { Page } from '../../../src/web/kit/state/page.ts';
import type { PictureChoice, ShownTiles, Tile, TileIndex } from '../../../src/web/kit/state/shownTiles.ts';
import { isOverlapping } from '../../../src/web/kit/state/viewState.ts';
import { reportOf, setReport } from '../../../src/web/show/pictures/viewports.ts';
import type { Writing } from './marksOfTab.ts';

/** The file of ROIs on tiles, by its name. */
export const TILED = 3;
/** 4 x 3 tiles of 10 x 6 pixels, the last ones cut: 37 x 16 pixels. */
export const TILE = { rows: 6, columns: 10, frames: 12 };
const SLIDE_SIZE = { width: 37, height: 16 };
const PICTURE: PictureChoice = { path: '1', planeUm: 0, planeIndex: 0 };

export const ROI_SCOPES = ['frame', 'all', 'tiles'] as const;

export type RoiEdit =
  | { readonly do: 'drawRoi'; readonly on: (typeof ROI_SCOPES)[number] }
  | { readonly do: 'moveRoi' | 'deleteRoi'; readonly mark: number };

/** Shows the slide in the only cell of the page. */
export function showTiles(page: Page, fileIndex: number): void {
  setReport(page, 0, { ...reportOf(page, 0), tiles: createTiles(fileIndex) });
}

export function editRois(page: Page, one: RoiEdit, { count, order }: Writing): void {
  const { tiles } = reportOf(page, 0);
  if (tiles === undefined) throw new Error('the page shows no slide');
  if (one.do === 'drawRoi') {
    if (one.on === 'tiles') {
      putSlideBox(page, tiles, undefined, slideBox(count));
      return;
    }
    const file = findFile(page, order.indexOf(count % 2));
    if (file === undefined) throw new Error('the page does not know the file');
    roisOf(page).setNewRoisOn(one.on);
    addRoi(page, file, boxOf(count), count % file.frame_count);
    return;
  }
  const onFrames = [...roisByFile(page)].flatMap(([fileIndex, rois]) =>
    order[fileIndex] === TILED ? [] : rois.map(({ uid }) => ({ fileIndex, uid })),
  );
  const chosen = [...onFrames, ...listSlideRois(tiles, roisByFile(page))][one.mark];
  if (chosen === undefined) return;
  if (one.do === 'deleteRoi') removeMarks(page, [chosen.uid]);
  else if ('unit' in chosen) putSlideBox(page, tiles, chosen, slideBox(count));
  else changeRoi(page, chosen, { box: boxOf(count), frames: count % 3 === 0 ? [] : [count % 3] });
}

/** Answers the question about the ROIs of each file. Returns what is given up by that. */
export function answerQuestions(
  page: Page,
  choice: 'mine' | 'theirs' | 'both',
  order: readonly number[],
): readonly string[] {
  const { troubles } = roisOf(page).sync.store.getState();
  const { tiles } = reportOf(page, 0);
  const given: string[] = [];
  for (const [key, trouble] of troubles) {
    if (trouble.kind !== 'conflict') continue;
    const fileIndex = Number(key);
    const index = order[fileIndex] === TILED ? tiles?.levels[0]?.index : undefined;
    const tokensOfFile = (rois: readonly RoiMark[]) => roiTokens(new Map([[fileIndex, rois]]), order);
    const mine = tokensOfFile(roisByFile(page).get(fileIndex) ?? []);
    const theirs = tokensOfFile(parsePayload(trouble.theirs.payload));
    if (choice === 'mine') given.push(...theirs.filter((one) => !mine.includes(one)));
    else if (choice === 'theirs') given.push(...mine.filter((one) => !theirs.includes(one)));
    roisOf(page).resolve(
      fileIndex,
      choice,
      index === undefined ? mergeRois : (divergence) => mergeSlideRois(divergence, { fileIndex, index }),
    );
  }
  return given;
}

/** What ROIs say, with names of files that are the same in each run. */
export function roiTokens(lists: ReadonlyMap<number, readonly RoiMark[]>, order: readonly number[]): readonly string[] {
  return [...lists].flatMap(([fileIndex, rois]) => {
    const name = order[fileIndex]!;
    if (name !== TILED) return rois.map((roi) => tokenOf(name, roi));
    return readUnits(new Map([[fileIndex, rois]]), createIndex(fileIndex)).map(
      ({ box, parts }) => `roi ${JSON.stringify(box ?? parts.map(({ marks }) => marks))} on the slide`,
    );
  });
}

function tokenOf(name: number, { box, frames }: RoiMark): string {
  return `roi ${box.join(' ')} on ${frames.join(' ')} of ${name}`;
}

/** Another one for each number. */
function boxOf(count: number): RoiBox {
  return [count % 90, 3, (count % 90) + 5, 4 + Math.floor(count / 90)];
}

/** Another one for each number, over one to six tiles; many begin or end at the edge of a tile. */
function slideBox(count: number): RoiBox {
  const [left, top] = [(count * 5) % 36, Math.floor(count / 36) * 3];
  return [top, left, Math.min(16, top + 3 + (count % 4) * 3), Math.min(37, left + 2 + ((count * 4) % 15))];
}

function createTiles(fileIndex: number): ShownTiles {
  const index = createIndex(fileIndex);
  const scale = { scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0 };
  const level = { ...SLIDE_SIZE, ...scale, fileIndices: [fileIndex], tileWidth: 10, tileHeight: 6, index };
  return {
    fileIndices: [fileIndex],
    levels: [level],
    choice: PICTURE,
    level: 0,
    visible: { x: 0, y: 0, ...SLIDE_SIZE },
    select: () => undefined,
    need: () => undefined,
    place: () => undefined,
  };
}

function createIndex(fileIndex: number): TileIndex {
  const tiles = Array.from({ length: TILE.frames }, (_, frame): Tile => {
    const [x, y] = [(frame % 4) * TILE.columns, Math.floor(frame / 4) * TILE.rows];
    const [width, height] = [Math.min(TILE.columns, SLIDE_SIZE.width - x), Math.min(TILE.rows, SLIDE_SIZE.height - y)];
    return { fileIndex, frame, x, y, width, height, fromX: 0, fromY: 0 };
  });
  return {
    list: (rectangle) => tiles.filter((tile) => isOverlapping(tile, rectangle)),
    place(address) {
      const tile = address.fileIndex === fileIndex ? tiles[address.frame] : undefined;
      return tile && { tile, picture: PICTURE };
    },
    filesOf: () => [fileIndex],
    frameCountOf: () => TILE.frames,
  };
}
