import { libraryOf } from '../../../kit/state/library.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isMeasureTool } from '../../../kit/state/tools.ts';
import type { MarkGesture, Marks, MarkPress } from '../../../show/tools/followMarks.ts';
import { ArrowText } from './ArrowText.tsx';
import { hiddenMarksOf, isMarkDrawn } from './hiddenMarks.ts';
import { findMeasuredFrame, type MeasuredFrame } from './measuredFrame.ts';
import { createMeasureDrawing } from './measureDrawing.ts';
import { beginMeasuring, findHitAt, followPointer, frameAddressOf } from './measureGesture.ts';
import { isFixed, type Measurement } from './measurement.ts';
import { drawingOf, type DrawingState, listShapes } from './measurements.ts';
import { marksOf, type MarksState, selectMark } from '../sync/marks.ts';
import { findClass, labelsOf } from './labels.ts';
import { draftOnFrame, listOnFrame } from './throughStack.ts';
import { MarkLayer } from '../../../show/tools/MarkLayer.tsx';
import styles from './MeasureLayer.module.css';

/** The measurements on the image of one cell. */
export function MeasureLayer({ cell }: { readonly cell: number }) {
  return (
    <>
      <MarkLayer cell={cell} name="measure" className={styles.layer} create={createMeasureMarks} />
      <ArrowText cell={cell} />
    </>
  );
}

/** Draws the measurements of the frame in a cell into an SVG element. */
function createMeasureMarks(page: Page, _: number, svg: SVGSVGElement): Marks<MarkGesture> {
  const draw = createMeasureDrawing(svg);
  let drawn: readonly unknown[] | undefined;
  return {
    stores: [marksOf(page), drawingOf(page), labelsOf(page), hiddenMarksOf(page)],
    isOwnTool: isMeasureTool,
    findShown: findMeasuredFrame,
    begin: (press) => beginMeasuring(page, press),
    choose(press) {
      const hit = findHitAt(page, press);
      if (hit !== undefined) selectMark(page, hit.item.uid);
    },
    hover: (press) => followPointer(page, press),
    cursorAt: (press) => cursorAt(page, press),
    draw(shown) {
      const { selected, chosen } = marksOf(page).getState();
      const { draft } = drawingOf(page).getState();
      const shapes = listShapes(page);
      const { stored } = labelsOf(page).getState();
      const hidden = hiddenMarksOf(page).getState();
      // Stacks decide where a shape through several images is.
      const { stackOfFile } = libraryOf(page).getState();
      const place = [shown?.file, shown?.frame, shown?.cut?.key, shown?.screen.imageToScreen];
      const now = [...place, shapes, selected, chosen, draft, stored, hidden, stackOfFile];
      if (haveSameItems(now, drawn)) return;
      drawn = now;
      draw(
        shown && {
          items: listItems(page, { shapes, draft, chosen }, shown),
          selected,
          chosen,
          draftUid: draft?.uid,
          imageToScreen: shown.screen.imageToScreen,
          screen: shown.screen,
          colorOf: ({ words }) => findClass(page, words.class)?.color,
          nameOf: ({ words }) => [findClass(page, words.class)?.title, words.label].filter(Boolean).join(': '),
        },
      );
    },
  };
}

type Listed = Pick<DrawingState, 'draft'> & Pick<MarksState, 'chosen'> & { readonly shapes: readonly Measurement[] };

function listItems(page: Page, { shapes, draft, chosen }: Listed, shown: MeasuredFrame): readonly Measurement[] {
  const place = frameAddressOf(shown);
  const seen = shapes.filter((item) => item.uid !== draft?.uid && isMarkDrawn(page, item, chosen));
  const drafted = draft && draftOnFrame(page, draft, place);
  return [...listOnFrame(page, seen, place), ...(drafted === undefined ? [] : [drafted])];
}

function cursorAt(page: Page, press: MarkPress): string {
  const hit = findHitAt(page, press);
  if (hit === undefined) return press.isOwnTool ? 'crosshair' : '';
  if (isFixed(hit.item)) return 'pointer';
  return hit.handle === undefined ? 'move' : 'grab';
}
