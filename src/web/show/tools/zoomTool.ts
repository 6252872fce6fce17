import { cellOf, setView } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { reportOf } from '../pictures/viewports.ts';
import { zoomBy } from '../pictures/viewTransform.ts';
import { canvasOf, toCanvas } from '../pictures/canvasPoint.ts';
import type { DragTool } from './dragTool.ts';

/** Drag distance in pixels that doubles the zoom. */
const PIXELS_PER_DOUBLING = 120;

/** Dragging up zooms in. The pressed point stays where it is. */
export const zoomTool: DragTool = {
  begin(page, cell, at) {
    const { screen } = reportOf(page, cell);
    if (screen === undefined) return undefined;
    const before = cellOf(page, cell).view;
    return {
      move(to) {
        const factor = 2 ** ((at.y - to.y) / PIXELS_PER_DOUBLING);
        setView(page, cell, zoomBy(before, screen.image, canvasOf(screen), factor, toCanvas(screen, at)));
      },
      cancel: () => setView(page, cell, before),
    };
  },
};

/** Zooms by one step about a point, as for a wheel. */
export function zoomAbout(page: Page, cell: number, factor: number, at: Point): void {
  const { screen } = reportOf(page, cell);
  if (screen === undefined) return;
  const { view } = cellOf(page, cell);
  setView(page, cell, zoomBy(view, screen.image, canvasOf(screen), factor, toCanvas(screen, at)));
}
