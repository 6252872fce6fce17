/** How to close each popup that is open; the last one lies on top. */
const openPopups: (() => void)[] = [];

/** Esc closes the popup that was opened last, wherever the focus is, and does nothing else. Returns how to end that. */
export function closeOnEscape(close: () => void): () => void {
  if (openPopups.length === 0) addEventListener('keydown', onKeyDown, { capture: true });
  openPopups.push(close);
  return () => {
    const at = openPopups.lastIndexOf(close);
    if (at >= 0) openPopups.splice(at, 1);
    if (openPopups.length === 0) removeEventListener('keydown', onKeyDown, { capture: true });
  };
}

/** Before everyone else: a field in the popup, a drag on the image and the browser have uses of their own for the key. */
function onKeyDown(event: KeyboardEvent): void {
  // A dialog that lies over the popup is closed first.
  if (event.key !== 'Escape' || event.isComposing || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  openPopups.at(-1)?.();
}

/** Gives the focus back when what had it is gone. */
export function returnFocus(to: Element | null, popup: Element | null): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body || popup?.contains(activeElement) === true;
  if (isLost && to instanceof HTMLElement && to.isConnected) to.focus({ preventScroll: true });
}
