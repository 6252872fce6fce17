import { activateCell, cellsOf, setCine } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { findShownFrame, type ShownFrame } from '../pictures/shownFrame.ts';
import { isDrawingTool, type ToolName, toolsOf } from '../../kit/state/tools.ts';
import { reportOf, viewportsOf } from '../pictures/viewports.ts';
import type { Point } from '../../kit/state/viewState.ts';
import type { Watched } from '../../kit/ui/followStores.ts';
import { followPointerPlace } from '../../kit/ui/pointerPlace.ts';
import { applyMatrix, invertMatrix } from '../pictures/viewTransform.ts';

/** A shorter movement counts as a click. */
const DRAG_PIXELS = 3;
const MOUSE_REACH = 5;
const FINGER_REACH = 14;

/** Position of the pointer over a cell's image. */
export type MarkPress = {
  readonly shown: ShownFrame;
  /** In CSS pixels from the cell's top left corner. */
  readonly at: Point;
  /** Hit tolerance in CSS pixels: larger for a finger than for a mouse. */
  readonly reach: number;
  /** With a tool of these marks a press draws; with any other tool it only grabs a mark under the pointer. */
  readonly isOwnTool: boolean;
  readonly isAltDown?: boolean;
  readonly isShiftDown?: boolean;
};

/** One press, until its release. Points are in image pixels, because the view may change during the drag. */
export interface MarkGesture {
  /** Called during a drag. */
  move?(point: Point): void;
  /** Called when a drag ends at this point. */
  commit(point: Point): void;
  /** Called on release without a drag. */
  click(point: Point): void;
  cancel?(): void;
}

/** A drag in progress. */
export type HeldMark<G> = { readonly gesture: G; readonly point: Point };

/** Marks over an image that the user draws and changes, such as ROIs. */
export interface Marks<G extends MarkGesture> {
  /** Stores whose changes affect the look of the marks, besides the image itself. */
  readonly stores: readonly Watched[];
  isOwnTool(tool: ToolName): boolean;
  /** Finds what the marks of a cell belong to. Absent: the single frame that it has on screen. */
  readonly findShown?: (page: Page, cell: number) => ShownFrame | undefined;
  /** The gesture that a press starts; undefined if the press does not concern these marks. */
  begin(press: MarkPress): G | undefined;
  /** Called for a press that opens a menu, whatever the tool: a mark under the pointer is selected. */
  choose?(press: MarkPress): void;
  /** Called when the pointer moves while nothing is pressed. */
  hover?(press: MarkPress): void;
  /** The CSS cursor; empty if the tools decide. */
  cursorAt(press: MarkPress): string;
  /** Called often, so it does nothing if nothing has changed. */
  draw(shown: ShownFrame | undefined, held: HeldMark<G> | undefined): void;
}

export type FollowMarksOptions<G extends MarkGesture> = {
  readonly cell: number;
  /** The cell's element, which receives the pointer events. */
  readonly surface: HTMLElement;
  readonly marks: Marks<G>;
};

type Pressed<G> = {
  readonly gesture: G;
  readonly shown: ShownFrame;
  readonly pointerId: number;
  readonly from: Point;
  at: Point;
  hasMoved: boolean;
};

/** Keeps the marks of a cell drawn and handles input on them. Returns a function that stops it. */
export function followMarks<G extends MarkGesture>(page: Page, options: FollowMarksOptions<G>): () => void {
  const { cell, surface, marks } = options;
  const findShown = () => (marks.findShown ?? findShownFrame)(page, cell);
  const letGo = new AbortController();
  const { signal } = letGo;
  const pointOf = followPointerPlace(surface, signal);
  let pressed: Pressed<G> | undefined;
  let isSpaceDown = false;
  /** The cursor that these marks have set. Other marks over the same image have their own. */
  let cursor = '';

  const cancel = () => {
    pressed?.gesture.cancel?.();
    pressed = undefined;
  };

  const draw = () => {
    const shown = findShown();
    if (pressed !== undefined && !isSameFrame(pressed.shown, shown)) cancel();
    const held =
      pressed?.hasMoved === true && shown !== undefined
        ? { gesture: pressed.gesture, point: toImagePoint(shown, pressed.at) }
        : undefined;
    marks.draw(shown, held);
  };

  const pressAt = (event: PointerEvent): MarkPress | undefined => {
    const shown = findShown();
    const { tool } = toolsOf(page).getState();
    const isOwnTool = marks.isOwnTool(tool);
    // A tool that draws other marks handles every press of the main button.
    if (shown === undefined || (!isOwnTool && isDrawingTool(tool) && event.button !== 2)) return undefined;
    const reach = event.pointerType === 'touch' ? FINGER_REACH : MOUSE_REACH;
    const { altKey: isAltDown, shiftKey: isShiftDown } = event;
    return { shown, at: pointOf(event), reach, isOwnTool, isAltDown, isShiftDown };
  };

  const showCursor = (wanted: string) => {
    if (wanted !== '' || cursor !== '') surface.style.cursor = wanted;
    cursor = wanted;
  };

  const down = (event: PointerEvent) => {
    if (!isOnPicture(event.target, surface)) return;
    if (pressed !== undefined) {
      // A second finger: both fingers move the image.
      cancel();
      draw();
      return;
    }
    const press = pressAt(event);
    if (event.button === 2 && press !== undefined) marks.choose?.(press);
    if (event.button !== 0 || isSpaceDown) return;
    const gesture = press && marks.begin(press);
    if (press === undefined || gesture === undefined) return;
    // No other marks may handle the same press. With their own tool no others do, and the tools may need to count
    // fingers.
    if (!press.isOwnTool) event.stopImmediatePropagation();
    activateCell(page, cell);
    setCine(page, cell, { playing: false });
    const { shown, at } = press;
    pressed = { gesture, shown, pointerId: event.pointerId, from: at, at, hasMoved: false };
    capturePointer(surface, event.pointerId);
  };

  const move = (event: PointerEvent) => {
    const at = pointOf(event);
    if (pressed === undefined) {
      const press = pressAt(event);
      showCursor(press === undefined || reportOf(page, cell).status === 'failed' ? '' : marks.cursorAt(press));
      if (press !== undefined) marks.hover?.(press);
      return;
    }
    if (pressed.pointerId !== event.pointerId) return;
    pressed.at = at;
    pressed.hasMoved ||= Math.hypot(at.x - pressed.from.x, at.y - pressed.from.y) >= DRAG_PIXELS;
    const shown = findShown();
    if (pressed.hasMoved && shown !== undefined) pressed.gesture.move?.(toImagePoint(shown, at));
    draw();
  };

  const up = (event: PointerEvent) => {
    if (pressed?.pointerId !== event.pointerId) return;
    const { gesture, hasMoved } = pressed;
    const shown = findShown();
    if (event.type === 'pointerup' && shown !== undefined) {
      pressed = undefined;
      const point = toImagePoint(shown, pointOf(event));
      if (hasMoved) gesture.commit(point);
      else gesture.click(point);
    } else {
      cancel();
    }
    draw();
  };

  const key = (event: KeyboardEvent) => {
    if (event.key === ' ') isSpaceDown = event.type === 'keydown';
    if (event.key !== 'Escape' || event.type !== 'keydown' || pressed === undefined) return;
    // The first Escape ends the gesture and does nothing else.
    event.stopImmediatePropagation();
    cancel();
    draw();
  };

  // In the capture phase, because the tools listen on the same element and must come later.
  surface.addEventListener('pointerdown', down, { signal, capture: true });
  surface.addEventListener('pointermove', move, { signal });
  surface.addEventListener('pointerup', up, { signal });
  surface.addEventListener('pointercancel', up, { signal });
  window.addEventListener('keydown', key, { signal, capture: true });
  window.addEventListener('keyup', key, { signal, capture: true });
  window.addEventListener('blur', () => (isSpaceDown = false), { signal });
  const stops = [...marks.stores, viewportsOf(page), cellsOf(page), libraryOf(page)].map((store) =>
    store.subscribe(draw),
  );
  draw();
  return () => {
    cancel();
    letGo.abort();
    for (const stop of stops) stop();
    showCursor('');
    marks.draw(undefined, undefined);
  };
}

export function toImagePoint({ screen }: ShownFrame, at: Point): Point {
  return applyMatrix(invertMatrix(screen.imageToScreen), at);
}

/** False for a button or a menu that lies over the image. */
export function isOnPicture(target: EventTarget | null, surface: HTMLElement): boolean {
  const isInside = target instanceof Node && surface.contains(target);
  return isInside && (target === surface || target instanceof HTMLCanvasElement || target instanceof SVGElement);
}

/** A press that was sent again may be over by now, and such a pointer cannot be captured. */
function capturePointer(surface: HTMLElement, pointerId: number): void {
  try {
    surface.setPointerCapture(pointerId);
  } catch {
    // Its events are sent to the surface anyway.
  }
}

function isSameFrame(a: ShownFrame, b: ShownFrame | undefined): boolean {
  return a.file.index === b?.file.index && a.frame === b.frame && a.cut?.key === b.cut?.key;
}
