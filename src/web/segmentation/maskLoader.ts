import { type ByteCache, createByteCache } from '../../shared/byteCache.ts';
import type { SourceMasks } from '../../shared/maskLayers.ts';
import type { FrameAddress, FrameRequestOptions } from '../api/frames.ts';

/** A segmentation over a frame. */
export type MaskWish = FrameAddress & { readonly segmentation: number };

export type MaskOutcome =
  | { readonly status: 'ready'; readonly masks: SourceMasks }
  | { readonly status: 'failed'; readonly error: Error };

/** Brings masks: first those of what is on the screen, and when these are there, a few around it. */
export interface MaskLoader {
  /** What a cell shows, and what it may show next. It replaces what the cell wanted before. */
  want(cell: number, wishes: { readonly now: readonly MaskWish[]; readonly soon: readonly MaskWish[] }): void;
  find(wish: MaskWish): MaskOutcome | undefined;
  /** Failed ones are tried again. */
  retry(): void;
  /** Nothing is kept, as after another start of the server. */
  forget(): void;
  subscribe(listener: () => void): () => void;
}

export type MaskLoaderOptions = {
  readonly fetchMasks: (
    segmentation: number,
    address: FrameAddress,
    options: FrameRequestOptions,
  ) => Promise<SourceMasks>;
  readonly budgetBytes: number;
};

/** While the hand moves, the masks of what it passes are not asked for: these are under way, then what is shown by then. */
const MOST_AT_ONCE = 3;

export function createMaskLoader({ fetchMasks, budgetBytes }: MaskLoaderOptions): MaskLoader {
  const outcomes: ByteCache<MaskOutcome> = createByteCache(budgetBytes);
  const inFlight = new Map<string, { readonly isPrefetch: boolean; readonly abort: AbortController }>();
  const wanted = new Map<number, { readonly now: readonly MaskWish[]; readonly soon: readonly MaskWish[] }>();
  const listeners = new Set<() => void>();
  const isMissing = (wish: MaskWish) => !inFlight.has(keyOf(wish)) && outcomes.get(keyOf(wish)) === undefined;

  const pump = () => {
    const now = [...wanted.values()].flatMap((cell) => cell.now);
    const running = [...inFlight.values()].filter(({ isPrefetch }) => !isPrefetch).length;
    for (const wish of now.filter(isMissing).slice(0, Math.max(0, MOST_AT_ONCE - running))) void load(wish, false);
    if (inFlight.size > 0) return;
    const next = [...wanted.values()].flatMap((cell) => cell.soon).find(isMissing);
    if (next !== undefined) void load(next, true);
  };

  const load = async (wish: MaskWish, isPrefetch: boolean) => {
    const key = keyOf(wish);
    const abort = new AbortController();
    const { signal } = abort;
    inFlight.set(key, { isPrefetch, abort });
    const { fileIndex, frame } = wish;
    const outcome = await fetchMasks(wish.segmentation, { fileIndex, frame }, { signal, isPrefetch }).then(
      (masks): MaskOutcome => ({ status: 'ready', masks }),
      (error: unknown): MaskOutcome => ({
        status: 'failed',
        error: error instanceof Error ? error : new Error(String(error)),
      }),
    );
    if (signal.aborted) return;
    inFlight.delete(key);
    outcomes.set(key, outcome, bytesOf(outcome));
    // What is larger than the whole cache would be asked for again and again.
    if (outcomes.get(key) === undefined) outcomes.set(key, { status: 'failed', error: new Error(TOO_LARGE) }, 0);
    for (const listener of listeners) listener();
    pump();
  };

  return {
    want(cell, wishes) {
      wanted.set(cell, wishes);
      pump();
    },
    find: (wish) => outcomes.get(keyOf(wish)),
    retry() {
      for (const wish of [...wanted.values()].flatMap(({ now, soon }) => [...now, ...soon])) {
        if (outcomes.get(keyOf(wish))?.status === 'failed') outcomes.delete(keyOf(wish));
      }
      pump();
    },
    forget() {
      for (const { abort } of inFlight.values()) abort.abort();
      inFlight.clear();
      outcomes.clear();
      wanted.clear();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function keyOf({ segmentation, fileIndex, frame }: MaskWish): string {
  return `${segmentation}/${fileIndex}/${frame}`;
}

const TOO_LARGE = 'the masks of this image are too large for the page';
const LAYER_BYTES = 200;

function bytesOf(outcome: MaskOutcome): number {
  if (outcome.status === 'failed') return 0;
  return outcome.masks.layers.reduce((sum, { samples }) => sum + samples.byteLength + LAYER_BYTES, 0);
}
