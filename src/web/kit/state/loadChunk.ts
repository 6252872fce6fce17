import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { libraryOf } from './library.ts';
import { definePart, type Page, usePage } from './page.ts';

/** Number of chunks of code that are failing to load, and number of times that the user has asked to retry. */
type Chunks = { readonly missing: number; readonly tries: number };

export const chunksOf = definePart(() => createStore<Chunks>(() => ({ missing: 0, tries: 0 })));

export function useMissingChunks(): number {
  return useStore(chunksOf(usePage()), ({ missing }) => missing);
}

export function retryChunks(page: Page): void {
  chunksOf(page).setState(({ tries }) => ({ tries: tries + 1 }));
}

/**
 * Loads a chunk of code. If that fails, the page says so, and the load is retried on request or when the server is back.
 */
export async function loadChunk<Chunk>(page: Page, load: () => Promise<Chunk>): Promise<Chunk> {
  let retriedBy: RetriedBy | undefined;
  for (;;) {
    try {
      return await load();
    } catch {
      if (retriedBy === 'user') await reloadIfServed();
      retriedBy = await waitForRetry(page);
    }
  }
}

type RetriedBy = 'user' | 'connection';

/**
 * Many browsers remember that a code file failed to load and never request it again, and a restarted server may have
 * other files. Reloading the page solves both. If no server can be reached, the user keeps the current page.
 */
async function reloadIfServed(): Promise<void> {
  try {
    const { ok } = await fetch('.', { method: 'HEAD', cache: 'no-store' });
    if (ok) location.reload();
  } catch {
    // The page continues to say that code is missing.
  }
}

async function waitForRetry(page: Page): Promise<RetriedBy> {
  chunksOf(page).setState(({ missing }) => ({ missing: missing + 1 }));
  const retriedBy = await new Promise<RetriedBy>((retry) => {
    const stops = [
      chunksOf(page).subscribe(({ tries }, before) => {
        if (tries !== before.tries) end('user');
      }),
      libraryOf(page).subscribe(({ connection }, before) => {
        if (connection === 'live' && before.connection !== 'live') end('connection');
      }),
    ];
    const end = (by: RetriedBy) => {
      for (const stop of stops) stop();
      retry(by);
    };
  });
  chunksOf(page).setState(({ missing }) => ({ missing: missing - 1 }));
  return retriedBy;
}
