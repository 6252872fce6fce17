import { chunksOf } from '../kit/state/loadChunk.ts';
import { definePart, type Page } from '../kit/state/page.ts';
import { panelsOf, setPanels } from '../kit/state/panels.ts';

/** What was typed for the palette before its code was loaded. */
const typedOf = definePart(() => ({ text: '' }));

/**
 * Takes keys that are meant for a dialog whose code is still being loaded. Without this they would run commands. False
 * if no dialog is awaited.
 */
export function typeAhead(page: Page, event: KeyboardEvent): boolean {
  const { dialog } = panelsOf(page).getState();
  const typed = typedOf(page);
  const isAwaited = dialog !== undefined && document.querySelector('dialog') === null;
  // If the code failed to load, the page says so, and keys are commands again.
  if (!isAwaited || chunksOf(page).getState().missing > 0) {
    typed.text = '';
    return false;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (event.key === 'Escape') setPanels(page, { dialog: undefined });
  else if (event.key === 'Backspace') typed.text = typed.text.slice(0, -1);
  else if (event.key.length === 1) typed.text += event.key;
  event.preventDefault();
  return true;
}

export function takeTyped(page: Page): string {
  const typed = typedOf(page);
  const { text } = typed;
  typed.text = '';
  return text;
}
