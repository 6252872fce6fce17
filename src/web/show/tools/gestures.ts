import { activateCell, toggleMaximised } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import { toolsOf } from '../../kit/state/tools.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { probeWithReports, setProbe } from '../pictures/viewports.ts';
import type { Viewport } from '../pictures/viewport/createViewport.ts';
import { followPointerPlace } from '../../kit/ui/pointerPlace.ts';
import { chooseTool } from './chooseTool.ts';
import type { Drag } from './dragTool.ts';
import { beginPinch, type TwoPoints } from './pinch.ts';
import { laterToolsOf } from './laterTools.ts';
import { createWheel } from './wheel.ts';

/** A shorter movement counts as a click. */
const DRAG_PIXELS = 3;

type Pressed = { readonly pointerId: number; readonly from: Point; readonly drag: Drag; hasMoved: boolean };

export type GestureOptions = {
  readonly cell: number;
  /** The element that receives input. Points are measured from its top left corner. */
  readonly surface: HTMLElement;
  readonly getViewport: () => Pick<Viewport, 'probe'> | null;
  readonly onContextMenu: (at: Point) => void;
};

/** Handles mouse, wheel, pen and touch input on one viewport. Returns a function that stops it. */
export function watchGestures(page: Page, { cell, surface, getViewport, onContextMenu }: GestureOptions): () => void {
  const letGo = new AbortController();
  const { signal } = letGo;
  const wheel = createWheel(page, cell, signal);
  const fingers = new Map<number, Point>();
  let pinch: ((moved: TwoPoints) => void) | undefined;
  let pressed: Pressed | undefined;
  let hovered: Point | undefined;
  let isSpaceDown = false;
  let rightDragEnded = false;
  let menuAt: Point | undefined;

  const pointOf = followPointerPlace(surface, signal);
  const twoFingers = (): TwoPoints | undefined => {
    const [a, b] = fingers.values();
    return a === undefined || b === undefined ? undefined : [a, b];
  };
  const probe = () => {
    if (hovered !== undefined) setProbe(page, cell, getViewport()?.probe(hovered));
  };
  const cancelDrag = () => {
    pressed?.drag.cancel();
    pressed = undefined;
    menuAt = undefined;
  };

  const down = (event: PointerEvent) => {
    if (isForControl(event)) return;
    activateCell(page, cell);
    if (event.pointerType === 'touch') fingers.set(event.pointerId, pointOf(event));
    const two = fingers.size === 2 ? twoFingers() : undefined;
    if (two !== undefined) {
      cancelDrag();
      pinch = beginPinch(page, cell, two);
      return;
    }
    if (pressed !== undefined) return;
    const from = pointOf(event);
    const tool = chooseTool(page, cell, toolsOf(page).getState().tool, {
      button: event.button,
      isSpaceDown,
      isAltDown: event.altKey,
    });
    const drag = tool?.begin(page, cell, from);
    rightDragEnded = false;
    menuAt = undefined;
    if (drag === undefined) return;
    pressed = { pointerId: event.pointerId, from, drag, hasMoved: false };
    // The pointer that keys move is not one of the browser.
    if (event.isTrusted) surface.setPointerCapture(event.pointerId);
    // The middle button would start to scroll the page.
    if (event.button === 1) event.preventDefault();
  };

  const move = (event: PointerEvent) => {
    const at = pointOf(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
    const two = twoFingers();
    if (pinch !== undefined && two !== undefined) {
      pinch(two);
      return;
    }
    if (pressed?.pointerId === event.pointerId) {
      pressed.hasMoved ||= Math.hypot(at.x - pressed.from.x, at.y - pressed.from.y) >= DRAG_PIXELS;
      if (pressed.hasMoved) pressed.drag.move(at);
    }
    hovered = at;
    const isLeading = event.shiftKey && event.buttons === 0 && pressed === undefined;
    if (isLeading) laterToolsOf(page).leadCrosshair?.(page, cell, at);
    probe();
  };
  const leave = () => {
    hovered = undefined;
    setProbe(page, cell, undefined);
  };

  const up = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    if (fingers.size < 2) pinch = undefined;
    if (pressed?.pointerId === event.pointerId) {
      rightDragEnded = pressed.hasMoved && event.button === 2;
      if (pressed.hasMoved) menuAt = undefined;
      const { drag, hasMoved } = pressed;
      pressed = undefined;
      if (hasMoved && event.type === 'pointerup') drag.end?.();
      else if (event.type !== 'pointerup') drag.cancel();
    }
    const at = menuAt;
    menuAt = undefined;
    // Deferred until the release has been handled, because the release closes open popups.
    if (at !== undefined && event.type === 'pointerup') setTimeout(() => onContextMenu(at));
  };

  // Some systems send this event on press, before it is known whether a drag begins, others on release.
  const wantMenu = (event: MouseEvent) => {
    if (isForControl(event)) return;
    event.preventDefault();
    if (pressed !== undefined || event.buttons !== 0) menuAt = pointOf(event);
    else if (!rightDragEnded) onContextMenu(pointOf(event));
  };

  const key = (event: KeyboardEvent) => {
    if (event.key === ' ') isSpaceDown = event.type === 'keydown';
    if (event.key !== 'Escape' || event.type !== 'keydown' || pressed === undefined) return;
    // The first Escape ends the gesture and does nothing else.
    event.stopImmediatePropagation();
    cancelDrag();
  };

  surface.addEventListener('focus', () => activateCell(page, cell), { signal });
  surface.addEventListener('pointerdown', down, { signal });
  surface.addEventListener('pointermove', move, { signal });
  surface.addEventListener('pointerup', up, { signal });
  surface.addEventListener('pointercancel', up, { signal });
  surface.addEventListener('pointerleave', leave, { signal });
  signal.addEventListener('abort', probeWithReports(page, cell, probe));
  surface.addEventListener('contextmenu', wantMenu, { signal });
  const doubleClick = (event: MouseEvent) => {
    // The polygon tool ends a polygon with it.
    if (!isForControl(event) && toolsOf(page).getState().tool !== 'polygon') toggleMaximised(page, cell);
  };
  surface.addEventListener('dblclick', doubleClick, { signal });
  surface.addEventListener(
    'wheel',
    (event) => {
      if (isForControl(event)) return;
      event.preventDefault();
      activateCell(page, cell);
      wheel(event, pointOf(event));
    },
    { signal, passive: false },
  );
  // In the capture phase, so that a gesture ends before other handlers see the key.
  window.addEventListener('keydown', key, { signal, capture: true });
  window.addEventListener('keyup', key, { signal, capture: true });
  window.addEventListener('blur', () => (isSpaceDown = false), { signal });
  return () => {
    cancelDrag();
    letGo.abort();
  };
}

/** Buttons and menus over the image handle their own input. */
function isForControl({ target }: Event): boolean {
  return (
    target instanceof Element && target.closest('button, summary, details, input, [popover], [data-control]') !== null
  );
}
