import { createStore } from 'zustand/vanilla';
import type { News } from './createNews.ts';
import { definePart, type Page } from './page.ts';
import { waitUntil } from './waitUntil.ts';

/** What tells the page of changes. The code for it is loaded after the first image, whose connection it would share. */
export const newsOf = definePart(() => createStore<{ readonly news: News | undefined }>(() => ({ news: undefined })));

/** Resolves when there is news. Without an event stream it resolves after `ms`, so that the caller polls. */
export async function waitForNews(page: Page, ms: number, signal: AbortSignal): Promise<void> {
  const store = newsOf(page);
  const { news } = store.getState();
  if (news !== undefined) return news.wait(ms, signal);
  return waitUntil(() => store.getState().news !== undefined, { stores: [store], longestMs: ms, signal });
}
