import type { ByteCache } from '../../shared/byteCache.ts';
import type { TaskPriority } from '../workers/task.ts';

/** Values that take work to make: made once for all who ask at the same time, and kept as long as memory allows. */
export interface KeptWork<Value> {
  /** What is kept, without any work. */
  find(key: string): Value | undefined;
  /** `make` is aborted when the last one who waits for it has been. Nobody may change the value. */
  get(key: string, wanted: Wanted, make: (signal: AbortSignal) => Promise<Value>): Promise<Kept<Value>>;
}

export type Wanted = {
  /** Asked for only when there is something to wait for: the signal of a request takes time to make. */
  readonly signal?: AbortSignal | undefined;
  /** Default: interactive. */
  readonly priority?: TaskPriority | undefined;
};

/** Whether it was kept, and not made for this request. */
export type Kept<Value> = { readonly value: Value; readonly cached: boolean };

export type KeptWorkOptions<Value> = {
  readonly cache: ByteCache<Value>;
  readonly bytesOf: (value: Value) => number;
};

/** What a value takes beside its bytes: an array that came from a worker is six objects here and two of the engine. */
const VALUE_BYTES = 1_024;

type InFlight<Value> = {
  readonly result: Promise<Value>;
  readonly abort: (reason: unknown) => void;
  waiting: number;
};

export function createKeptWork<Value>({ cache, bytesOf }: KeptWorkOptions<Value>): KeptWork<Value> {
  const inFlight = new Map<string, InFlight<Value>>();

  const begin = (shareKey: string, makeAndKeep: (signal: AbortSignal) => Promise<Value>): InFlight<Value> => {
    const aborter = new AbortController();
    const forget = () => {
      if (inFlight.get(shareKey) === work) inFlight.delete(shareKey);
    };
    const abort = (reason: unknown) => {
      // At once: who asks from now on must not get what is being aborted.
      forget();
      aborter.abort(reason);
    };
    const result = makeAndKeep(aborter.signal).finally(forget);
    // Everybody may have left.
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
      // Apart by priority: who waits for a picture does not stand in the queue of those who do not.
      const shareKey = `${priority}\0${key}`;
      const makeAndKeep = async (aborted: AbortSignal) => {
        const value = await make(aborted);
        cache.set(key, value, bytesOf(value) + VALUE_BYTES);
        return value;
      };
      const work = inFlight.get(shareKey) ?? begin(shareKey, makeAndKeep);
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
