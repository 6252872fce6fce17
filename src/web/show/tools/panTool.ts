import { cellOf, setView } from '../../kit/state/cells.ts';
import { reportOf } from '../pictures/viewports.ts';
import { panBy } from '../pictures/viewTransform.ts';
import { canvasOf, toCanvas } from '../pictures/canvasPoint.ts';
import type { DragTool } from './dragTool.ts';

export const panTool: DragTool = {
  begin(page, cell, at) {
    const { screen } = reportOf(page, cell);
    if (screen === undefined) return undefined;
    const before = cellOf(page, cell).view;
    return {
      move(to) {
        const by = toCanvas(screen, { x: to.x - at.x, y: to.y - at.y });
        setView(page, cell, panBy(before, screen.image, canvasOf(screen), by));
      },
      cancel: () => setView(page, cell, before),
    };
  },
};
