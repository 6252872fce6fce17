import { createStore } from 'zustand/vanilla';
import { definePart, type Page } from './page.ts';

/** Counts how often the server has said that marks or their classes have changed. */
export const markNewsOf = definePart(() => createStore<{ readonly count: number }>(() => ({ count: 0 })));

export function noteMarkNews(page: Page): void {
  markNewsOf(page).setState(({ count }) => ({ count: count + 1 }));
}
