import { traitsOf } from '../../../../shared/markTraits.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isMeasureTool, type MeasureTool, toolsOf } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { simplifyLine } from './freehandLine.ts';
import { isMarkDrawn, showNextClass } from './hiddenMarks.ts';
import { findMeasureHit, type MeasureHit, toScreen } from './measureHit.ts';
import type { DrawingPointer } from './measureKind.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { findScale, type MeasuredFrame } from './measuredFrame.ts';
import { type FramePlace, isFixed, type Measurement, type ShapePlace } from './measurement.ts';
import { askForText, createMeasurement, drawingOf, keepMeasurement, listShapes, setDraft } from './measurements.ts';
import { marksOf, selectMark } from '../sync/marks.ts';
import { finishCorners } from './polygonDraft.ts';
import { draftOnFrame, listOnFrame } from './throughStack.ts';

/** The gesture that a press starts; undefined if the press does not concern measurements. */
export function beginMeasuring(page: Page, press: MarkPress): MarkGesture | undefined {
  const { shown, at } = press;
  const from = toImagePoint(shown, at);
  const { tool } = toolsOf(page).getState();
  const unfinished = findUnfinished(page, shown);
  if (unfinished !== undefined) {
    const { by } = MEASURE_KINDS[unfinished.kind].making;
    return by === 'corners' ? cornerGesture(page, press, unfinished) : finishGesture(page, shown, from, unfinished);
  }
  const hit = findHitAt(page, press);
  if (hit !== undefined && (hit.item.words.locked || isFixed(hit.item))) return selectGesture(page, hit.item);
  if (hit !== undefined) return changeGesture(page, shown, from, hit);
  return isMeasureTool(tool) ? drawGesture(page, shown, from, tool) : undefined;
}

/** What is missing of an unfinished measurement follows the pointer until the next press. */
export function followPointer(page: Page, { shown, at }: MarkPress): void {
  const unfinished = findUnfinished(page, shown);
  if (unfinished === undefined) return;
  const to = keepInside(toImagePoint(shown, at), shown, unfinished.kind);
  const { making } = MEASURE_KINDS[unfinished.kind];
  if (making.by === 'corners') setDraft(page, withLastPoint(unfinished, to));
  else setDraft(page, completed(unfinished, { to }, shown));
}

export function findHitAt(page: Page, { shown, at, reach }: MarkPress): MeasureHit | undefined {
  const { selected, chosen } = marksOf(page).getState();
  const seen = listShapes(page).filter((item) => isMarkDrawn(page, item, chosen));
  return findMeasureHit(at, {
    items: listOnFrame(page, seen, frameAddressOf(shown)),
    selected,
    imageToScreen: shown.screen.imageToScreen,
    reach,
  });
}

function drawGesture(page: Page, shown: MeasuredFrame, from: Point, tool: MeasureTool): MarkGesture {
  const { making } = MEASURE_KINDS[tool];
  const start = keepInside(from, shown, tool);
  let item: Measurement | undefined;
  const draftWith = (points: readonly Point[]): Measurement => {
    item ??= startMeasurement(page, shown, tool);
    return { ...item, points, values: undefined };
  };
  const inside = (to: Point) => keepInside(to, shown, tool);
  const unselect = () => selectMark(page, undefined);
  const cancel = () => setDraft(page, undefined);
  switch (making.by) {
    case 'click':
      return {
        move: (to) => setDraft(page, draftWith([inside(to)])),
        commit: (to) => keepMeasurement(page, draftWith([inside(to)])),
        click: (to) => keepMeasurement(page, draftWith([inside(to)])),
        cancel,
      };
    case 'drag':
      return {
        move: (to) => setDraft(page, draftWith([start, inside(to)])),
        commit(to) {
          const drawn = draftWith([start, inside(to)]);
          keepMeasurement(page, drawn);
          // Later, because the release that ends the drag would close the field.
          if (traitsOf(tool).hasText === true) setTimeout(() => askForText(page, drawn.uid));
        },
        click: unselect,
        cancel,
      };
    case 'two steps': {
      // The first step; the next press ends it.
      const draft = (to: Point) => setDraft(page, completed(draftWith([start, inside(to)]), { to: inside(to) }, shown));
      return { move: draft, commit: draft, click: unselect, cancel };
    }
    case 'corners':
      return {
        move: (to) => setDraft(page, draftWith([start, inside(to)])),
        // A drag sets two corners, a click one. The last point follows the pointer.
        commit: (to) => setDraft(page, draftWith([start, inside(to), inside(to)])),
        click: (to) => setDraft(page, draftWith([inside(to), inside(to)])),
        cancel,
      };
    case 'path': {
      const onePixel = shown.screen.pixelRatio / shown.screen.zoom;
      let path: readonly Point[] = [start];
      const add = (to: Point) => {
        const [last = start, end] = [path.at(-1), inside(to)];
        if (Math.hypot(end.x - last.x, end.y - last.y) >= onePixel) path = [...path, end];
        return path.length > 1 ? path : [start, end];
      };
      return {
        move: (to) => setDraft(page, draftWith(add(to))),
        commit: (to) => keepMeasurement(page, draftWith(simplifyLine(add(to), onePixel / 2))),
        click: unselect,
        cancel,
      };
    }
  }
}

function startMeasurement(page: Page, shown: MeasuredFrame, kind: MeasureTool): Measurement {
  showNextClass(page);
  return createMeasurement(page, {
    kind,
    fileIndex: shown.file.index,
    frame: shown.frame,
    place: placeOf(shown),
    points: [],
    scale: findScale(shown),
    values: undefined,
  });
}

/** The second step of a kind that takes two. */
function finishGesture(page: Page, shown: MeasuredFrame, pressedAt: Point, unfinished: Measurement): MarkGesture {
  const { kind } = unfinished;
  const from = keepInside(pressedAt, shown, kind);
  const draftTo = (pointer: DrawingPointer) =>
    completed(unfinished, { ...pointer, to: keepInside(pointer.to, shown, kind) }, shown);
  const keep = (pointer: DrawingPointer) => {
    const drawn = draftTo(pointer);
    // A click is not enough for a line.
    if (drawn.points.length > 2) keepMeasurement(page, settled(drawn, shown));
  };
  return {
    move: (to) => setDraft(page, draftTo({ from, to })),
    commit: (to) => keep({ from, to }),
    click: (to) => keep({ to }),
    cancel: () => setDraft(page, undefined),
  };
}

/** Sets one more corner, or ends the polygon if it is pressed on its first or last corner. */
function cornerGesture(page: Page, { shown, at, reach }: MarkPress, unfinished: Measurement): MarkGesture {
  const corners = unfinished.points.slice(0, -1);
  const onScreen = toScreen(corners, shown.screen.imageToScreen);
  const isNear = (corner: Point | undefined) =>
    corner !== undefined && Math.hypot(corner.x - at.x, corner.y - at.y) <= reach;
  const isEnd = (corners.length > 2 && isNear(onScreen[0])) || isNear(onScreen.at(-1));
  const add = (to: Point) => {
    const corner = keepInside(to, shown, unfinished.kind);
    setDraft(page, { ...unfinished, points: [...corners, corner, corner], values: undefined });
  };
  return {
    move: (to) => setDraft(page, withLastPoint(unfinished, keepInside(to, shown, unfinished.kind))),
    commit: add,
    click: (to) => (isEnd ? finishCorners(page) : add(to)),
    // Only this press; a second finger that moves the image must not cost all corners.
    cancel: () => setDraft(page, unfinished),
  };
}

function changeGesture(page: Page, shown: MeasuredFrame, from: Point, { item, handle }: MeasureHit): MarkGesture {
  const place = asDrawn(item.place);
  const changed = (to: Point): Measurement => {
    const points =
      handle === undefined
        ? movePoints(item.points, { x: to.x - from.x, y: to.y - from.y }, shown)
        : MEASURE_KINDS[item.kind].dragHandle(
            item.points,
            handle,
            keepInside(to, shown, item.kind),
            shown.screen.image,
          );
    return { ...item, place, points, values: undefined };
  };
  return {
    move: (to) => setDraft(page, changed(to)),
    commit: (to) => keepMeasurement(page, settled(changed(to), shown)),
    click: () => selectMark(page, item.uid),
    cancel: () => setDraft(page, undefined),
  };
}

/** A locked one can be selected, and nothing else. */
function selectGesture(page: Page, item: Measurement): MarkGesture {
  const select = () => selectMark(page, item.uid);
  return { move: () => {}, commit: select, click: select, cancel: () => {} };
}

/** One that still lacks points, such as the second arm of an angle. */
function findUnfinished(page: Page, shown: MeasuredFrame): Measurement | undefined {
  const { draft } = drawingOf(page).getState();
  return draft && draftOnFrame(page, draft, frameAddressOf(shown));
}

function withLastPoint(item: Measurement, to: Point): Measurement {
  return { ...item, points: item.points.with(item.points.length - 1, to), values: undefined };
}

/** With all points that follow from the first two and the pointer. */
function completed(item: Measurement, pointer: DrawingPointer, { screen }: MeasuredFrame): Measurement {
  const { making } = MEASURE_KINDS[item.kind];
  if (making.by !== 'two steps') return item;
  return { ...item, points: making.complete(item.points.slice(0, 2), pointer, screen.image), values: undefined };
}

function settled(item: Measurement, { screen }: MeasuredFrame): Measurement {
  const { settle } = MEASURE_KINDS[item.kind];
  return settle === undefined ? item : { ...item, points: settle(item.points, screen.image) };
}

export function frameAddressOf({ file, frame, cut, grid }: MeasuredFrame): FramePlace {
  return { fileIndex: file.index, frame, cut, grid };
}

/** Where a new measurement is. */
function placeOf({ isWhole, cut, grid }: MeasuredFrame): ShapePlace {
  if (isWhole === true) return { type: 'slide' };
  if (cut === undefined) return { type: 'frame' };
  if (grid === undefined) return { type: 'cut', cut };
  const { frameOfReferenceUid, plane, slabMm, time } = grid;
  return { type: 'plane', grid: { frameOfReferenceUid, plane, slabMm, time } };
}

/** An outline that the user changes is no longer interpolated. */
function asDrawn(place: ShapePlace): ShapePlace {
  if (place.type !== 'stack' || place.seen === undefined) return place;
  return { ...place, seen: { ...place.seen, isInterpolated: false } };
}

/** A line can end on the edge of the image, but a pixel cannot be there. */
function keepInside({ x, y }: Point, { screen: { image } }: MeasuredFrame, kind: MeasureTool): Point {
  const margin = MEASURE_KINDS[kind].making.by === 'click' ? 0.5 : 0;
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
