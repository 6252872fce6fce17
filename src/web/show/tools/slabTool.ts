import { dot, normalOf, subtract } from '../../../shared/geometry.ts';
import { patientPointAt } from '../pictures/crosshair.ts';
import { imagePlaneOf } from '../pictures/findPositionAt.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { cellOf } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { findSlabEdge } from './crosshairMarks.ts';
import type { Drag } from './dragTool.ts';

/** Half a millimetre is finer than what can be dragged. */
const STEP_MM = 0.5;
const MOST_MM = 200;

/** Dragging an edge of the slab of another cell's plane changes its thickness, around the plane in the middle. */
export function beginSlab(page: Page, cell: number, at: Point): Drag | undefined {
  const other = findSlabEdge(page, cell, at);
  const source = other === undefined ? undefined : pictureOf(page, other);
  const beforeMm = source?.line?.slabMm;
  if (other === undefined || beforeMm === undefined || source?.setSlab === undefined) return undefined;
  const plane = imagePlaneOf(source, cellOf(page, other).position);
  const set = (slabMm: number) => pictureOf(page, other)?.setSlab?.(other, slabMm);
  return {
    move(to) {
      const point = patientPointAt(page, cell, to);
      if (plane === undefined || point === undefined) return;
      const fromMiddleMm = Math.abs(dot(normalOf(plane), subtract(point, plane.position)));
      // A slab that is dragged to nothing would have no edge to be taken again.
      set(Math.min(MOST_MM, Math.max(STEP_MM, Math.round((2 * fromMiddleMm) / STEP_MM) * STEP_MM)));
    },
    cancel: () => set(beforeMm),
  };
}
