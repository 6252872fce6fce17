import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** The cell whose window is being typed. */
export const windowEntryStore = createStore<{ readonly cell: number | undefined }>(() => ({ cell: undefined }));

export function openWindowEntry(cell: number | undefined): void {
  windowEntryStore.setState({ cell });
}

export function useIsWindowTyped(cell: number): boolean {
  return useStore(windowEntryStore, (state) => state.cell === cell);
}
