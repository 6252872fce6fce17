import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ShownLevel, ShownTiles, Tile } from '../../../kit/state/shownTiles.ts';
import type { Point, Size } from '../../../kit/state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { changeRoi } from './roiActions.ts';
import { describeBoxSize } from './roiDrawing.ts';
import { marksOf, selectMark } from '../sync/marks.ts';
import { roisOf } from './roiFiles.ts';
import { drawBox, moveBox, resizeBox } from './roiEditing.ts';
import { findHit, isTaken, type RoiHit } from './roiScreen.ts';
import { putSlideBox } from './slideRoiActions.ts';
import { onLevel, type SlideRoi, toSlideBox } from './slideRois.ts';

export type SlideRoiGesture = MarkGesture & {
  readonly roi: SlideRoi | undefined;
  /** The resulting box, in pixels of the slide. */
  readonly draftAt: (point: Point) => { readonly box: RoiBox; readonly label: string };
};

/** `rois` are the visible ones. */
export type SlideMarks = { readonly tiles: ShownTiles; readonly rois: readonly SlideRoi[] };

/** The gesture that a press on a slide starts; undefined if the press does not concern ROIs. */
export function beginSlideGesture(
  page: Page,
  press: MarkPress,
  { tiles, rois }: SlideMarks,
): SlideRoiGesture | undefined {
  const { shown, at, reach, isOwnTool } = press;
  const { files } = roisOf(page).store.getState();
  const { selected } = marksOf(page).getState();
  const hit = findHit(at, { rois, selected, imageToScreen: shown.screen.imageToScreen, reach });
  const from = toImagePoint(shown, at);
  const { image } = shown.screen;
  if (hit !== undefined && isTaken(hit, { isOwnTool, selected }))
    return changeGesture(page, from, hit, { tiles, image });
  const [largest] = tiles.levels;
  const isReady = largest?.fileIndices.every((index) => files.get(index)?.load.kind === 'loaded');
  if (!isOwnTool || largest?.index === undefined || isReady !== true) return undefined;
  return drawGesture(page, from, hit, { tiles, image });
}

type Ground = { readonly tiles: ShownTiles; readonly image: Size };

function drawGesture(
  page: Page,
  from: Point,
  hit: RoiHit<SlideRoi> | undefined,
  { tiles, image }: Ground,
): SlideRoiGesture {
  const boxAt = (to: Point) => drawBox(from, to, image);
  return {
    roi: undefined,
    draftAt: (to) => ({ box: boxAt(to), label: describeBoxSize(boxAt(to)) }),
    commit: (to) => putSlideBox(page, tiles, undefined, boxAt(to)),
    click: () => selectMark(page, hit?.roi.uid),
  };
}

function changeGesture(page: Page, from: Point, hit: RoiHit<SlideRoi>, { tiles, image }: Ground): SlideRoiGesture {
  const { roi } = hit;
  const level = tiles.levels[roi.level];
  if (roi.tile !== undefined && level !== undefined) return tileGesture(page, from, hit, { tile: roi.tile, level });
  const boxAt = (to: Point) => {
    const by = { x: to.x - from.x, y: to.y - from.y };
    return hit.part === 'handle' ? resizeBox(roi.box, hit.handle, by, image) : moveBox(roi.box, by, image);
  };
  return {
    roi,
    draftAt: (to) => ({ box: boxAt(to), label: describeBoxSize(boxAt(to)) }),
    commit(to) {
      selectMark(page, roi.uid);
      const box = boxAt(to);
      if (String(box) !== String(roi.box)) putSlideBox(page, tiles, roi, box);
    },
    click: () => selectMark(page, roi.uid),
  };
}

type OnTile = { readonly tile: Tile; readonly level: ShownLevel };

/** A ROI on several separate tiles stays on those tiles. */
function tileGesture(page: Page, from: Point, hit: RoiHit<SlideRoi>, { tile, level }: OnTile): SlideRoiGesture {
  const { roi } = hit;
  const own = roi.unit.parts[0]?.marks[0]?.box ?? roi.box;
  const address = { fileIndex: roi.fileIndex, uid: roi.uid };
  const image = { width: tile.fromX + tile.width, height: tile.fromY + tile.height };
  const boxAt = (to: Point) => {
    const by = { x: (to.x - from.x) / level.scaleX, y: (to.y - from.y) / level.scaleY };
    return hit.part === 'handle' ? resizeBox(own, hit.handle, by, image) : moveBox(own, by, image);
  };
  return {
    roi,
    draftAt: (to) => ({ box: toSlideBox(onLevel(boxAt(to), tile), level), label: describeBoxSize(boxAt(to)) }),
    commit(to) {
      selectMark(page, roi.uid);
      const box = boxAt(to);
      if (String(box) !== String(own)) changeRoi(page, address, { box }, tile.frame);
    },
    click: () => selectMark(page, roi.uid),
  };
}
