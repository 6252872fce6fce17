import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import type { Measurement } from './measurement.ts';
import { keepMeasurement, drawingOf, setDraft } from './measurements.ts';

/** The polygon that the user is drawing. Its last point is that of the pointer, all others are corners. */
export function findPolygonDraft(page: Page): Measurement | undefined {
  const { draft } = drawingOf(page).getState();
  return draft !== undefined && MEASURE_KINDS[draft.kind].making.by === 'corners' ? draft : undefined;
}

/** Ends the polygon at its last corner. */
export function finishCorners(page: Page): void {
  const draft = findPolygonDraft(page);
  if (draft === undefined) return;
  const corners = draft.points.slice(0, -1);
  if (corners.length > 2) keepMeasurement(page, { ...draft, points: corners, values: undefined });
  // Two clicks in one place begin a polygon.
  else if (corners.length > 1) say(page, 'A polygon has at least three corners', 'failed');
}

export function removeLastCorner(page: Page): void {
  const draft = findPolygonDraft(page);
  if (draft === undefined) return;
  const points = draft.points.toSpliced(-2, 1);
  setDraft(page, points.length < 2 ? undefined : { ...draft, points, values: undefined });
}
