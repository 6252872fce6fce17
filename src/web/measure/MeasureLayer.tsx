import type { Page } from '../state/page.ts';
import { isMeasureTool } from '../state/tools.ts';
import type { MarkGesture, Marks, MarkPress } from '../tools/followMarks.ts';
import { findMeasuredFrame } from './measuredFrame.ts';
import { createMeasureDrawing } from './measureDrawing.ts';
import { beginMeasuring, findHitAt, followPointer, frameAddressOf } from './measureGesture.ts';
import { isOnFrame, type Measurement } from './measurement.ts';
import { measurementsOf, type MeasureState } from './measurements.ts';
import { findClass, labelsOf } from './labels.ts';
import { MarkLayer } from '../tools/MarkLayer.tsx';
import styles from './MeasureLayer.module.css';

/** The measurements on the image of one cell. */
export function MeasureLayer({ cell }: { readonly cell: number }) {
  return <MarkLayer cell={cell} name="measure" className={styles.layer} create={createMeasureMarks} />;
}

/** Draws the measurements of the frame in a cell into an SVG element. */
function createMeasureMarks(page: Page, _: number, svg: SVGSVGElement): Marks<MarkGesture> {
  const draw = createMeasureDrawing(svg);
  let drawn: readonly unknown[] = [];
  return {
    stores: [measurementsOf(page), labelsOf(page)],
    isOwnTool: isMeasureTool,
    findShown: findMeasuredFrame,
    begin: (press) => beginMeasuring(page, press),
    hover: (press) => followPointer(page, press),
    cursorAt: (press) => cursorAt(page, press),
    draw(shown) {
      const state = measurementsOf(page).getState();
      const { stored } = labelsOf(page).getState();
      const now = [shown?.file, shown?.frame, shown?.cut?.key, shown?.screen.imageToScreen, state, stored];
      if (drawn.length > 0 && now.every((part, i) => part === drawn[i])) return;
      drawn = now;
      draw(
        shown && {
          items: listItems(state).filter((item) => isOnFrame(item, frameAddressOf(shown))),
          selectedId: state.selectedId,
          draftId: state.draft?.id,
          imageToScreen: shown.screen.imageToScreen,
          screen: shown.screen,
          colorOf: ({ words }) => findClass(page, words?.class)?.color,
          nameOf: ({ words }) => [findClass(page, words?.class)?.title, words?.label].filter(Boolean).join(': '),
        },
      );
    },
  };
}

function listItems({ items, draft }: MeasureState): readonly Measurement[] {
  return draft === undefined ? items : [...items.filter(({ id }) => id !== draft.id), draft];
}

function cursorAt(page: Page, press: MarkPress): string {
  const hit = findHitAt(page, press);
  if (hit === undefined) return press.isOwnTool ? 'crosshair' : '';
  return hit.handle === undefined ? 'move' : 'grab';
}
