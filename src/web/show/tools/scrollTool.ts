import { cellOf } from '../../kit/state/cells.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { scrollTo } from '../pictures/scroll.ts';
import { reportOf } from '../pictures/viewports.ts';
import type { DragTool } from './dragTool.ts';

const MOST_PIXELS_PER_SLICE = 24;
const LEAST_PIXELS_PER_SLICE = 2;

/**
 * Dragging down scrolls forward. A drag from top to bottom covers the whole stack, unless slices would pass too fast.
 */
export const scrollTool: DragTool = {
  begin(page, cell, at) {
    const { screen } = reportOf(page, cell);
    const count = pictureOf(page, cell)?.positions ?? 0;
    if (screen === undefined || count < 2) return undefined;
    const before = cellOf(page, cell).position;
    const pixels = Math.min(MOST_PIXELS_PER_SLICE, Math.max(LEAST_PIXELS_PER_SLICE, screen.height / count));
    return {
      move: (to) => scrollTo(page, cell, before + Math.trunc((to.y - at.y) / pixels)),
      cancel: () => scrollTo(page, cell, before),
    };
  },
};
