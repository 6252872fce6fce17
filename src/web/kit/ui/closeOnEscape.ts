/** Close functions of the open popups; the last one is on top. */
const openPopups: (() => void)[] = [];

/**
 * Makes Esc close the popup that was opened last, wherever the focus is, and do nothing else. Returns a function that
 * unregisters this popup.
 */
export function closeOnEscape(close: () => void): () => void {
  if (openPopups.length === 0) addEventListener('keydown', onKeyDown, { capture: true });
  openPopups.push(close);
  return () => {
    const at = openPopups.lastIndexOf(close);
    if (at >= 0) openPopups.splice(at, 1);
    if (openPopups.length === 0) removeEventListener('keydown', onKeyDown, { capture: true });
  };
}

/** Runs before all other handlers: a field in the popup, a drag on the image and the browser also use this key. */
function onKeyDown(event: KeyboardEvent): void {
  // A dialog that lies over the popup is closed first.
  if (event.key !== 'Escape' || event.isComposing || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  openPopups.at(-1)?.();
}

/** Returns the focus to an element if it was in the popup or is lost. */
export function returnFocus(to: Element | null, popup: Element | null): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body || popup?.contains(activeElement) === true;
  if (isLost && to instanceof HTMLElement && to.isConnected) to.focus({ preventScroll: true });
}
