import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from './page.ts';

/** Counts how often the server has said that there are assistants, or others. */
export const assistantNewsOf = definePart(() => createStore(() => ({ count: 0 })));

export function noteAssistants(page: Page): void {
  assistantNewsOf(page).setState(({ count }) => ({ count: count + 1 }));
}

export function useAssistantNews(): number {
  return useStore(assistantNewsOf(usePage()), ({ count }) => count);
}
