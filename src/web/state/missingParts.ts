import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { libraryStore } from './library.ts';

/** Code of the page that was asked for and did not come, and how often the user has asked to try again. */
type MissingParts = { readonly count: number; readonly tries: number };

export const missingPartsStore = createStore<MissingParts>(() => ({ count: 0, tries: 0 }));

export function useMissingParts(): number {
  return useStore(missingPartsStore, ({ count }) => count);
}

export function retryParts(): void {
  missingPartsStore.setState(({ tries }) => ({ tries: tries + 1 }));
}

/** Loads code. If it does not come the page says so, and tries again when the user wants it or the server is back. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  let retriedBy: RetriedBy | undefined;
  for (;;) {
    try {
      return await load();
    } catch {
      if (retriedBy === 'user') await reloadIfServed();
      retriedBy = await waitForRetry();
    }
  }
}

type RetriedBy = 'user' | 'connection';

/**
 * Many browsers remember that a file of code did not come, and never ask for it again; and a server that was started anew
 * may have others. In both cases a page that is loaded anew has all of it. But who has no server keeps the page there is.
 */
async function reloadIfServed(): Promise<void> {
  try {
    const { ok } = await fetch('.', { method: 'HEAD', cache: 'no-store' });
    if (ok) location.reload();
  } catch {
    // The page goes on saying that a part is missing.
  }
}

async function waitForRetry(): Promise<RetriedBy> {
  missingPartsStore.setState(({ count }) => ({ count: count + 1 }));
  const retriedBy = await new Promise<RetriedBy>((retry) => {
    const stops = [
      missingPartsStore.subscribe(({ tries }, before) => {
        if (tries !== before.tries) end('user');
      }),
      libraryStore.subscribe(({ connection }, before) => {
        if (connection === 'live' && before.connection !== 'live') end('connection');
      }),
    ];
    const end = (by: RetriedBy) => {
      for (const stop of stops) stop();
      retry(by);
    };
  });
  missingPartsStore.setState(({ count }) => ({ count: count - 1 }));
  return retriedBy;
}
