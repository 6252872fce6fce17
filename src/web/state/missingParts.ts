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
  for (;;) {
    try {
      return await load();
    } catch {
      await waitForRetry();
    }
  }
}

async function waitForRetry(): Promise<void> {
  missingPartsStore.setState(({ count }) => ({ count: count + 1 }));
  await new Promise<void>((retry) => {
    const stops = [
      missingPartsStore.subscribe(({ tries }, before) => {
        if (tries !== before.tries) end();
      }),
      libraryStore.subscribe(({ connection }, before) => {
        if (connection === 'live' && before.connection !== 'live') end();
      }),
    ];
    const end = () => {
      for (const stop of stops) stop();
      retry();
    };
  });
  missingPartsStore.setState(({ count }) => ({ count: count - 1 }));
}
