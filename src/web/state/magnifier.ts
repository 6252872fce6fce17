import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export const magnifierStore = createStore<{ readonly isOn: boolean }>(() => ({ isOn: false }));

/** It stays until its key is let go. */
export const MAGNIFIER_KEY = 'X';

export function setMagnifier(isOn: boolean): void {
  if (magnifierStore.getState().isOn !== isOn) magnifierStore.setState({ isOn });
}

export function useMagnifier(): boolean {
  return useStore(magnifierStore, ({ isOn }) => isOn);
}
