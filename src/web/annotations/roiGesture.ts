import type { RoiBox } from '../../shared/contract/annotations.ts';
import type { Point, Size } from '../state/viewState.ts';
import { applyMatrix, invertMatrix } from '../viewport/viewTransform.ts';
import { addRoi, changeRoi } from './roiActions.ts';
import { pageRois } from './pageRois.ts';
import type { Roi } from './roi.ts';
import { drawBox, moveBox, resizeBox } from './roiEditing.ts';
import { findHit, type RoiHit } from './roiScreen.ts';
import { roisOn, type ShownFrame } from './shownFrame.ts';

/** One press, until its release. Points are of the image: the view may change while the hand moves. */
export type RoiGesture = {
  readonly shown: ShownFrame;
  /** The ROI that it changes; undefined while one is being drawn. */
  readonly roi: Roi | undefined;
  readonly boxAt: (point: Point) => RoiBox;
  /** After a drag that ended here. */
  readonly commit: (point: Point) => void;
  /** After a press without a drag. */
  readonly click: () => void;
};

export type RoiPress = {
  readonly shown: ShownFrame;
  /** In CSS pixels from the cell's top left corner. */
  readonly at: Point;
  readonly reach: number;
  /** With the ROI tool a press draws; with any other it takes only what lies under it. */
  readonly isRoiTool: boolean;
};

/** What a press on the image begins; undefined where it is none of the ROIs' business. */
export function beginGesture({ shown, at, reach, isRoiTool }: RoiPress): RoiGesture | undefined {
  const fileIndex = shown.file.index;
  const { files, selection } = pageRois.store.getState();
  if (files.get(fileIndex)?.load.kind !== 'loaded') return undefined;
  const selectedId = selection?.fileIndex === fileIndex ? selection.id : undefined;
  const hit = findHit(at, { rois: roisOn(shown), selectedId, imageToScreen: shown.screen.imageToScreen, reach });
  const isTaken = hit !== undefined && (hit.part !== 'inside' || (isRoiTool && hit.roi.id === selectedId));
  const from = toImagePoint(shown, at);
  if (isTaken) return changeGesture(shown, from, hit);
  return isRoiTool ? drawGesture(shown, from, hit) : undefined;
}

function drawGesture(shown: ShownFrame, from: Point, hit: RoiHit | undefined): RoiGesture {
  const boxAt = (to: Point) => drawBox(from, to, sizeOfImage(shown));
  return {
    shown,
    roi: undefined,
    boxAt,
    commit: (to) => addRoi(shown.file, boxAt(to), shown.frame),
    click: () => pageRois.select(hit && { fileIndex: shown.file.index, id: hit.roi.id }),
  };
}

function changeGesture(shown: ShownFrame, from: Point, hit: RoiHit): RoiGesture {
  const { roi } = hit;
  const selection = { fileIndex: shown.file.index, id: roi.id };
  const boxAt = (to: Point) => {
    const by = { x: to.x - from.x, y: to.y - from.y };
    const image = sizeOfImage(shown);
    return hit.part === 'handle' ? resizeBox(roi.box, hit.handle, by, image) : moveBox(roi.box, by, image);
  };
  return {
    shown,
    roi,
    boxAt,
    commit(to) {
      pageRois.select(selection);
      const box = boxAt(to);
      if (String(box) !== String(roi.box)) changeRoi(selection, { box }, shown.frame);
    },
    click: () => pageRois.select(selection),
  };
}

export function toImagePoint({ screen }: ShownFrame, at: Point): Point {
  return applyMatrix(invertMatrix(screen.imageToScreen), at);
}

function sizeOfImage({ file }: ShownFrame): Size {
  return { width: file.columns, height: file.rows };
}
