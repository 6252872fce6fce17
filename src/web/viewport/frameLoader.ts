import { type ByteCache, createByteCache } from '../../shared/byteCache.ts';
import type { WindowChoice } from '../../shared/chooseVoi.ts';
import { type FrameAddress, toQuery } from '../api/frames.ts';
import { createLink } from '../api/link.ts';
import { bytesOf, type LoadedFrame } from './loadedFrame.ts';
import { createPace, type LinePace } from './pace.ts';

/**
 * One thing to load: the samples of a frame, the server's picture of it through a window, the same through its own
 * window and stored as it may be, or a small picture.
 */
export type FrameWish = FrameAddress & { readonly form: FrameForm };

export type FrameForm =
  | { readonly kind: 'raw' }
  | { readonly kind: 'picture'; readonly choice: WindowChoice }
  | { readonly kind: 'source' }
  | { readonly kind: 'preview'; readonly size: number; readonly choice: WindowChoice };

/** What a cell wants: what it shows, and what it will probably show next, likeliest first. */
export type CellWishes = {
  readonly now: readonly FrameWish[];
  readonly soon: readonly FrameWish[];
  /** A hand scrolls: what it wants now it has passed in a moment, and what it has passed is still worth a look. */
  readonly isMoving?: boolean;
};

export type LoadOutcome =
  | { readonly status: 'ready'; readonly frame: LoadedFrame }
  | { readonly status: 'failed'; readonly error: Error };

export type FrameLoaderOptions = {
  readonly load: (wish: FrameWish, options: { signal: AbortSignal; isPrefetch: boolean }) => Promise<LoadedFrame>;
  readonly budgetBytes: number;
  readonly link?: LinePace;
  readonly now?: () => number;
};

/**
 * Loads frames for all cells of the page: what is looked at goes first, what is no longer wanted is aborted, and a
 * frame that several cells want is loaded once.
 */
export interface FrameLoader {
  find(wish: FrameWish): LoadOutcome | undefined;
  /** Replaces what this cell wanted before. */
  want(cell: string, wishes: CellWishes): void;
  /** Calls back whenever a wish comes to an end. */
  onOutcome(listener: (key: string) => void): () => void;
  /** Forgets a failure, so that the next `want` tries again. */
  forgetFailure(wish: FrameWish): void;
  /** Forgets everything: another server has other files. */
  clear(): void;
  /** Of the frames that are kept. */
  heldBytes(): number;
  readonly budgetBytes: number;
  /** Whether the link to the server is what frames wait for. */
  readonly isThin: () => boolean;
}

export function keyOf({ fileIndex, frame, form }: FrameWish): string {
  const window = 'choice' in form ? toQuery(form.choice) : '';
  return `${fileIndex}/${frame}/${form.kind}${form.kind === 'preview' ? form.size : ''}${window}`;
}

export function isPreview({ form }: FrameWish): boolean {
  return form.kind === 'preview';
}

type InFlight = { readonly wish: FrameWish; readonly controller: AbortController; isPrefetch: boolean };

export function createFrameLoader({
  load,
  budgetBytes,
  link = createLink(),
  now = () => performance.now(),
}: FrameLoaderOptions): FrameLoader {
  const cache: ByteCache<LoadedFrame> = createByteCache(budgetBytes);
  /** Frames that are on screen and too large to be kept beside others. */
  const outsize = new Map<string, LoadedFrame>();
  const failures = new Map<string, Error>();
  /** Prefetches that failed: nobody was told, and they are tried again when the frame is looked at. */
  const givenUp = new Set<string>();
  const cells = new Map<string, CellWishes>();
  const inFlight = new Map<string, InFlight>();
  const listeners = new Set<(key: string) => void>();
  const pace = createPace(link);
  let lastBeganMs = -Infinity;

  const recall = (key: string) => cache.get(key) ?? outsize.get(key);

  const begin = async (key: string, wish: FrameWish, isPrefetch: boolean) => {
    const controller = new AbortController();
    const flight = { wish, controller, isPrefetch };
    inFlight.set(key, flight);
    const beganMs = now();
    lastBeganMs = beganMs;
    try {
      const frame = await load(wish, { signal: controller.signal, isPrefetch });
      if (controller.signal.aborted) return;
      pace.note(now() - beganMs);
      cache.set(key, frame, bytesOf(frame));
      if (cache.get(key) === undefined && !flight.isPrefetch) outsize.set(key, frame);
    } catch (error) {
      if (controller.signal.aborted) return;
      if (flight.isPrefetch) givenUp.add(key);
      else failures.set(key, error instanceof Error ? error : new Error(String(error)));
    } finally {
      if (inFlight.get(key) === flight) inFlight.delete(key);
      if (!controller.signal.aborted) {
        for (const listener of listeners) listener(key);
        schedule();
      }
    }
  };

  const isMoving = () => [...cells.values()].some((wishes) => wishes.isMoving);

  const leave = (key: string, { controller }: InFlight) => {
    controller.abort();
    inFlight.delete(key);
  };

  /**
   * Over a slow link a hand that scrolls must not ask for frame after frame, or all of them share the line and none comes
   * in time: it waits for those on their way. Its next notch, or the next that comes, leads here again.
   */
  const mustWait = (): boolean => {
    if (!pace.isSlow() || !isMoving() || inFlight.size === 0) return false;
    return inFlight.size >= pace.mostWhenSlow() || now() - lastBeganMs < pace.apartWhenSlowMs();
  };

  /** When the hand rests, what takes long makes way for what it looks at. */
  const makeRoom = (wish: FrameWish): boolean => {
    if (!pace.isSlow()) return true;
    if (isMoving()) {
      if (mustWait()) return false;
    } else if (pace.isVerySlow()) {
      for (const [key, flight] of inFlight) if (flight.isPrefetch) leave(key, flight);
    }
    // A preview first has the line for itself: all of the frame would make it late.
    return isPreview(wish) || ![...inFlight.values()].some((flight) => !flight.isPrefetch && isPreview(flight.wish));
  };

  const schedule = () => {
    const [urgent, later] = listWishes(cells);
    const keepsAll = pace.isSlow() && isMoving();
    for (const [key, flight] of inFlight) {
      flight.isPrefetch = !urgent.has(key);
      if (!urgent.has(key) && !later.has(key) && !keepsAll) leave(key, flight);
    }
    for (const key of outsize.keys()) if (!urgent.has(key)) outsize.delete(key);
    for (const [key, wish] of [...urgent].toSorted(([, a], [, b]) => Number(isPreview(b)) - Number(isPreview(a)))) {
      if (inFlight.has(key) || recall(key) !== undefined || failures.has(key)) continue;
      if (makeRoom(wish)) void begin(key, wish, false);
    }
    let running = [...inFlight.values()].filter(({ isPrefetch }) => isPrefetch).length;
    const room = pace.prefetchLimit(inFlight.size - running);
    let plannedBytes = 0;
    for (const [key, wish] of later) {
      if (running >= room || mustWait()) break;
      const known = cache.get(key);
      if (known !== undefined) plannedBytes += bytesOf(known);
      // More would push out what was prefetched a moment ago.
      if (plannedBytes > budgetBytes / 2) break;
      if (known !== undefined || inFlight.has(key) || failures.has(key) || givenUp.has(key)) continue;
      running += 1;
      void begin(key, wish, true);
    }
  };

  return {
    find(wish) {
      const key = keyOf(wish);
      const frame = recall(key);
      if (frame !== undefined) return { status: 'ready', frame };
      const error = failures.get(key);
      return error === undefined ? undefined : { status: 'failed', error };
    },
    want(cell, wishes) {
      const before = new Set(cells.get(cell)?.now.map(keyOf));
      for (const key of wishes.now.map(keyOf)) {
        if (before.has(key)) continue;
        // Who comes back to a frame that failed wants to see it.
        failures.delete(key);
        givenUp.delete(key);
      }
      if (wishes.now.length + wishes.soon.length === 0) cells.delete(cell);
      else cells.set(cell, wishes);
      schedule();
    },
    onOutcome(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forgetFailure(wish) {
      failures.delete(keyOf(wish));
    },
    clear() {
      for (const { controller } of inFlight.values()) controller.abort();
      inFlight.clear();
      cache.clear();
      outsize.clear();
      failures.clear();
      givenUp.clear();
    },
    heldBytes() {
      return [...outsize.values()].reduce((sum, frame) => sum + bytesOf(frame), cache.bytes());
    },
    budgetBytes,
    isThin: link.isThin,
  };
}

/** All wishes by key: those that are waited for, and the others, taken from the cells in turn. */
function listWishes(cells: ReadonlyMap<string, CellWishes>): [Map<string, FrameWish>, Map<string, FrameWish>] {
  const urgent = new Map<string, FrameWish>();
  const later = new Map<string, FrameWish>();
  let longest = 0;
  for (const { now, soon } of cells.values()) {
    for (const wish of now) urgent.set(keyOf(wish), wish);
    longest = Math.max(longest, soon.length);
  }
  for (let i = 0; i < longest; i++) {
    for (const { soon } of cells.values()) {
      const wish = soon[i];
      if (wish === undefined) continue;
      const key = keyOf(wish);
      if (!urgent.has(key) && !later.has(key)) later.set(key, wish);
    }
  }
  return [urgent, later];
}
