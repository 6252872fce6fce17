import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from './page.ts';

/** The cell whose window the user is typing. */
const windowEntryOf = definePart(() => createStore<{ readonly cell: number | undefined }>(() => ({ cell: undefined })));

export function openWindowEntry(page: Page, cell: number | undefined): void {
  windowEntryOf(page).setState({ cell });
}

export function useIsWindowTyped(cell: number): boolean {
  return useStore(windowEntryOf(usePage()), (state) => state.cell === cell);
}
