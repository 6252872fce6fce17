import { missingPartsStore } from '../state/missingParts.ts';
import { isForAnother, isForPage } from './isForAnother.ts';

/** What was done on the page before the code that answers keys was there. */
export interface KeptHands {
  /** Ends when a key is kept. */
  readonly firstPress: AbortSignal;
  /** Does it all again, in order, for those who listen by now; after this nothing is kept. */
  release(): void;
}

const HELD_POINTERS = ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const;

/**
 * Keeps the keys that are pressed until they are released. From the first key on it holds back the mouse over images
 * too: the key may have chosen the tool with which it draws.
 */
export function keepHands(): KeptHands {
  const firstPress = new AbortController();
  const ending = new AbortController();
  const { signal } = ending;
  let kept: Event[] = [];

  const keepKey = (event: KeyboardEvent) => {
    if (!isWaiting() || event.defaultPrevented || isForAnother(event)) return;
    // The browser has a use of its own for this one.
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
  // If the code did not come, the page says so; keys of long ago would then be a surprise.
  const stop = missingPartsStore.subscribe(() => {
    if (!isWaiting()) kept = [];
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

function isWaiting(): boolean {
  return missingPartsStore.getState().count === 0;
}

function copyOf(event: Event): Event {
  return event instanceof PointerEvent ? new PointerEvent(event.type, event) : new KeyboardEvent(event.type, event);
}

function isOverImage(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-cell]') !== null;
}
