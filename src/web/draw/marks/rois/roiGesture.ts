import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { Point, Size } from '../../../kit/state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { addRoi, changeRoi } from './roiActions.ts';
import { describeBoxSize } from './roiDrawing.ts';
import { roisOf } from './roiFiles.ts';
import type { Roi } from './roi.ts';
import { drawBox, moveBox, resizeBox } from './roiEditing.ts';
import { findHit, isTaken, type RoiHit } from './roiScreen.ts';
import { marksOf, selectMark } from '../sync/marks.ts';
import { roisOn } from './roisOnFrame.ts';

export type RoiGesture = MarkGesture & {
  /** The ROI that the gesture changes; undefined while a new one is being drawn. */
  readonly roi: Roi | undefined;
  /** The resulting box, and what is written beside it. */
  readonly draftAt: (point: Point) => { readonly box: RoiBox; readonly label: string };
};

/** The gesture that a press on the image starts; undefined if the press does not concern ROIs. */
export function beginGesture(page: Page, { shown, at, reach, isOwnTool }: MarkPress): RoiGesture | undefined {
  const { file, frame } = shown;
  if (roisOf(page).store.getState().files.get(file.index)?.load.kind === 'failed') return undefined;
  const { selected } = marksOf(page).getState();
  const hit = findRoiAt(page, { shown, at, reach });
  const start = { from: toImagePoint(shown, at), image: { width: file.columns, height: file.rows } };
  if (hit !== undefined && isTaken(hit, { isOwnTool, selected })) {
    const address = { fileIndex: file.index, uid: hit.roi.uid };
    return dragRoi(page, { ...start, hit, change: (box) => changeRoi(page, address, { box }, frame) });
  }
  return isOwnTool ? drawRoi(page, { ...start, hit, add: (box) => addRoi(page, file, box, frame) }) : undefined;
}

/** The ROI under the pointer. */
export function findRoiAt(page: Page, { shown, at, reach }: Omit<MarkPress, 'isOwnTool'>): RoiHit | undefined {
  const { selected } = marksOf(page).getState();
  return findHit(at, { rois: roisOn(page, shown), selected, imageToScreen: shown.screen.imageToScreen, reach });
}

type Start = {
  readonly from: Point;
  /** Of what the box must stay in. */
  readonly image: Size;
};

type NewRoi = Start & {
  /** What a click selects. */
  readonly hit: RoiHit | undefined;
  readonly add: (box: RoiBox) => void;
};

export function drawRoi(page: Page, { from, image, hit, add }: NewRoi): RoiGesture {
  const boxAt = (to: Point) => drawBox(from, to, image);
  return {
    roi: undefined,
    draftAt: (to) => ({ box: boxAt(to), label: describeBoxSize(boxAt(to)) }),
    commit: (to) => add(boxAt(to)),
    click: () => selectMark(page, hit?.roi.uid),
  };
}

type DraggedRoi = Start & {
  readonly hit: RoiHit;
  readonly change: (box: RoiBox) => void;
  /** For a ROI on several tiles: its box there, in pixels of the tile, and where that is in the picture. */
  readonly onTile?: {
    readonly box: RoiBox;
    readonly scaleX: number;
    readonly scaleY: number;
    readonly toPicture: (box: RoiBox) => RoiBox;
  };
};

/** Moves the box, or the edges of one handle. */
export function dragRoi(page: Page, { from, image, hit, change, onTile }: DraggedRoi): RoiGesture {
  const { roi } = hit;
  const { box: before, scaleX, scaleY, toPicture } = onTile ?? { ...IN_PICTURE, box: roi.box };
  const boxAt = (to: Point) => {
    const by = { x: (to.x - from.x) / scaleX, y: (to.y - from.y) / scaleY };
    return hit.part === 'handle' ? resizeBox(before, hit.handle, by, image) : moveBox(before, by, image);
  };
  return {
    roi,
    draftAt: (to) => ({ box: toPicture(boxAt(to)), label: describeBoxSize(boxAt(to)) }),
    commit(to) {
      selectMark(page, roi.uid);
      const box = boxAt(to);
      if (String(box) !== String(before)) change(box);
    },
    click: () => selectMark(page, roi.uid),
  };
}

const IN_PICTURE = { scaleX: 1, scaleY: 1, toPicture: (box: RoiBox) => box };
