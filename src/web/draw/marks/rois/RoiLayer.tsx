import { stackOfCell } from '../../../kit/state/cells.ts';
import { type FrameOrder, orderOf } from '../../../kit/state/frameOrder.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import type { HeldMark, Marks } from '../../../show/tools/followMarks.ts';
import { roisOf } from './roiFiles.ts';
import { createRoiDrawing, nameRoi, type RoiScene } from './roiDrawing.ts';
import { beginGesture, findRoiAt, type RoiGesture } from './roiGesture.ts';
import { cursorAt } from './roiScreen.ts';
import { hiddenMarksOf } from '../shapes/hiddenMarks.ts';
import { marksOf, selectMark } from '../sync/marks.ts';
import { roisOfFile } from './roi.ts';
import { roisOn } from './roisOnFrame.ts';
import { MarkLayer } from '../../../show/tools/MarkLayer.tsx';
import styles from './RoiLayer.module.css';

/** The ROIs over the image of one cell. */
export function RoiLayer({ cell }: { readonly cell: number }) {
  return <MarkLayer cell={cell} name="rois" className={styles.layer} create={createRoiMarks} />;
}

/** Draws the ROIs of the frame in a cell into an SVG element. */
function createRoiMarks(page: Page, cell: number, svg: SVGSVGElement): Marks<RoiGesture> {
  const drawing = createRoiDrawing(svg);
  let drawn: readonly unknown[] | undefined;
  return {
    stores: [roisOf(page).store, marksOf(page), hiddenMarksOf(page)],
    isOwnTool: (tool) => tool === 'roi',
    begin: (press) => beginGesture(page, press),
    choose(press) {
      const hit = findRoiAt(page, press);
      if (hit !== undefined) selectMark(page, hit.roi.uid);
    },
    cursorAt: (press) => cursorAt(press, roisOn(page, press.shown), marksOf(page).getState().selected),
    draw(shown, held) {
      const { selected } = marksOf(page).getState();
      const { file, frame, screen } = shown ?? {};
      const box = held && String(held.gesture.draftAt(held.point).box);
      const rois = roisOfFile(page, file?.index ?? -1);
      const hidden = hiddenMarksOf(page).getState();
      const now = [file, frame, screen?.imageToScreen, rois, selected, hidden, held?.gesture, box];
      if (haveSameItems(now, drawn)) return;
      drawn = now;
      drawing.draw(shown && sceneOf(page, shown, held, orderOf(stackOfCell(page, cell), shown.file)));
    },
  };
}

function sceneOf(page: Page, shown: ShownFrame, held: HeldMark<RoiGesture> | undefined, order: FrameOrder): RoiScene {
  const all = roisOfFile(page, shown.file.index);
  return {
    rois: roisOn(page, shown),
    labelOf: (roi) => nameRoi(roi, all.indexOf(roi) + 1, order),
    selected: marksOf(page).getState().selected,
    draft: held && { uid: held.gesture.roi?.uid, ...held.gesture.draftAt(held.point) },
    imageToScreen: shown.screen.imageToScreen,
    screen: shown.screen,
  };
}
