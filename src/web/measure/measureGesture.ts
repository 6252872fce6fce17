import type { Page } from '../state/page.ts';
import { isMeasureTool, type MeasureTool, toolsOf } from '../state/tools.ts';
import type { Point } from '../state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../tools/followMarks.ts';
import { findMeasureHit, type MeasureHit } from './measureHit.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { findScale, type MeasuredFrame } from './measuredFrame.ts';
import { isOnFrame, type Measurement } from './measurement.ts';
import { createMeasurement, keepMeasurement, measurementsOf, selectMeasurement, setDraft } from './measurements.ts';

/** The gesture that a press starts; undefined if the press does not concern measurements. */
export function beginMeasuring(page: Page, press: MarkPress): MarkGesture | undefined {
  const { shown, at } = press;
  const from = toImagePoint(shown, at);
  const { tool } = toolsOf(page).getState();
  const unfinished = findUnfinished(page, shown);
  if (unfinished !== undefined) return finishGesture(page, shown, unfinished);
  const hit = findHitAt(page, press);
  if (hit?.item.words?.locked === true) return selectGesture(page, hit.item);
  if (hit !== undefined) return changeGesture(page, shown, from, hit);
  return isMeasureTool(tool) ? drawGesture(page, shown, from, tool) : undefined;
}

/** The last point follows the pointer until the next press. */
export function followPointer(page: Page, { shown, at }: MarkPress): void {
  const unfinished = findUnfinished(page, shown);
  if (unfinished !== undefined)
    setDraft(page, withLastPoint(unfinished, keepInside(toImagePoint(shown, at), shown, unfinished.kind)));
}

export function findHitAt(page: Page, { shown, at, reach }: MarkPress): MeasureHit | undefined {
  const { items, selectedId } = measurementsOf(page).getState();
  const place = frameAddressOf(shown);
  return findMeasureHit(at, {
    items: items.filter((item) => isOnFrame(item, place)),
    selectedId,
    imageToScreen: shown.screen.imageToScreen,
    reach,
  });
}

function drawGesture(page: Page, shown: MeasuredFrame, from: Point, tool: MeasureTool): MarkGesture {
  const { pointCount } = MEASURE_KINDS[tool];
  const { frame } = shown;
  const start = keepInside(from, shown, tool);
  const scale = findScale(shown);
  let item: Measurement | undefined;
  const draftTo = (to: Point) => {
    item ??= createMeasurement(page, {
      kind: tool,
      ...frameAddressOf(shown),
      frame,
      points: [],
      isWhole: shown.isWhole,
      scale,
      values: undefined,
    });
    const end = keepInside(to, shown, tool);
    const points = pointCount === 1 ? [end] : [start, end, end].slice(0, pointCount);
    return { ...item, points, values: undefined };
  };
  return {
    move: (to) => setDraft(page, draftTo(to)),
    commit(to) {
      // The third point is set by a separate press.
      if (pointCount > 2) setDraft(page, draftTo(to));
      else keepMeasurement(page, draftTo(to));
    },
    click(at) {
      if (pointCount === 1) keepMeasurement(page, draftTo(at));
      else selectMeasurement(page, undefined);
    },
    cancel: () => setDraft(page, undefined),
  };
}

function finishGesture(page: Page, shown: MeasuredFrame, unfinished: Measurement): MarkGesture {
  const draftTo = (to: Point) => withLastPoint(unfinished, keepInside(to, shown, unfinished.kind));
  return {
    move: (to) => setDraft(page, draftTo(to)),
    commit: (to) => keepMeasurement(page, draftTo(to)),
    click: (at) => keepMeasurement(page, draftTo(at)),
    cancel: () => setDraft(page, undefined),
  };
}

function changeGesture(page: Page, shown: MeasuredFrame, from: Point, { item, handle }: MeasureHit): MarkGesture {
  const changed = (to: Point): Measurement => {
    const points =
      handle === undefined
        ? movePoints(item.points, { x: to.x - from.x, y: to.y - from.y }, shown)
        : MEASURE_KINDS[item.kind].dragHandle(item.points, handle, keepInside(to, shown, item.kind));
    return { ...item, points, values: undefined };
  };
  return {
    move: (to) => setDraft(page, changed(to)),
    commit: (to) => keepMeasurement(page, changed(to)),
    click: () => selectMeasurement(page, item.id),
    cancel: () => setDraft(page, undefined),
  };
}

/** A locked one can be selected, and nothing else. */
function selectGesture(page: Page, item: Measurement): MarkGesture {
  const select = () => selectMeasurement(page, item.id);
  return { move: () => {}, commit: select, click: select, cancel: () => {} };
}

/** An angle that still lacks its second arm. */
function findUnfinished(page: Page, shown: MeasuredFrame): Measurement | undefined {
  const { draft } = measurementsOf(page).getState();
  return draft !== undefined && isOnFrame(draft, frameAddressOf(shown)) ? draft : undefined;
}

function withLastPoint(item: Measurement, to: Point): Measurement {
  return { ...item, points: item.points.with(item.points.length - 1, to), values: undefined };
}

export function frameAddressOf({ file, frame, cut }: MeasuredFrame) {
  return { fileIndex: file.index, frame, cut };
}

/** A line can end on the edge of the image, but a pixel cannot be there. */
function keepInside({ x, y }: Point, { screen: { image } }: MeasuredFrame, kind: MeasureTool): Point {
  const margin = MEASURE_KINDS[kind].pointCount === 1 ? 0.5 : 0;
  return { x: clamp(x, margin, image.width - margin), y: clamp(y, margin, image.height - margin) };
}

/** Moves all points equally, as near to `by` as keeps them inside the image. */
function movePoints(points: readonly Point[], by: Point, { screen: { image } }: MeasuredFrame): readonly Point[] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const across = clamp(by.x, -Math.min(...xs), image.width - Math.max(...xs));
  const down = clamp(by.y, -Math.min(...ys), image.height - Math.max(...ys));
  return points.map(({ x, y }) => ({ x: x + across, y: y + down }));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
