import { createStore } from 'zustand/vanilla';
import { chunksOf } from '../kit/state/loadChunk.ts';
import { definePart, type Page } from '../kit/state/page.ts';
import { panelsOf, setPanels } from '../kit/state/panels.ts';

/** What is typed into the palette, also before its code was loaded and its field has the focus. */
export const typedOf = definePart(() => createStore(() => ''));

/**
 * Takes keys that are meant for a dialog whose code is still being loaded. Without this they would run commands. False
 * if no dialog is awaited.
 */
export function typeAhead(page: Page, event: KeyboardEvent): boolean {
  const { dialog } = panelsOf(page).getState();
  const typed = typedOf(page);
  const type = (text: string) => typed.setState(text, true);
  const isAwaited = dialog !== undefined && document.querySelector('dialog') === null;
  // If the code failed to load, the page says so, and keys are commands again.
  if (!isAwaited || chunksOf(page).getState().missing > 0) {
    type('');
    return false;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (event.key === 'Escape') setPanels(page, { dialog: undefined });
  else if (event.key === 'Backspace') type(typed.getState().slice(0, -1));
  else if (event.key.length === 1) type(typed.getState() + event.key);
  event.preventDefault();
  return true;
}
