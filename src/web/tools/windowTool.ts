import { cellOf, setWindow } from '../state/cells.ts';
import { reportOf } from '../state/viewports.ts';
import type { DragTool } from './dragTool.ts';

/** Pixels of the hand's way that change the width by itself once. */
const PIXELS_PER_WIDTH = 300;

/** Right widens, up brightens. Steps grow with the window, so that a bone window moves as fast as a brain window. */
export const windowTool: DragTool = {
  begin(cell, at) {
    const { window } = reportOf(cell);
    if (window === undefined) return undefined;
    const before = cellOf(cell).window;
    const step = window.width / PIXELS_PER_WIDTH;
    return {
      move(to) {
        const width = keepDigits(
          Math.max(window.width + (to.x - at.x) * step, smallestWidth(window.width)),
          window.width,
        );
        // A lower center makes the same values brighter.
        const center = keepDigits(window.center + (to.y - at.y) * step, window.width);
        setWindow(cell, { kind: 'custom', center, width });
      },
      cancel: () => setWindow(cell, before),
    };
  },
};

/** Whole numbers for windows of many values, else three digits below the width's own. */
function keepDigits(value: number, width: number): number {
  const unit = width >= 20 ? 1 : 10 ** (Math.floor(Math.log10(width)) - 3);
  // Divided and not multiplied by a fraction, which would leave a tail of digits.
  return unit >= 1 ? Math.round(value) : Math.round(value / unit) / Math.round(1 / unit);
}

function smallestWidth(width: number): number {
  return width >= 20 ? 1 : width / 100;
}
