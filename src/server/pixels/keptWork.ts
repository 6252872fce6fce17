import type { ByteCache } from '../../shared/byteCache.ts';
import { arrivalOf, setArrival } from '../workers/arrival.ts';
import type { TaskPriority } from '../workers/task.ts';

/** Values that are expensive to make: made once for all concurrent requests, and cached as memory allows. */
export interface KeptWork<Value> {
  /** Returns a cached value without making it. */
  find(key: string): Value | undefined;
  /** `make` is aborted when all its callers have aborted. The value is shared and must not be modified. */
  get(key: string, wanted: Wanted, make: (signal: AbortSignal) => Promise<Value>): Promise<Kept<Value>>;
}

export type Wanted = {
  /** Read only if the value is not cached, because the signal of a request is expensive to create. */
  readonly signal?: AbortSignal | undefined;
  /** Default: interactive. */
  readonly priority?: TaskPriority | undefined;
};

/** `cached`: the value was cached and not made for this request. */
export type Kept<Value> = { readonly value: Value; readonly cached: boolean };

export type KeptWorkOptions<Value> = {
  readonly cache: ByteCache<Value>;
  readonly bytesOf: (value: Value) => number;
};

/** Overhead per value: an array from a worker is six objects in JavaScript and two in the engine. */
const VALUE_BYTES = 1_024;

type InFlight<Value> = {
  readonly result: Promise<Value>;
  readonly abort: (reason: unknown) => void;
  waiting: number;
};

export function createKeptWork<Value>({ cache, bytesOf }: KeptWorkOptions<Value>): KeptWork<Value> {
  const inFlight = new Map<string, InFlight<Value>>();

  const begin = (
    shareKey: string,
    signal: AbortSignal | undefined,
    makeAndKeep: (signal: AbortSignal) => Promise<Value>,
  ): InFlight<Value> => {
    const aborter = new AbortController();
    setArrival(aborter.signal, arrivalOf(signal));
    const forget = () => {
      if (inFlight.get(shareKey) === work) inFlight.delete(shareKey);
    };
    const abort = (reason: unknown) => {
      // Removed at once, so that later requests do not get the aborted result.
      forget();
      aborter.abort(reason);
    };
    const result = makeAndKeep(aborter.signal).finally(forget);
    // All callers may have aborted, so the rejection may otherwise be unhandled.
    result.catch(() => undefined);
    const work = { result, abort, waiting: 0 };
    inFlight.set(shareKey, work);
    return work;
  };

  return {
    find: (key) => cache.get(key),
    async get(key, wanted, make) {
      const known = cache.get(key);
      if (known !== undefined) return { value: known, cached: true };
      const { signal, priority = 'interactive' } = wanted;
      signal?.throwIfAborted();
      // Separate for each priority, so that an interactive request does not wait in the queue of background requests.
      const shareKey = `${priority}\0${key}`;
      const makeAndKeep = async (aborted: AbortSignal) => {
        const value = await make(aborted);
        cache.set(key, value, bytesOf(value) + VALUE_BYTES);
        return value;
      };
      const work = inFlight.get(shareKey) ?? begin(shareKey, signal, makeAndKeep);
      return { value: await waitFor(work, signal), cached: false };
    },
  };
}

function waitFor<Value>(work: InFlight<Value>, signal: AbortSignal | undefined): Promise<Value> {
  work.waiting += 1;
  if (signal === undefined) return work.result;
  return new Promise((resolve, reject) => {
    const leave = () => {
      work.waiting -= 1;
      if (work.waiting === 0) work.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    work.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
