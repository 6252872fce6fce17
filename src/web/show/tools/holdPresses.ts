import { reportOf } from '../pictures/viewports.ts';
import { applyMatrix, invertMatrix } from '../pictures/viewTransform.ts';
import { activateCell } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { setTool, type ToolName, toolsOf } from '../../kit/state/tools.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { isOnPicture } from './followMarks.ts';

export type HoldOptions = {
  readonly cell: number;
  /** The cell's element, to which the events are sent again. */
  readonly surface: HTMLElement;
  /** The tools whose code is being loaded. */
  readonly isOwnTool: (tool: ToolName) => boolean;
  /** Called when presses are held, and when none is any more. */
  readonly onHeld: (isHeld: boolean) => void;
};

/** The place is in image pixels, because the view may change until the event is sent again. */
type HeldEvent = { readonly event: PointerEvent; readonly point: Point };

type HeldPress = {
  readonly tool: ToolName;
  /** What the cell showed. */
  readonly picture: string;
  readonly pointerId: number;
  readonly events: HeldEvent[];
};

/**
 * Keeps presses on a cell with tools whose code is being loaded. The returned function ends that and sends them again, in
 * order, to the code that listens by then.
 */
export function holdPresses(page: Page, { cell, surface, isOwnTool, onHeld }: HoldOptions): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let presses: HeldPress[] = [];
  let pressed: HeldPress | undefined;
  let isSpaceDown = false;

  const keep = (press: HeldPress, event: PointerEvent) => {
    const { screen } = reportOf(page, cell);
    const { left, top } = surface.getBoundingClientRect();
    // No other tool may act on it meanwhile.
    event.stopImmediatePropagation();
    if (screen === undefined) return;
    const at = { x: event.clientX - left, y: event.clientY - top };
    press.events.push({ event, point: applyMatrix(invertMatrix(screen.imageToScreen), at) });
  };

  const drop = () => {
    presses = presses.filter((press) => press !== pressed);
    pressed = undefined;
    onHeld(presses.length > 0);
  };

  const down = (event: PointerEvent) => {
    const { tool } = toolsOf(page).getState();
    const picture = nameOfPicture(page, cell);
    if (!isOnPicture(event.target, surface)) return;
    // A second finger: both fingers move the image.
    if (pressed !== undefined) drop();
    else if (isOwnTool(tool) && event.button === 0 && !isSpaceDown && picture !== undefined) {
      pressed = { tool, picture, pointerId: event.pointerId, events: [] };
      presses.push(pressed);
      activateCell(page, cell);
      keep(pressed, event);
      onHeld(true);
    }
  };
  const follow = (event: PointerEvent) => {
    if (pressed === undefined || event.pointerId !== pressed.pointerId) return;
    keep(pressed, event);
    if (event.type !== 'pointermove') pressed = undefined;
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === ' ') isSpaceDown = event.type === 'keydown';
    if (event.key !== 'Escape' || event.type !== 'keydown' || pressed === undefined) return;
    // The first Escape ends the gesture and does nothing else.
    event.stopImmediatePropagation();
    drop();
  };

  const options = { signal, capture: true };
  window.addEventListener('pointerdown', down, options);
  for (const type of ['pointermove', 'pointerup', 'pointercancel'] as const) {
    window.addEventListener(type, follow, options);
  }
  window.addEventListener('keydown', key, options);
  window.addEventListener('keyup', key, options);
  window.addEventListener('blur', () => (isSpaceDown = false), { signal });

  return () => {
    ending.abort();
    // The effects of the layer that has been loaded run after those of what it replaces.
    if (presses.length === 0) return;
    queueMicrotask(() => {
      sendAgain(page, { cell, surface }, presses);
      onHeld(false);
    });
  };
}

function sendAgain(
  page: Page,
  { cell, surface }: Pick<HoldOptions, 'cell' | 'surface'>,
  presses: readonly HeldPress[],
): void {
  const { tool: chosen } = toolsOf(page).getState();
  const choose = (tool: ToolName) => {
    if (toolsOf(page).getState().tool !== tool) setTool(page, tool);
  };
  const { left, top } = surface.getBoundingClientRect();
  let lost = 0;
  for (const { tool, picture, events } of presses) {
    const { screen } = reportOf(page, cell);
    if (screen === undefined || nameOfPicture(page, cell) !== picture) {
      lost += 1;
      continue;
    }
    choose(tool);
    for (const { event, point } of events) {
      const { x, y } = applyMatrix(screen.imageToScreen, point);
      surface.dispatchEvent(copyOf(event, { x: left + x, y: top + y }));
    }
  }
  choose(chosen);
  if (lost === 0) return;
  const what = lost === 1 ? 'One stroke was' : `${lost} strokes were`;
  say(page, `${what} not drawn, because the image changed before the tool was loaded`, 'failed');
}

/** Undefined while nothing is on the screen. */
function nameOfPicture(page: Page, cell: number): string | undefined {
  const { shown, screen } = reportOf(page, cell);
  return shown === undefined || screen === undefined ? undefined : `${shown.source.id} ${shown.position}`;
}

function copyOf(event: PointerEvent, { x, y }: Point): PointerEvent {
  const { pointerId, pointerType, isPrimary, button, buttons, pressure } = event;
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  const keys = { altKey, ctrlKey, metaKey, shiftKey };
  const pointer = { pointerId, pointerType, isPrimary, button, buttons, pressure };
  return new PointerEvent(event.type, { ...pointer, ...keys, clientX: x, clientY: y, bubbles: true, cancelable: true });
}
