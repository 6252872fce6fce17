import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from './page.ts';

const magnifierOf = definePart(() => createStore<{ readonly isOn: boolean }>(() => ({ isOn: false })));

/** The magnifier stays on until this key is released. */
export const MAGNIFIER_KEY = 'X';

export function setMagnifier(page: Page, isOn: boolean): void {
  const store = magnifierOf(page);
  if (store.getState().isOn !== isOn) store.setState({ isOn });
}

export function useMagnifier(): boolean {
  return useStore(magnifierOf(usePage()), ({ isOn }) => isOn);
}
