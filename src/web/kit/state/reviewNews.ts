import { createStore } from 'zustand/vanilla';
import { libraryOf } from './library.ts';
import { definePart, type Page } from './page.ts';

/** Counts how often the server has said that decisions of the review have changed. */
export const reviewNewsOf = definePart(() => createStore<{ readonly count: number }>(() => ({ count: 0 })));

export function noteReviewNews(page: Page): void {
  reviewNewsOf(page).setState(({ count }) => ({ count: count + 1 }));
}

/** Whether the server was started with `--review`. */
export function isInReview(page: Page): boolean {
  return libraryOf(page).getState().summary?.review !== undefined;
}

/** Whether the page must say nothing of the patient, the study and the paths. */
export function isBlindReview(page: Page): boolean {
  return libraryOf(page).getState().summary?.review === 'blind';
}
