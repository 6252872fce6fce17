import { cellOf } from '../../../kit/state/cells.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { Page } from '../../../kit/state/page.ts';
import { pictureOf } from '../../../show/pictures/pictureKinds.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import type { HeldMark, Marks } from '../../../show/tools/followMarks.ts';
import { hiddenMarksOf } from '../shapes/hiddenMarks.ts';
import { marksOf } from '../sync/marks.ts';
import { roisByFile } from './roi.ts';
import { roisOf } from './roiFiles.ts';
import { createRoiDrawing, type RoiScene } from './roiDrawing.ts';
import { cursorAt } from './roiScreen.ts';
import type { RoiGesture } from './roiGesture.ts';
import { beginSlideGesture, type SlideMarks } from './slideRoiGesture.ts';
import { listSlideRois, listVisibleRois, type SlideRoi } from './slideRois.ts';
import { MarkLayer } from '../../../show/tools/MarkLayer.tsx';
import styles from './RoiLayer.module.css';

/** The boxes over the slide of one cell. */
export function SlideRoiLayer({ cell }: { readonly cell: number }) {
  return <MarkLayer cell={cell} name="rois" className={styles.layer} create={createSlideRoiMarks} />;
}

/** Draws the boxes on the slide in a cell into an SVG element. */
function createSlideRoiMarks(page: Page, cell: number, svg: SVGSVGElement): Marks<RoiGesture> {
  const drawing = createRoiDrawing(svg);
  let drawn: readonly unknown[] | undefined;
  let onSlide: SlideMarks | undefined;
  return {
    stores: [roisOf(page).store, marksOf(page), hiddenMarksOf(page)],
    isOwnTool: (tool) => tool === 'roi',
    findShown: findShownSlide,
    begin: (press) => onSlide && beginSlideGesture(page, press, onSlide),
    cursorAt: (press) => cursorAt(press, onSlide?.rois ?? [], marksOf(page).getState().selected),
    draw(shown, held) {
      const { tiles } = reportOf(page, cell);
      const { selected } = marksOf(page).getState();
      const files = roisByFile(page);
      const draft = held && String(held.gesture.draftAt(held.point).box);
      const { uids: hidden } = hiddenMarksOf(page).getState();
      const now = [shown?.file, tiles, files, selected, hidden, held?.gesture, draft];
      if (haveSameItems(now, drawn)) return;
      drawn = now;
      const all = tiles && listSlideRois(tiles, files).filter(({ uid }) => !hidden.has(uid));
      onSlide = tiles && all && { tiles, rois: listVisibleRois(all, tiles) };
      drawing.draw(shown && onSlide && sceneOf(page, shown, onSlide, held));
    },
  };
}

function sceneOf(
  page: Page,
  shown: ShownFrame,
  { rois }: SlideMarks,
  held: HeldMark<RoiGesture> | undefined,
): RoiScene {
  const { selected } = marksOf(page).getState();
  const numbers = new Map(rois.map(({ uid, number }: SlideRoi) => [uid, number]));
  return {
    rois,
    labelOf: ({ uid }) => String(numbers.get(uid) ?? ''),
    selected,
    draft: held && { uid: held.gesture.roi?.uid, ...held.gesture.draftAt(held.point) },
    imageToScreen: shown.screen.imageToScreen,
    screen: shown.screen,
  };
}

/** The whole slide as one frame: the address is the frame of its largest level that the cell is at. */
function findShownSlide(page: Page, cell: number): ShownFrame | undefined {
  const { tiles, screen } = reportOf(page, cell);
  const place = pictureOf(page, cell)?.fileOf(cellOf(page, cell).position);
  return place && tiles && screen && { ...place, screen };
}
