import { asError } from '../../../shared/asError.ts';
import { createByteCache } from '../../../shared/byteCache.ts';
import type { Flight, Pace, Traffic } from './pace.ts';

/** What one owner, such as a cell, wants: what it shows, and what it will probably show next, most likely first. */
export type Wishes<Wish> = {
  readonly now: readonly Wish[];
  readonly soon: readonly Wish[];
  /** The user is scrolling: what is wanted now will be out of view in a moment. */
  readonly isMoving?: boolean;
};

export type Ready<Value> = { readonly status: 'ready'; readonly value: Value };
export type Failed = { readonly status: 'failed'; readonly error: Error };
export type Outcome<Value> = Ready<Value> | Failed;

export type LoadOptions = { readonly signal: AbortSignal; readonly isPrefetch: boolean };

export type LoaderOptions<Wish, Value> = {
  /** Wishes with the same key are equal. */
  readonly keyOf: (wish: Wish) => string;
  readonly load: (wish: Wish, options: LoadOptions) => Promise<Value>;
  readonly bytesOf: (value: Value) => number;
  /**
   * Frees what the garbage collector does not, such as bitmaps. Called once for each value, when it is no longer
   * needed.
   */
  readonly dispose?: (value: Value) => void;
  readonly budgetBytes: number;
  /**
   * Prefetching stops at this share of the budget, because prefetched values would evict each other. Half by default.
   */
  readonly prefetchShare?: number;
  /** Keep a value that is wanted now when it no longer fits beside the others. True by default. */
  readonly keepsWanted?: boolean;
  readonly pace: Pace<Wish>;
  /**
   * When a failure is forgotten without `retry`: never, or as soon as an owner newly wants the wish now. With the
   * latter, a failed prefetch is not reported at all.
   */
  readonly failuresLast?: 'until_retry' | 'until_wanted_again';
  /** Failures that are unrelated to the wish itself. They are forgotten after `retryAfterMs`. */
  readonly isTransient?: (error: Error) => boolean;
  readonly retryAfterMs?: number;
  readonly now?: () => number;
};

/**
 * Loads values for several owners: what is wanted now comes first, what no owner wants any more is aborted, and what
 * several owners want is loaded once.
 */
export interface Loader<Wish, Value> {
  /** The same object until the outcome changes. */
  find(wish: Wish): Outcome<Value> | undefined;
  /** Replaces what this owner wanted before. */
  want(owner: Owner, wishes: Wishes<Wish>): void;
  /** Wants it now, until there is an outcome. Resolves to undefined after `clear`. */
  load(wish: Wish): Promise<Outcome<Value> | undefined>;
  /**
   * Values that this owner is using are not disposed of, even if the loader forgets them. Replaces the owner's previous
   * values.
   */
  hold(owner: Owner, values: readonly Value[]): void;
  /** Calls back when a wish gets an outcome, or when `retry` removes its failure. */
  onOutcome(listener: (key: string) => void): () => void;
  /** Forgets the failures of these wishes, or of all, and retries what is wanted. */
  retry(wishes?: readonly Wish[]): void;
  /** Forgets everything, because another run of the server has other files. */
  clear(): void;
  /** Size of all values that can be found. */
  heldBytes(): number;
  readonly budgetBytes: number;
}

export type Owner = string | number | symbol;

type Controlled<Wish> = Flight<Wish> & { isPrefetch: boolean; readonly controller: AbortController };

export function createLoader<Wish, Value>(options: LoaderOptions<Wish, Value>): Loader<Wish, Value> {
  const { keyOf, load, bytesOf, budgetBytes, pace, now = () => performance.now() } = options;
  const { prefetchShare = 1 / 2, keepsWanted = true, retryAfterMs = 1_000 } = options;
  const triesAgain = options.failuresLast === 'until_wanted_again';
  const values = createValues(options);
  const failures = new Map<string, Failed>();
  /** Prefetches that yielded nothing, which is not reported. They are not repeated until they are wanted now. */
  const givenUp = new Set<string>();
  /** Evicted since the wishes last changed: prefetching them again would only evict others. */
  const pushedOut = new Set<string>();
  const owners = new Map<Owner, Wishes<Wish>>();
  const inFlight = new Map<string, Controlled<Wish>>();
  const listeners = new Set<(key: string) => void>();
  const waiting = new Map<string, Set<(outcome: Outcome<Value> | undefined) => void>>();
  /** What is wanted now, by key. */
  let urgent: ReadonlyMap<string, Wish> = new Map();
  let lastBeganMs = -Infinity;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  const findKey = (key: string): Outcome<Value> | undefined => values.get(key) ?? failures.get(key);

  const tell = (key: string) => {
    const outcome = findKey(key);
    if (outcome !== undefined) {
      for (const settle of waiting.get(key) ?? []) settle(outcome);
      waiting.delete(key);
    }
    for (const listener of listeners) listener(key);
  };

  const begin = async (key: string, wish: Wish, isPrefetch: boolean) => {
    const controller = new AbortController();
    const { signal } = controller;
    const flight = { wish, controller, isPrefetch, beganAsPrefetch: isPrefetch };
    inFlight.set(key, flight);
    lastBeganMs = now();
    const beganMs = lastBeganMs;
    try {
      const value = await load(wish, { signal, isPrefetch });
      if (signal.aborted) {
        values.discard(value);
        return;
      }
      pace.note?.(now() - beganMs);
      for (const forgotten of values.put(key, { status: 'ready', value }, isNeeded)) pushedOut.add(forgotten);
      // Too large to be kept until it is wanted now: another request would not help.
      if (values.get(key) === undefined) givenUp.add(key);
    } catch (error) {
      if (signal.aborted) return;
      if (triesAgain && flight.isPrefetch) givenUp.add(key);
      else noteFailure(key, asError(error));
    }
    inFlight.delete(key);
    // Listeners run first, so that the result can be drawn before more is requested.
    try {
      tell(key);
    } finally {
      schedule();
    }
  };

  /** Whether a value that does not fit is kept anyway. */
  const isNeeded = (key: string, isTooLarge: boolean) => urgent.has(key) && (keepsWanted || isTooLarge);

  const noteFailure = (key: string, error: Error) => {
    failures.set(key, { status: 'failed', error });
    if (options.isTransient?.(error) !== true) return;
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      for (const [failed, { error: reason }] of failures) if (options.isTransient?.(reason)) failures.delete(failed);
      schedule();
    }, retryAfterMs);
  };

  const leave = (key: string, { controller }: Controlled<Wish>) => {
    controller.abort();
    inFlight.delete(key);
  };

  const seeTraffic = (): Traffic<Wish> => ({
    flights: [...inFlight.values()],
    isMoving: [...owners.values()].some(({ isMoving }) => isMoving),
    sinceLastMs: now() - lastBeganMs,
  });

  const schedule = () => {
    const everyone = [...owners.values()];
    urgent = listInTurn(
      everyone.map((wishes) => wishes.now),
      keyOf,
    );
    const later = listInTurn(
      everyone.map(({ soon }) => soon),
      keyOf,
    );
    const traffic = seeTraffic();
    for (const [key, flight] of inFlight) {
      flight.isPrefetch = !urgent.has(key);
      if (flight.isPrefetch && !later.has(key) && !pace.keepsUnwanted(traffic, flight.wish)) leave(key, flight);
    }
    values.review(isNeeded);
    beginUrgent();
    beginLater(later);
  };

  const rankOf = (wish: Wish) => (pace.isFirst?.(wish) ? 0 : 1);

  const beginUrgent = () => {
    for (const [key, wish] of [...urgent].toSorted(([, a], [, b]) => rankOf(a) - rankOf(b))) {
      if (inFlight.has(key) || findKey(key) !== undefined) continue;
      if (pace.endsPrefetches?.(seeTraffic())) {
        for (const [other, flight] of inFlight) if (flight.isPrefetch) leave(other, flight);
      }
      if (pace.admits(wish, seeTraffic())) void begin(key, wish, false);
    }
  };

  const beginLater = (later: ReadonlyMap<string, Wish>) => {
    let plannedBytes = 0;
    for (const [key, wish] of later) {
      if (urgent.has(key)) continue;
      if (!pace.admitsPrefetch(seeTraffic())) break;
      const known = values.get(key);
      if (known !== undefined) plannedBytes += bytesOf(known.value);
      if (plannedBytes > budgetBytes * prefetchShare) break;
      const isHopeless = failures.has(key) || givenUp.has(key) || pushedOut.has(key);
      if (known === undefined && !inFlight.has(key) && !isHopeless) void begin(key, wish, true);
    }
  };

  const want = (owner: Owner, wishes: Wishes<Wish>) => {
    if (triesAgain) {
      const before = new Set(owners.get(owner)?.now.map(keyOf));
      for (const key of wishes.now.map(keyOf)) {
        if (before.has(key)) continue;
        failures.delete(key);
        givenUp.delete(key);
      }
    }
    if (wishes.now.length + wishes.soon.length === 0) owners.delete(owner);
    else owners.set(owner, wishes);
    pushedOut.clear();
    schedule();
  };

  return {
    find: (wish) => findKey(keyOf(wish)),
    want,
    async load(wish) {
      const known = findKey(keyOf(wish));
      if (known !== undefined) return known;
      const owner = Symbol('one load');
      const outcome = await new Promise<Outcome<Value> | undefined>((settle) => {
        const others = waiting.get(keyOf(wish)) ?? new Set();
        waiting.set(keyOf(wish), others.add(settle));
        want(owner, { now: [wish], soon: [] });
      });
      want(owner, { now: [], soon: [] });
      return outcome;
    },
    hold: (owner, some) => values.hold(owner, some),
    onOutcome(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry(wishes) {
      const forgotten = wishes?.map(keyOf) ?? [...failures.keys()];
      const changed = forgotten.filter((key) => failures.delete(key));
      schedule();
      for (const key of changed) tell(key);
    },
    clear() {
      clearTimeout(retryTimer);
      retryTimer = undefined;
      for (const [key, flight] of inFlight) leave(key, flight);
      owners.clear();
      urgent = new Map();
      values.clear();
      failures.clear();
      givenUp.clear();
      pushedOut.clear();
      const settles = [...waiting.values()].flatMap((some) => [...some]);
      waiting.clear();
      for (const settle of settles) settle(undefined);
    },
    heldBytes: values.bytes,
    budgetBytes,
  };
}

/** The values of a loader: a cache, what is wanted now but does not fit into it, and what owners are using. */
function createValues<Wish, Value>({ bytesOf, budgetBytes, dispose }: LoaderOptions<Wish, Value>) {
  type Entry = { readonly key: string; readonly ready: Ready<Value> };
  type IsNeeded = (key: string, isTooLarge: boolean) => boolean;
  let removed: Entry[] = [];
  const cache = createByteCache<Entry>(budgetBytes, (entry) => removed.push(entry));
  const aside = new Map<string, Ready<Value>>();
  const held = new Map<Owner, ReadonlySet<Value>>();
  /** No longer found by the loader, but still in use. */
  const orphans = new Set<Value>();

  const isHeld = (value: Value) => [...held.values()].some((some) => some.has(value));

  const discard = (value: Value) => {
    if (isHeld(value)) orphans.add(value);
    else dispose?.(value);
  };

  /** Returns the keys of the values that were evicted for it. */
  const put = (key: string, ready: Ready<Value>, isNeeded: IsNeeded): readonly string[] => {
    cache.set(key, { key, ready }, bytesOf(ready.value));
    const forgotten: string[] = [];
    for (const entry of takeRemoved()) {
      if (isNeeded(entry.key, entry.key === key)) aside.set(entry.key, entry.ready);
      else {
        discard(entry.ready.value);
        forgotten.push(entry.key);
      }
    }
    return forgotten;
  };

  const takeRemoved = () => {
    const taken = removed;
    removed = [];
    return taken;
  };

  return {
    get: (key: string): Ready<Value> | undefined => cache.get(key)?.ready ?? aside.get(key),
    put,
    discard,
    /** Moves values that were kept only because they were wanted back into the cache, or discards them. */
    review(isNeeded: IsNeeded): void {
      for (const [key, ready] of aside) {
        if (isNeeded(key, true)) continue;
        aside.delete(key);
        put(key, ready, isNeeded);
      }
    },
    hold(owner: Owner, values: readonly Value[]): void {
      if (values.length === 0) held.delete(owner);
      else held.set(owner, new Set(values));
      for (const value of orphans) {
        if (isHeld(value)) continue;
        orphans.delete(value);
        dispose?.(value);
      }
    },
    clear(): void {
      cache.clear();
      const all = [...takeRemoved().map(({ ready }) => ready), ...aside.values()];
      aside.clear();
      for (const { value } of all) discard(value);
    },
    bytes: (): number => [...aside.values()].reduce((sum, { value }) => sum + bytesOf(value), cache.bytes()),
  };
}

/** The wishes of all owners by key: the first of each owner, then the second of each, and so on. */
function listInTurn<Wish>(lists: readonly (readonly Wish[])[], keyOf: (wish: Wish) => string): Map<string, Wish> {
  const listed = new Map<string, Wish>();
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
