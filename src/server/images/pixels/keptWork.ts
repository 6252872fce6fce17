import type { CachePart } from '../../machine/memory/memoryAccount.ts';
import { createSharedWork } from '../../machine/workers/sharedWork.ts';
import type { TaskPriority } from '../../machine/workers/task.ts';

/** Values that are expensive to make: made once for all concurrent requests, and cached as memory allows. */
export interface KeptWork<Value> {
  /** Returns a cached value without making it. */
  find(key: string): Value | undefined;
  /** `make` is aborted when all its callers have aborted. The value is shared and must not be modified. */
  get(key: string, wanted: Wanted, make: (signal: AbortSignal) => Promise<Value>): Promise<Kept<Value>>;
}

export type Wanted = {
  /** Read only if the value is not cached, because the signal of a request is expensive to create. */
  readonly signal: AbortSignal | undefined;
  /** Default: interactive. */
  readonly priority?: TaskPriority | undefined;
};

/** `cached`: the value was cached and not made for this request. */
export type Kept<Value> = { readonly value: Value; readonly cached: boolean };

export type KeptWorkOptions<Value> = {
  readonly cache: CachePart<Value>;
  readonly bytesOf: (value: Value) => number;
};

/** Overhead per value: an array from a worker is six objects in JavaScript and two in the engine. */
const VALUE_BYTES = 1_024;

export function createKeptWork<Value>({ cache, bytesOf }: KeptWorkOptions<Value>): KeptWork<Value> {
  const shared = createSharedWork<Value>();
  return {
    find: (key) => cache.get(key),
    async get(key, wanted, make) {
      const known = cache.get(key);
      if (known !== undefined) return { value: known, cached: true };
      const { signal, priority = 'interactive' } = wanted;
      // Separate for each priority, so that an interactive request does not wait in the queue of background requests.
      const value = await shared.join(`${priority}\0${key}`, signal, async (aborted) => {
        const made = await make(aborted);
        cache.set(key, made, bytesOf(made) + VALUE_BYTES);
        return made;
      });
      return { value, cached: false };
    },
  };
}
