import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import type { Point, Size } from '../../../kit/state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { addRoi, changeRoi } from './roiActions.ts';
import { roisOf } from './roiFiles.ts';
import type { Roi } from './roi.ts';
import { drawBox, moveBox, resizeBox } from './roiEditing.ts';
import { findHit, isTaken, type RoiHit } from './roiScreen.ts';
import { marksOf, selectMark } from '../sync/marks.ts';
import { roisOn } from './roisOnFrame.ts';

export type RoiGesture = MarkGesture & {
  /** The ROI that the gesture changes; undefined while a new one is being drawn. */
  readonly roi: Roi | undefined;
  readonly boxAt: (point: Point) => RoiBox;
};

/** The gesture that a press on the image starts; undefined if the press does not concern ROIs. */
export function beginGesture(page: Page, { shown, at, reach, isOwnTool }: MarkPress): RoiGesture | undefined {
  if (roisOf(page).store.getState().files.get(shown.file.index)?.load.kind === 'failed') return undefined;
  const { selected } = marksOf(page).getState();
  const hit = findHit(at, { rois: roisOn(page, shown), selected, imageToScreen: shown.screen.imageToScreen, reach });
  const from = toImagePoint(shown, at);
  if (hit !== undefined && isTaken(hit, { isOwnTool, selected })) return changeGesture(page, shown, from, hit);
  return isOwnTool ? drawGesture(page, shown, from, hit) : undefined;
}

function drawGesture(page: Page, shown: ShownFrame, from: Point, hit: RoiHit | undefined): RoiGesture {
  const boxAt = (to: Point) => drawBox(from, to, sizeOfImage(shown));
  return {
    roi: undefined,
    boxAt,
    commit: (to) => addRoi(page, shown.file, boxAt(to), shown.frame),
    click: () => selectMark(page, hit?.roi.uid),
  };
}

function changeGesture(page: Page, shown: ShownFrame, from: Point, hit: RoiHit): RoiGesture {
  const { roi } = hit;
  const address = { fileIndex: shown.file.index, uid: roi.uid };
  const boxAt = (to: Point) => {
    const by = { x: to.x - from.x, y: to.y - from.y };
    const image = sizeOfImage(shown);
    return hit.part === 'handle' ? resizeBox(roi.box, hit.handle, by, image) : moveBox(roi.box, by, image);
  };
  return {
    roi,
    boxAt,
    commit(to) {
      selectMark(page, roi.uid);
      const box = boxAt(to);
      if (String(box) !== String(roi.box)) changeRoi(page, address, { box }, shown.frame);
    },
    click: () => selectMark(page, roi.uid),
  };
}

function sizeOfImage({ file }: ShownFrame): Size {
  return { width: file.columns, height: file.rows };
}
