import { setCrosshair, setCrosshairAt } from '../pictures/crosshair.ts';
import { spaceOf } from '../pictures/findPositionAt.ts';
import { reportOf } from '../pictures/viewports.ts';
import { crosshairOf } from '../../kit/state/crosshair.ts';
import { isOnHandle } from './crosshairMarks.ts';
import type { DragTool } from './dragTool.ts';
import { beginSlab } from './slabTool.ts';
import { beginTurning } from './turnTool.ts';

/** A press sets the crosshair, and a drag moves it. All other cells of the frame of reference follow. */
export const crosshairTool: DragTool = {
  begin(page, cell, at) {
    const { shown } = reportOf(page, cell);
    const space = shown && spaceOf(shown.source);
    if (space === undefined) return undefined;
    const ofLine = isOnHandle(page, cell, at) ? beginTurning(page, cell, at) : beginSlab(page, cell, at);
    if (ofLine !== undefined) return ofLine;
    const before = crosshairOf(page).getState().points.get(space);
    setCrosshairAt(page, cell, at);
    return {
      move: (to) => setCrosshairAt(page, cell, to),
      cancel: () => {
        if (before !== undefined) setCrosshair(page, space, before, cell);
      },
    };
  },
};
