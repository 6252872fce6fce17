import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ShownTiles } from '../../../kit/state/shownTiles.ts';
import { type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { changeRoi } from './roiActions.ts';
import { marksOf } from '../sync/marks.ts';
import { roisOf } from './roiFiles.ts';
import { dragRoi, drawRoi, type RoiGesture } from './roiGesture.ts';
import { findHit, isTaken } from './roiScreen.ts';
import { putSlideBox } from './slideRoiActions.ts';
import { onLevel, type SlideRoi, toSlideBox } from './slideRois.ts';

/** `rois` are the visible ones. */
export type SlideMarks = { readonly tiles: ShownTiles; readonly rois: readonly SlideRoi[] };

/** The gesture that a press on a slide starts; undefined if the press does not concern ROIs. */
export function beginSlideGesture(
  page: Page,
  { shown, at, reach, isOwnTool }: MarkPress,
  { tiles, rois }: SlideMarks,
): RoiGesture | undefined {
  const { selected } = marksOf(page).getState();
  const hit = findHit(at, { rois, selected, imageToScreen: shown.screen.imageToScreen, reach });
  const from = toImagePoint(shown, at);
  const { image } = shown.screen;
  if (hit !== undefined && isTaken(hit, { isOwnTool, selected })) {
    const { fileIndex, uid, tile, unit, box } = hit.roi;
    const level = tiles.levels[hit.roi.level];
    if (tile === undefined || level === undefined) {
      return dragRoi(page, { from, image, hit, change: (next) => putSlideBox(page, tiles, hit.roi, next) });
    }
    // A ROI on several separate tiles stays on those tiles.
    const toPicture = (own: RoiBox) => toSlideBox(onLevel(own, tile), level);
    return dragRoi(page, {
      from,
      image: { width: tile.fromX + tile.width, height: tile.fromY + tile.height },
      hit,
      onTile: { box: unit.parts[0]?.marks[0]?.box ?? box, scaleX: level.scaleX, scaleY: level.scaleY, toPicture },
      change: (next) => changeRoi(page, { fileIndex, uid }, { box: next }, tile.frame),
    });
  }
  const { files } = roisOf(page).store.getState();
  const [largest] = tiles.levels;
  const isReady = largest?.fileIndices.every((index) => files.get(index)?.load.kind === 'loaded');
  if (!isOwnTool || largest?.index === undefined || isReady !== true) return undefined;
  return drawRoi(page, { from, image, hit, add: (box) => putSlideBox(page, tiles, undefined, box) });
}
