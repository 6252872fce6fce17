import { type FrameAddress, fetchThumbnail } from '../api/frames.ts';
import { libraryStore } from '../state/library.ts';
import { waitForFirstImage } from '../state/firstImage.ts';

/** Longer edge: twice what is drawn, for screens with small pixels. */
const SIZE_PX = 96;
const AT_ONCE = 2;
/** As object URLs; each keeps its picture in memory. */
const KEPT = 400;

export type Thumbnails = {
  find(key: string): string | undefined;
  /** Calls back when it is there; a wish that is taken back before its turn costs no request. */
  want(key: string, address: FrameAddress, onReady: () => void): () => void;
  clear(): void;
};

type Wish = { readonly key: string; readonly address: FrameAddress; readonly onReady: () => void };

/** Frames of this run of the server that cannot be drawn: each is asked for once, whichever line shows it. */
const failed = new Set<string>();

libraryStore.subscribe(({ serverRuns }, before) => {
  if (serverRuns !== before.serverRuns) failed.clear();
});

function nameFrame({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex}/${frame}`;
}

function hasFailed(address: FrameAddress): boolean {
  return failed.has(nameFrame(address));
}

export function createThumbnails(): Thumbnails {
  const urls = new Map<string, string>();
  const wishes = new Set<Wish>();
  let running = 0;
  let ended = new AbortController();
  let isHeld = true;
  const letGo = async () => {
    await waitForFirstImage(ended.signal);
    isHeld = false;
    begin();
  };

  const begin = () => {
    for (const wish of wishes) {
      if (isHeld || running >= AT_ONCE) return;
      wishes.delete(wish);
      void load(wish, ended.signal);
    }
  };
  const load = async ({ key, address, onReady }: Wish, signal: AbortSignal) => {
    if (!urls.has(key) && !hasFailed(address)) {
      running += 1;
      try {
        const picture = await fetchThumbnail(address, SIZE_PX, { signal, isPrefetch: true });
        if (!signal.aborted) keep(key, URL.createObjectURL(picture));
      } catch {
        // The line then shows no picture; opening it says why.
        if (!signal.aborted) failed.add(nameFrame(address));
      } finally {
        running -= 1;
      }
    }
    onReady();
    begin();
  };
  const keep = (key: string, url: string) => {
    urls.set(key, url);
    for (const [oldest, itsUrl] of urls) {
      if (urls.size <= KEPT) return;
      URL.revokeObjectURL(itsUrl);
      urls.delete(oldest);
    }
  };

  void letGo();
  return {
    find: (key) => urls.get(key),
    want(key, address, onReady) {
      if (hasFailed(address)) return () => {};
      const wish = { key, address, onReady };
      wishes.add(wish);
      begin();
      return () => wishes.delete(wish);
    },
    clear() {
      ended.abort();
      ended = new AbortController();
      for (const url of urls.values()) URL.revokeObjectURL(url);
      urls.clear();
      wishes.clear();
    },
  };
}
