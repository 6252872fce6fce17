import { type ByteCache, createByteCache } from '../../shared/byteCache.ts';
import { ConnectionLost } from '../api/send.ts';
import type { FrameWish } from '../viewport/frameLoader.ts';
import { keyOf } from '../viewport/frameLoader.ts';
import { bytesOf, type PictureFrame } from '../viewport/loadedFrame.ts';

export type TileWishes = { readonly now: readonly FrameWish[]; readonly soon: readonly FrameWish[] };

export type TileLoaderOptions = {
  readonly load: (wish: FrameWish, options: { signal: AbortSignal; isPrefetch: boolean }) => Promise<PictureFrame>;
  readonly budgetBytes: number;
  /** How long to wait before asking a server again that could not be reached. */
  readonly retryAfterMs?: number;
};

/** Loads tiles for all slides of the page, in the order of the wishes; what nobody wants any more is aborted. */
export interface TileLoader {
  find(wish: FrameWish): PictureFrame | undefined;
  findFailure(wish: FrameWish): Error | undefined;
  /** Replaces what this owner wanted before. */
  want(owner: string, wishes: TileWishes): void;
  onChange(listener: () => void): () => void;
  /** Forgets what failed, so that it is tried again. */
  retry(): void;
  clear(): void;
}

/** As many connections as a browser opens to a server over HTTP/1.1. */
const AT_ONCE = 6;
const PREFETCH_AT_ONCE = 3;

export function createTileLoader({ load, budgetBytes, retryAfterMs = 1_000 }: TileLoaderOptions): TileLoader {
  const cache: ByteCache<PictureFrame> = createByteCache(budgetBytes, ({ bitmap }) => bitmap.close());
  const failures = new Map<string, Error>();
  const owners = new Map<string, TileWishes>();
  const inFlight = new Map<string, { readonly controller: AbortController; readonly isPrefetch: boolean }>();
  const listeners = new Set<() => void>();
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  const tell = () => {
    for (const listener of listeners) listener();
  };

  const begin = async (key: string, wish: FrameWish, isPrefetch: boolean) => {
    const controller = new AbortController();
    const { signal } = controller;
    inFlight.set(key, { controller, isPrefetch });
    try {
      const picture = await load(wish, { signal, isPrefetch });
      if (signal.aborted) {
        picture.bitmap.close();
        return;
      }
      cache.set(key, picture, bytesOf(picture));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ConnectionLost) waitForServer();
      failures.set(key, error instanceof Error ? error : new Error(String(error)));
    }
    inFlight.delete(key);
    schedule();
    tell();
  };

  /** That the server cannot be reached says nothing about the tile. */
  const waitForServer = () => {
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      for (const [key, error] of failures) if (error instanceof ConnectionLost) failures.delete(key);
      schedule();
    }, retryAfterMs);
  };

  const isMissing = (key: string) => !inFlight.has(key) && !failures.has(key) && cache.get(key) === undefined;

  const schedule = () => {
    const now = listInTurn([...owners.values()].map((wishes) => wishes.now));
    const soon = listInTurn([...owners.values()].map((wishes) => wishes.soon));
    for (const [key, { controller }] of inFlight) {
      if (now.has(key) || soon.has(key)) continue;
      controller.abort();
      inFlight.delete(key);
    }
    for (const [key, wish] of now) {
      if (inFlight.size >= AT_ONCE) return;
      if (isMissing(key)) void begin(key, wish, false);
    }
    let heldBytes = 0;
    for (const [key, wish] of soon) {
      if (inFlight.size >= PREFETCH_AT_ONCE) return;
      if (isMissing(key)) void begin(key, wish, true);
      // What lies around must not push out what is on screen.
      heldBytes += bytesOfKnown(cache.get(key));
      if (heldBytes > budgetBytes / 4) return;
    }
  };

  return {
    find: (wish) => cache.get(keyOf(wish)),
    findFailure: (wish) => failures.get(keyOf(wish)),
    want(owner, wishes) {
      if (wishes.now.length + wishes.soon.length === 0) owners.delete(owner);
      else owners.set(owner, wishes);
      schedule();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry() {
      failures.clear();
      schedule();
      tell();
    },
    clear() {
      for (const { controller } of inFlight.values()) controller.abort();
      inFlight.clear();
      failures.clear();
      cache.clear();
    },
  };
}

function bytesOfKnown(picture: PictureFrame | undefined): number {
  return picture === undefined ? 0 : bytesOf(picture);
}

/** The wishes of all owners by key: the first of each, then the second of each. */
function listInTurn(lists: readonly (readonly FrameWish[])[]): Map<string, FrameWish> {
  const listed = new Map<string, FrameWish>();
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let at = 0; at < longest; at++) {
    for (const list of lists) {
      const wish = list[at];
      if (wish === undefined) continue;
      const key = keyOf(wish);
      if (!listed.has(key)) listed.set(key, wish);
    }
  }
  return listed;
}
