import type { StoreApi } from 'zustand/vanilla';
import { wait } from './wait.ts';

export type WaitOptions = {
  /** The stores that the condition depends on. */
  readonly stores: readonly Pick<StoreApi<unknown>, 'subscribe'>[];
  readonly longestMs: number;
  readonly signal: AbortSignal;
};

/** Resolves when the condition holds, after `longestMs`, or when the signal aborts. */
export async function waitUntil(holds: () => boolean, { stores, longestMs, signal }: WaitOptions): Promise<void> {
  const done = new AbortController();
  const look = () => {
    if (holds()) done.abort();
  };
  const stops = stores.map((store) => store.subscribe(look));
  look();
  await wait(longestMs, AbortSignal.any([signal, done.signal]));
  for (const stop of stops) stop();
}
