import { followArrival } from './arrival.ts';

/** Work that is done once for all who ask for it at the same time. */
export interface SharedWork<Value> {
  /** `make` is aborted when all its callers have aborted. The value is shared and must not be modified. */
  join(key: string, signal: AbortSignal | undefined, make: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
}

type InFlight<Value> = {
  readonly result: Promise<Value>;
  readonly abort: (reason: unknown) => void;
  waiting: number;
};

export function createSharedWork<Value>(): SharedWork<Value> {
  const inFlight = new Map<string, InFlight<Value>>();

  const begin = (
    key: string,
    signal: AbortSignal | undefined,
    make: (signal: AbortSignal) => Promise<Value>,
  ): InFlight<Value> => {
    const aborter = new AbortController();
    followArrival(aborter.signal, signal);
    const forget = () => {
      if (inFlight.get(key) === work) inFlight.delete(key);
    };
    const abort = (reason: unknown) => {
      // Removed at once, so that later requests do not get the aborted result.
      forget();
      aborter.abort(reason);
    };
    const result = make(aborter.signal).finally(forget);
    // All callers may have aborted, so the rejection may otherwise be unhandled.
    result.catch(() => undefined);
    const work = { result, abort, waiting: 0 };
    inFlight.set(key, work);
    return work;
  };

  return {
    async join(key, signal, make) {
      signal?.throwIfAborted();
      return waitFor(inFlight.get(key) ?? begin(key, signal, make), signal);
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
