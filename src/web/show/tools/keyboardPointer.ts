import { createStore } from 'zustand/vanilla';
import { cellsOf } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import styles from './KeyboardPointer.module.css';

/** No pointer of the browser has it. */
const POINTER_ID = 1_000_001;
const NEAR = 1;
const FAR = 10;
const STEPS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** `end` is there while the pointer is. */
const keyboardPointerOf = definePart(() => createStore<{ end: (() => void) | undefined }>(() => ({ end: undefined })));

export function isPointerByKeys(page: Page): boolean {
  return keyboardPointerOf(page).getState().end !== undefined;
}

/** Shows a pointer over the image of the active cell that keys move, or removes it. */
export function togglePointerByKeys(page: Page): void {
  const { end } = keyboardPointerOf(page).getState();
  if (end !== undefined) {
    end();
    return;
  }
  const { activeCell: cell } = cellsOf(page).getState();
  const surface = document.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
  if (surface === null) return;
  surface.focus();
  keyboardPointerOf(page).setState({ end: showPointer(page, cell, surface) });
  say(page, 'Arrow keys move the pointer, with Shift by 10 pixels. Enter presses, and releases. Esc ends.');
}

/**
 * Everything that tools do with a mouse can be done with it, because they get the same events. Returns a function that
 * removes it.
 */
function showPointer(page: Page, cell: number, surface: HTMLElement): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const { width, height } = surface.getBoundingClientRect();
  let at: Point = { x: Math.round(width / 2), y: Math.round(height / 2) };
  let isDown = false;
  const mark = document.createElement('div');
  mark.className = styles.pointer ?? '';
  mark.ariaHidden = 'true';
  mark.dataset['pointer'] = 'keyboard';
  document.body.append(mark);

  const send = (type: 'pointermove' | 'pointerdown' | 'pointerup' | 'pointercancel') => {
    const { left, top } = surface.getBoundingClientRect();
    mark.style.translate = `${left + at.x}px ${top + at.y}px`;
    mark.classList.toggle(styles.pressed ?? '', isDown);
    surface.dispatchEvent(
      new PointerEvent(type, {
        pointerId: POINTER_ID,
        pointerType: 'mouse',
        isPrimary: true,
        button: type === 'pointermove' ? -1 : 0,
        buttons: isDown ? 1 : 0,
        clientX: left + at.x,
        clientY: top + at.y,
        bubbles: true,
        cancelable: true,
      }),
    );
  };
  const move = ([x, y]: readonly [number, number], step: number) => {
    const box = surface.getBoundingClientRect();
    at = {
      x: Math.min(Math.max(at.x + x * step, 0), box.width - 1),
      y: Math.min(Math.max(at.y + y * step, 0), box.height - 1),
    };
    send('pointermove');
  };
  const press = () => {
    isDown = !isDown;
    send(isDown ? 'pointerdown' : 'pointerup');
  };
  const end = () => {
    if (isDown) {
      isDown = false;
      send('pointercancel');
    }
    surface.dispatchEvent(new PointerEvent('pointerleave', { pointerId: POINTER_ID }));
    ending.abort();
    mark.remove();
    keyboardPointerOf(page).setState({ end: undefined });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, shiftKey, ctrlKey, altKey, metaKey } = event;
    // Buttons and text fields have keys of their own.
    const isForImage = target === surface || target === document.body;
    if (!isForImage || ctrlKey || altKey || metaKey) return;
    const step = STEPS[key];
    if (step !== undefined) move(step, shiftKey ? FAR : NEAR);
    else if (key === 'Enter' && !event.repeat) press();
    else if (key === 'Escape') end();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // A gesture that Escape has ended keeps the press of the key for itself, but not its release.
  const onKeyUp = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && isDown) {
      isDown = false;
      send('pointermove');
    }
  };
  window.addEventListener('keydown', onKeyDown, { signal, capture: true });
  window.addEventListener('keyup', onKeyUp, { signal, capture: true });
  signal.addEventListener(
    'abort',
    cellsOf(page).subscribe(({ activeCell }) => {
      if (activeCell !== cell) end();
    }),
  );
  send('pointermove');
  return end;
}
