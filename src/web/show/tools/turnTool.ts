import { patientToPixel } from '../../../shared/geometry.ts';
import { findCrosshair, patientPointAt } from '../pictures/crosshair.ts';
import { imagePlaneOf } from '../pictures/findPositionAt.ts';
import { reportOf } from '../pictures/viewports.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import type { Drag, DragTool } from './dragTool.ts';

/** A drag around the crosshair turns the planes whose lines cross there. */
export const turnTool: DragTool = { begin: beginTurning };

export function beginTurning(page: Page, cell: number, at: Point): Drag | undefined {
  const turn = reportOf(page, cell).shown?.source.beginTurn?.(cell);
  const start = angleAt(page, cell, at);
  if (turn === undefined || start === undefined) return undefined;
  return {
    move(to) {
      const angle = angleAt(page, cell, to);
      if (angle !== undefined) turn(angle - start);
    },
    cancel: () => turn(0),
  };
}

/** The direction from the crosshair to a point of a cell, in radians from rows to columns. */
function angleAt(page: Page, cell: number, at: Point): number | undefined {
  const { shown } = reportOf(page, cell);
  const plane = shown && imagePlaneOf(shown.source, shown.position);
  const [center, point] = [findCrosshair(page, shown?.source), patientPointAt(page, cell, at)];
  if (plane === undefined || center === undefined || point === undefined) return undefined;
  const [from, to] = [patientToPixel(plane, center), patientToPixel(plane, point)];
  const across = (to.column - from.column) * plane.columnSpacingMm;
  const down = (to.row - from.row) * plane.rowSpacingMm;
  return Math.hypot(across, down) < 1e-6 ? undefined : Math.atan2(down, across);
}

/** A drag turns a picture that can be seen from all sides. */
export const spinTool: DragTool = {
  begin(page, cell, at) {
    const spin = reportOf(page, cell).shown?.source.beginSpin?.(cell);
    if (spin === undefined) return undefined;
    return { move: (to) => spin({ x: to.x - at.x, y: to.y - at.y }), cancel: () => spin({ x: 0, y: 0 }) };
  },
};
