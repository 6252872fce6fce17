import { RequestRefused } from '../api/send.ts';

const WAITS_MS = [250, 500, 1_000, 2_000];

/** The same request, repeated a few times while the server says that it is busy. */
export function retryWhileBusy<Wish, Options extends { readonly signal: AbortSignal }, Value>(
  load: (wish: Wish, options: Options) => Promise<Value>,
): (wish: Wish, options: Options) => Promise<Value> {
  return async (wish, options) => {
    for (const waitMs of WAITS_MS) {
      try {
        return await load(wish, options);
      } catch (error) {
        if (!(error instanceof RequestRefused) || error.code !== 'decode_busy') throw error;
      }
      await new Promise((resume) => setTimeout(resume, waitMs));
      options.signal.throwIfAborted();
    }
    return load(wish, options);
  };
}
