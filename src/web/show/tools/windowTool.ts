import { cellOf, setWindow } from '../../kit/state/cells.ts';
import { reportOf } from '../pictures/viewports.ts';
import type { DragTool } from './dragTool.ts';

/** Drag distance in pixels that changes the width by its own size. */
const PIXELS_PER_WIDTH = 300;

/**
 * Dragging right widens, dragging up brightens. Steps are proportional to the width, so that a bone window moves as
 * fast as a brain window.
 */
export const windowTool: DragTool = {
  begin(page, cell, at) {
    const { window } = reportOf(page, cell);
    if (window === undefined) return undefined;
    const before = cellOf(page, cell).window;
    const step = window.width / PIXELS_PER_WIDTH;
    return {
      move(to) {
        const width = keepDigits(
          Math.max(window.width + (to.x - at.x) * step, smallestWidth(window.width)),
          window.width,
        );
        // A lower center makes the same values brighter.
        const center = keepDigits(window.center + (to.y - at.y) * step, window.width);
        setWindow(page, cell, { kind: 'custom', center, width });
      },
      cancel: () => setWindow(page, cell, before),
    };
  },
};

/** Rounds to whole numbers for windows of many values, else to three digits below the first digit of the width. */
function keepDigits(value: number, width: number): number {
  const unit = width >= 20 ? 1 : 10 ** (Math.floor(Math.log10(width)) - 3);
  // Divides by the inverse, because multiplying by a fraction would leave a tail of digits.
  return unit >= 1 ? Math.round(value) : Math.round(value / unit) / Math.round(1 / unit);
}

function smallestWidth(width: number): number {
  return width >= 20 ? 1 : width / 100;
}
