import { createStore } from 'zustand/vanilla';
import type { FrameAddress } from '../api/frames.ts';
import { definePart, type Page } from './page.ts';
import { panelsOf, setPanels } from './panels.ts';

/** The stack whose labels a dialog is about, by one of its frames, and the layer that it was opened for. */
export type LabelChoice = { readonly of: FrameAddress; readonly layer: number | undefined };

export const labelChoiceOf = definePart((page) => {
  const store = createStore<{ readonly choice: LabelChoice | undefined }>(() => ({ choice: undefined }));
  page.onRestart(() => {
    store.setState({ choice: undefined });
    if (panelsOf(page).getState().dialog === 'labels') setPanels(page, { dialog: undefined });
  });
  return store;
});

/** Opens the dialog that downloads what lies over a stack as labels. */
export function openLabels(page: Page, of: FrameAddress, layer?: number): void {
  labelChoiceOf(page).setState({ choice: { of, layer } });
  setPanels(page, { dialog: 'labels' });
}
