import { chunksOf } from '../kit/state/loadChunk.ts';
import type { Page } from '../kit/state/page.ts';
import { isForAnother, isForPage } from './isForAnother.ts';

/** Input that arrived before the code that handles keys was loaded. */
export interface KeptInput {
  /** Aborts when a key is kept. */
  readonly firstPress: AbortSignal;
  /** Dispatches the kept events again, in order, to the listeners that exist now; nothing is kept afterwards. */
  release(): void;
}

const HELD_POINTERS = ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const;

/**
 * Keeps pressed keys until `release` is called. From the first key on it also holds back mouse input over images,
 * because the key may have chosen the tool that the mouse uses.
 */
export function keepInput(page: Page): KeptInput {
  const firstPress = new AbortController();
  const ending = new AbortController();
  const { signal } = ending;
  let kept: Event[] = [];

  const keepKey = (event: KeyboardEvent) => {
    if (!isWaiting(page) || event.defaultPrevented || isForAnother(event)) return;
    // The browser has its own use for this key.
    if (isForPage(event)) event.preventDefault();
    kept.push(event);
    firstPress.abort();
  };
  const holdPointer = (event: PointerEvent) => {
    if (kept.length === 0 || event.pointerType !== 'mouse' || !isOverImage(event.target)) return;
    event.stopImmediatePropagation();
    kept.push(event);
  };
  addEventListener('keydown', keepKey, { signal });
  addEventListener('keyup', keepKey, { signal });
  for (const type of HELD_POINTERS) addEventListener(type, holdPointer, { signal, capture: true });
  // If the code failed to load, the page says so; keys pressed long ago should not act later.
  const stop = chunksOf(page).subscribe(() => {
    if (!isWaiting(page)) kept = [];
  });

  return {
    firstPress: firstPress.signal,
    release() {
      ending.abort();
      stop();
      for (const event of kept) event.target?.dispatchEvent(copyOf(event));
      kept = [];
    },
  };
}

function isWaiting(page: Page): boolean {
  return chunksOf(page).getState().missing === 0;
}

function copyOf(event: Event): Event {
  return event instanceof PointerEvent ? new PointerEvent(event.type, event) : new KeyboardEvent(event.type, event);
}

function isOverImage(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-cell]') !== null;
}
